"""PGN, and for games other than chess the same file with PGN's headers and the game's own moves.

After the Portable Game Notation standard (S. J. Edwards, 1994): the seven tag roster first and in order, then the other
tags by name. Moves stand as people write them: those of chess in SAN. White is the seat of that name, in Go and Othello
the second; in a game without one it is the first seat. Comments tell what bots thought.
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
    "timeout": "time forfeit",
    "disconnect": "abandoned",
    "no_show": "abandoned",
}
"""Our terminations, and the standard's word for each (section 9.8.1)."""


def write(document: Mapping[str, Any]) -> str:
    """Write the matches of an export document, in order of finishing."""
    tournament = document["tournament"]
    try:
        game = get_game(tournament["game"])
    except EngineError:  # a game of a plug-in that is not installed here
        game = None
    return "\n".join(_game(tournament, game, match) for match in document["matches"])


def _game(tournament: Mapping[str, Any], game: Game | None, match: Mapping[str, Any]) -> str:
    names = [] if game is None else [name.casefold() for name in game.seat_names]
    white = names.index("white") if "white" in names else 0
    scores = [float(score) for score in match["scores"]]
    # A match that neither won has no result in PGN but the one for "unfinished".
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
    """Yield the moves with their numbers, and the comments to them."""
    infos, numbered = match.get("infos") or [], False
    for ply, move in enumerate(_written(tournament, game, match["moves"])):
        if ply % 2 == 0:
            yield f"{ply // 2 + 1}."
        elif not numbered:
            yield f"{ply // 2 + 1}..."
        yield move
        said = comment(infos[ply]) if infos else ""
        numbered = not said
        if said:
            yield f"{{{said.replace('}', ')')}}}"


def _written(tournament: Mapping[str, Any], game: Game | None, moves: Sequence[str]) -> Iterable[str]:
    """Return the moves as people write them; as on the wire where the game has no other way."""
    if game is None or type(game).written is Game.written:
        return moves
    states = accumulate(moves, lambda state, move: state.play(move), initial=_initial(game, tournament))
    return [game.written(state, move) for state, move in zip(states, moves, strict=False)]


def _initial(game: Game, tournament: Mapping[str, Any]) -> Any:
    return game.initial(tournament.get("settings"), tournament.get("seed", 0))


def _quoted(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace('"', '\\"')


def _time_control(control: Mapping[str, Any]) -> str:
    """Return `bank+increment` in seconds; `?` with a time for each move, which PGN cannot express."""
    if control.get("move_ms") or not control.get("bank_ms"):
        return "?"
    bank, increment = control["bank_ms"] / 1000, control.get("increment_ms", 0) / 1000
    return f"{bank:g}+{increment:g}" if increment else f"{bank:g}"
