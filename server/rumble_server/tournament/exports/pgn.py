"""PGN, and for games other than chess the same file with the game's own moves: PGN's headers, seat 0 as White.

After the Portable Game Notation standard (S. J. Edwards, 1994): the seven tag roster first and in order, then the other
tags by name. Moves stand in the game's notation, as on the wire. (For chess that is `e2e4`; `notation` may turn the
moves of a match into SAN.)
"""

import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rumble_server.match.match_id import MatchId

Notation = Callable[[Sequence[str]], Sequence[str]]
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


def write(document: Mapping[str, Any], notation: Notation = tuple) -> str:
    """Write the matches of an export document, in order of finishing."""
    tournament = document["tournament"]
    return "\n".join(_game(tournament, match, notation) for match in document["matches"])


def _game(tournament: Mapping[str, Any], match: Mapping[str, Any], notation: Notation) -> str:
    first, second = match["seats"]
    # A match that neither won has no result in PGN but the one for "unfinished".
    result = RESULTS.get((float(match["scores"][0]), float(match["scores"][1])), "*")
    started = tournament.get("started_at_ms")
    roster = {
        "Event": tournament["name"],
        "Site": "?",
        "Date": "????.??.??" if started is None else f"{datetime.fromtimestamp(started / 1000, UTC):%Y.%m.%d}",
        "Round": ".".join(map(str, MatchId.parse(match["id"]).key)),
        "White": first,
        "Black": second,
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
    moves = [f"{ply // 2 + 1}. {move}" if ply % 2 == 0 else move for ply, move in enumerate(notation(match["moves"]))]
    text = textwrap.fill(" ".join([*moves, result]), 79, break_long_words=False, break_on_hyphens=False)
    return "\n".join(f'[{name} "{_quoted(value)}"]' for name, value in tags) + f"\n\n{text}\n"


def _quoted(text: str) -> str:
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    return plain.replace("\\", "\\\\").replace('"', '\\"')


def _time_control(control: Mapping[str, Any]) -> str:
    """Return `bank+increment` in seconds; `?` with a time for each move, which PGN cannot express."""
    if control.get("move_ms") or not control.get("bank_ms"):
        return "?"
    bank, increment = control["bank_ms"] / 1000, control.get("increment_ms", 0) / 1000
    return f"{bank:g}+{increment:g}" if increment else f"{bank:g}"
