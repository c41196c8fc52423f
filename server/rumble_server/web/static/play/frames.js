// The messages between the server and this page, as types: see PROTOCOL.md.

/** @typedef {{move_ms: number, bank_ms: number, increment_ms: number}} TimeControl */
/** @typedef {Record<string, boolean | number | string>} Settings */
/** @typedef {{id: string, game: string, status: string}} TournamentLine */

/** @typedef {{type: "session", name: string, open: boolean, matches: string[], tournaments: TournamentLine[]}} Session */
/** @typedef {{type: "joined", tournament: string, game: string, settings: Settings, time_control: TimeControl, status: string}} Joined */
/**
 * @typedef {object} MatchStart
 * @property {"match_start"} type
 * @property {string} match
 * @property {number} attempt
 * @property {string} tournament
 * @property {string} game
 * @property {Settings} settings
 * @property {number} seat
 * @property {string[]} seats
 * @property {TimeControl} time_control
 * @property {string[]} moves
 * @property {boolean} resumed
 */
/**
 * @typedef {object} Turn
 * @property {"turn"} type
 * @property {string} match
 * @property {number} attempt
 * @property {string} turn_id
 * @property {number} ply
 * @property {number} seat
 * @property {Record<string, unknown>} state
 * @property {string[]} legal
 * @property {boolean} [legal_complete] false if `legal` is a sample of more moves
 * @property {string[]} moves
 * @property {[number | null, string][]} [since] what is new, instead of `moves`, in games of many seats, joint moves or chance
 * @property {{remaining_ms: number, seats_ms: number[]}} clock
 */
/** @typedef {{type: "rejected", match: string, turn_id: string, code: string, message: string, your_turn: boolean, remaining_ms: number | null}} Rejected */
/**
 * @typedef {object} MatchOver
 * @property {"match_over"} type
 * @property {string} match
 * @property {number} attempt
 * @property {number[] | null} scores
 * @property {number | null} winner
 * @property {string} termination
 * @property {string} reason
 * @property {string[]} moves
 * @property {Record<string, unknown>} state
 */
/** @typedef {{type: "tournament_over", tournament: string, status: string}} TournamentOver */
/** @typedef {{type: "notice", code: string, tournament: string | null, match: string | null, message: string}} Notice */
/** @typedef {{field: string, problem: string}} Problem */
/** @typedef {{type: "error", code: string, message: string, detail: Problem[], fatal: boolean}} ErrorFrame */

/** @typedef {{type: "welcome", features: string[]}} Welcome */
/** @typedef {Welcome | Session | Joined | MatchStart | Turn | Rejected | MatchOver | TournamentOver | Notice | ErrorFrame} Frame */

/** @typedef {{type: "challenge", against: string, game: string, settings: Settings, time_control: TimeControl, seat?: number}} Challenge */

/**
 * A match as `GET /api/matches/{id}` shows it.
 * @typedef {object} MatchView
 * @property {string} id
 * @property {string} tournament
 * @property {number} attempt
 * @property {"running" | "over"} status
 * @property {string} game
 * @property {Settings} settings
 * @property {TimeControl} time_control
 * @property {string[]} seats
 * @property {number | null} seat
 * @property {number} ply
 * @property {string[]} moves
 * @property {(string | null)[]} notes
 * @property {Record<string, unknown>} state
 * @property {string} diagram
 * @property {import("../drawing.js").Drawing | null} drawing
 * @property {number[] | null} seats_ms
 * @property {number[] | null} scores
 * @property {number | null} winner
 * @property {string | null} termination
 * @property {string} reason
 */
/** @typedef {{name: string, house: string | null, about: string, games: string[], free: boolean, display_name?: string}} Opponent */
/** @typedef {{name: string, title: string, seat_names: string[]}} Game */

export {};
