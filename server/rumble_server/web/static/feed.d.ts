// The fields of the feed's events that pages read: see `protocol/rumble_protocol/feed_messages.py`.

export interface Standing {
  rank: number;
  name: string;
  points: number;
  played: number;
  wins: number;
  draws: number;
  losses: number;
  tiebreaks: Record<string, number | null>;
  decided_by: string;
  rating: number | null;
  interval: [number, number] | null;
  faults: Record<string, number>;
  gained: number | null;
  byes: number;
  half_byes: number;
}

export interface Entrant {
  name: string;
  connected: boolean;
  withdrawn: boolean;
  benched: boolean;
  bye_rounds: number[];
  elsewhere: boolean;
  display_name?: string;
}

export interface Pair {
  names: [string, string];
  scores: [number, number];
  played: number;
}

export interface Away {
  since_at_ms: number;
  until_at_ms: number;
}

export interface Board {
  match: string;
  attempt: number;
  seats: string[];
  seat: number;
  movers: number[];
  ply: number;
  moves: string[];
  state: Record<string, unknown>;
  diagram: string;
  drawing: import("./board").Drawing | null;
  position: string;
  seats_ms: number[];
  ticking: boolean;
  at_ms: number;
  away: (Away | null)[];
}

export interface MatchResult {
  match: string;
  attempt: number;
  seats: string[];
  scores: number[] | null;
  winner: number | null;
  termination: string;
  reason: string;
}

export interface Expected {
  remaining_ms: number;
  results: number;
  window_ms: number;
}

export interface Progress {
  matches_over: number;
  matches_total: number | null;
  headline: string;
  expected: Expected | null;
}

export interface Status extends Progress {
  status: string;
  reason: string;
  started_at_ms: number | null;
}

export interface Standings extends Progress {
  standings: Standing[];
  gained_by: number;
  rating_model: string;
  pairs: Pair[];
}

export interface Snapshot extends Status {
  standings: Standing[];
  gained_by: number;
  rating_model: string;
  entrants: Entrant[];
  running: Board[];
  pairs: Pair[] | null;
  latest: MatchResult[];
  ended: Board[];
}
