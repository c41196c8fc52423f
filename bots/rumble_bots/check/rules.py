"""The rules for bots. PROTOCOL.md has a table of the same rules with the same ids."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its id, what bots must do, and advice for a bot that breaks the rule."""

    id: str
    title: str
    mend: str


STEPS = (
    Rule(
        "connect",
        "opens a WebSocket at /bot",
        "Open a WebSocket at ws://HOST:PORT/bot, for a club ws://HOST:PORT/c/NAME/bot; offer rumble.v1, or nothing.",
    ),
    Rule(
        "login",
        "answers welcome with login, and enters the tournament",
        'When "welcome" comes, send {"type": "login", "name": NAME, "join": TOURNAMENT}, and nothing before it.',
    ),
    Rule(
        "whole-match",
        "plays whole matches, from either seat",
        'Answer every "turn" with a "move" that has its match, its turn_id and one of legal, until match_over comes.',
    ),
    Rule(
        "rejected",
        "goes on after rejected",
        'Do not end the bot on "rejected": print its message, and wait for the next frame.',
    ),
    Rule(
        "retry",
        "answers again where a rejected move may be made again",
        'If "rejected" says illegal_move or bad_move with your_turn true, send another move with the same turn_id.',
    ),
    Rule(
        "error",
        "goes on after an error that is not fatal",
        'Do not end the bot on "error" unless fatal is true: print its message, and wait for the next frame.',
    ),
    Rule(
        "stale-turns",
        "answers the newest turn of a match",
        "Send back the turn_id of the newest turn of the match; the same position asked again has another.",
    ),
    Rule(
        "void-match",
        "plays a void match again",
        "After match_over with scores null the match begins again under its id: forget what you kept of it.",
    ),
    Rule(
        "told-twice",
        "takes a result that is told twice",
        "A match_over may come twice: ignore the second one for the same id and attempt.",
    ),
    Rule(
        "unknown-messages",
        "ignores messages and codes it does not know",
        "Ignore a message whose type you do not know, and take a code that you do not know by its message.",
    ),
    Rule(
        "two-matches",
        "plays two matches at once, if it says that it can",
        "Keep what you know by match; answer each turn with its own match and turn_id; or log in with max_matches 1.",
    ),
    Rule(
        "ping",
        "answers pings, and waits for as long as the opponent thinks",
        "Read the socket while you wait, so that your library answers pings; set no time limit on the next frame.",
    ),
    Rule(
        "dropped-connection",
        "comes back after its connection broke",
        "When the connection ends, connect again and send the same login; wait longer before each further attempt.",
    ),
    Rule(
        "server-restart",
        "comes back after the server restarted",
        "After close code 1001, or where nobody listens yet, try again, a little later each time.",
    ),
    Rule(
        "unknown-fields",
        "ignores fields it does not know",
        "Read the fields that you know from each object, and ignore the others: a newer server sends more.",
    ),
    Rule(
        "moves-between",
        "answers though other seats' moves and news came between",
        "Take the position from state: moves is empty in such games. News of another seat leaves your turn open.",
    ),
    Rule(
        "another-fell",
        "goes on after another seat fell out",
        'When "seat_fell" has another seat than yours, go on: answer every turn until match_over comes.',
    ),
    Rule(
        "fallen",
        "waits for the end after falling out itself",
        'When "seat_fell" has your own seat, send nothing more for the match, and wait: match_over comes at its end.',
    ),
    Rule(
        "clean-end",
        "ends well, or stays, when the tournament is over",
        "At tournament_over end the program with exit code 0, or stay connected.",
    ),
    Rule(
        "key",
        "shows the same key at every login",
        "Make a key once, keep it in a file, and send it with every login of the name.",
    ),
    Rule(
        "replaced",
        "stays away after 4001",
        "Do not connect again after close code 4001, 4003, 4004 or 4010: end the program, and say why.",
    ),
)
"""Rules that the check tests in separate steps."""

HABITS = (
    Rule(
        "valid-messages",
        "sends nothing but messages of the protocol",
        "Compare what you send with PROTOCOL.md or protocol/schema/bot_message.json; print each error you are sent.",
    ),
    Rule(
        "legal-moves",
        "sends legal moves",
        "Send one of the moves in turn.legal, letter for letter, as a JSON string.",
    ),
    Rule(
        "answers",
        "answers each turn once, with its match and turn_id",
        "Copy match and turn_id from the turn that you answer, and answer it once.",
    ),
    Rule(
        "deadlines",
        "answers within its clock",
        "Answer within clock.remaining_ms, and leave a little; for slower bots use --move-ms.",
    ),
    Rule(
        "limits",
        "keeps to welcome.limits",
        "Send no frame above limits.frame_bytes, and few messages besides the answers to turns.",
    ),
    Rule(
        "stays-connected",
        "stays until it is told that all is over",
        "Keep the connection and the program until tournament_over; catch errors while you choose a move.",
    ),
)
"""Rules that the check watches from its beginning to its end."""

RULES = {rule.id: rule for rule in (*STEPS, *HABITS)}
