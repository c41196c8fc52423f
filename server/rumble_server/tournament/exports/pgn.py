"""PGN. The file of a game other than chess has the headers of PGN, and the game's own moves.

The file follows the Portable Game Notation standard (S. J. Edwards, 1994): the seven tag roster first and in order,
then further tags by name. Moves are written as people write them, chess moves in SAN. White is the seat called White,
which is the second in Go and Othello; in a game without a seat of that name, White is the first seat. Comments contain
the bots' infos about their moves.
"""

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any

from rumble_engine import EngineError, Game, get_game

from rumble_server.match.match_id import MatchId
from rumble_server.tournament.exports.thoughts import comment, printable

UNBROKEN: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
RESULTS = {(1.0, 0.0): "1-0", (0.0, 1.0): "0-1", (0.5, 0.5): "1/2-1/2"}
TERMINATIONS = {
    "normal": "normal",
    "resignation": "normal",
    "adjudication": "adjudication",
    "illegal_move": "rules infraction",
    "flood": "rules infraction",
    "crashed": "abandoned",
    "timeout": "time forfeit",
    "disconnect": "abandoned",
    "no_show": "abandoned",
}
"""PGN's word for each of Rumble's terminations (section 9.8.1 of the standard)."""


def check(seats: int) -> None:
    """Raise ValueError for matches of more than two seats."""
    if seats > 2:
        raise ValueError("PGN is for matches of two seats; this tournament has tables of more")


def write(document: Mapping[str, Any]) -> str:
    """Return the matches of an export document as PGN, in order of finishing. Raises ValueError for tables."""
    tournament = document["tournament"]
    check(tournament.get("seats", 2))
    try:
        game = get_game(tournament["game"])
    except EngineError:  # a game of a plug-in that is not installed here
        game = None
    return "\n".join(_game(tournament, game, match) for match in document["matches"])


def _game(tournament: Mapping[str, Any], game: Game | None, match: Mapping[str, Any]) -> str:
    names = [] if game is None else [name.casefold() for name in game.seat_names]
    white = names.index("white") if "white" in names else 0
    scores = [float(score) for score in match["scores"]]
    # For a match that both lost, PGN has only the result of an unfinished match.
    result = RESULTS.get((scores[white], scores[1 - white]), "*")
    started = tournament.get("started_at_ms")
    roster = {
        "Event": tournament["name"],
        "Site": "?",
        "Date": "????.??.??" if started is None else f"{datetime.fromtimestamp(started / 1000, UTC):%Y.%m.%d}",
        "Round": ".".join(map(str, MatchId.parse(match["id"]).key)),
        "White": match["seats"][white],
        "Black": match["seats"][1 - white],
        "Result": result,
    }
    more = {
        "Attempt": str(match["attempt"]),
        "MatchId": match["id"],
        "PlyCount": str(len(match["moves"])),
        "Reason": match["reason"],
        "Termination": TERMINATIONS.get(match["termination"], "unterminated"),
        "TerminationCode": match["termination"],
        "TimeControl": _time_control(tournament.get("time_control") or {}),
    }
    if tournament["game"] != "chess":
        more["Game"] = tournament["game"]
    if tournament.get("settings"):
        more["Settings"] = json.dumps(tournament["settings"], sort_keys=True)
    tags = [*roster.items(), *sorted(more.items())]
    text = textwrap.fill(" ".join([*_moves(tournament, game, match), result]), 79, **UNBROKEN)
    return "\n".join(f'[{name} "{_quoted(value)}"]' for name, value in tags) + f"\n\n{text}\n"


def _moves(tournament: Mapping[str, Any], game: Game | None, match: Mapping[str, Any]) -> Iterator[str]:
    """Yield the moves with their numbers and comments. After a comment, the second seat's move has its number, too."""
    infos, numbered = match.get("infos") or [], False
    for ply, move in enumerate(_written(tournament, game, match["moves"])):
        if ply % 2 == 0:
            yield f"{ply // 2 + 1}."
        elif not numbered:
            yield f"{ply // 2 + 1}..."
        yield move
        remark = comment(infos[ply]) if infos else ""
        numbered = not remark
        if remark:
            yield f"{{{remark.replace('}', ')')}}}"


def _written(tournament: Mapping[str, Any], game: Game | None, moves: Sequence[str]) -> Iterable[str]:
    """Return the moves as people write them, or the moves as sent to bots if the game has no other notation."""
    if game is None or type(game).written is Game.written:
        return moves
    initial: Any = game.initial(tournament.get("settings"), tournament.get("seed", 0))
    states = accumulate(moves, lambda state, move: state.play(move), initial=initial)
    return [game.written(state, move) for state, move in zip(states, moves, strict=False)]


def _quoted(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace('"', '\\"')


def _time_control(control: Mapping[str, Any]) -> str:
    """Return `bank+increment` in seconds, or `?` if each move has a time limit, which PGN cannot express."""
    if control.get("move_ms") or not control.get("bank_ms"):
        return "?"
    bank, increment = control["bank_ms"] / 1000, control.get("increment_ms", 0) / 1000
    return f"{bank:g}+{increment:g}" if increment else f"{bank:g}"
