"""TRF16, the FIDE Tournament Report File (Handbook C.04, Annex 2), for FIDE's tools and pairing engines.

A round of TRF has one match for each player, so each leg of each round is a TRF round of its own, in schedule order.
Players are numbered in the order of the export's names. Points are always 1, 1/2, 0, as FIDE counts; a bye of a Swiss
is `U`, any other round without a match `Z`, and a match lost by `no_show` is a forfeit. `XXR`, the number of rounds, is
JaVaFo's extension. Lines end with CR and LF.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from rumble_server.match.match_id import MatchId

MOST_PLAYERS = 9999
MOST_POINTS = 99.5
RESULT_COLUMN = 91
"""Where the first round begins, counted from 0; each takes ten columns."""


def write(document: Mapping[str, Any]) -> str:
    """Write an export document as TRF16. Raises ValueError where the format has no room for it."""
    tournament, matches = document["tournament"], document["matches"]
    names = list(tournament["names"])
    number = {name: place for place, name in enumerate(names, 1)}
    if len(names) > MOST_PLAYERS:
        raise ValueError(f"TRF has room for {MOST_PLAYERS} players; this tournament has {len(names)}")
    rounds = sorted({_round(match["id"]) for match in matches})
    column = {key: place for place, key in enumerate(rounds)}
    cells: dict[str, dict[int, str]] = {name: {} for name in names}
    points = dict.fromkeys(names, 0.0)
    for match in matches:
        place = column[_round(match["id"])]
        for seat, name in enumerate(match["seats"]):
            score = match["scores"][seat]
            points[name] += score
            cells[name][place] = f"{number[match['seats'][1 - seat]]:>4} {'wb'[seat]} {_code(match, score)}"
    _enter_byes(document, rounds, cells, points)
    most = max(points.values(), default=0)
    if most > MOST_POINTS:
        raise ValueError(f"TRF has room for {MOST_POINTS} points; the leader has {most:g}")
    ranks = {line["name"]: line["rank"] for line in document["standings"]}
    lines = _header(tournament, len(names), len(rounds))
    for name in names:
        results = "".join(f"  {cells[name].get(place, '0000 - Z')}" for place in range(len(rounds)))
        head = f"001 {number[name]:>4} {'':4} {name[:33]:<33}"
        lines.append(
            f"{head:<80}{points[name]:>4.1f} {ranks.get(name, number[name]):>4}".ljust(RESULT_COLUMN - 2) + results
        )
    return "".join(f"{line.rstrip()}\r\n" for line in lines)


def _round(match_id: str) -> tuple[int, int, int]:
    """Return the cycle, round and leg of a match."""
    cycle, number, _, leg = MatchId.parse(match_id).key
    return cycle, number, leg


def _code(match: Mapping[str, Any], score: float) -> str:
    if match["termination"] == "no_show":
        return "+" if score == 1 else "-"
    return "1" if score == 1 else "=" if score > 0 else "0"


def _enter_byes(
    document: Mapping[str, Any],
    rounds: list[tuple[int, int, int]],
    cells: dict[str, dict[int, str]],
    points: dict[str, float],
) -> None:
    """Enter `byes` (matches by name) in the first rounds in which the bot has no match."""
    for name, count in document.get("byes", {}).items():
        empty = [place for place in range(len(rounds)) if place not in cells[name]]
        for place in empty[:count]:
            cells[name][place] = "0000 - U"
            points[name] += 1


def _header(tournament: Mapping[str, Any], players: int, rounds: int) -> list[str]:
    control = tournament.get("time_control") or {}
    time = ", ".join(f"{name} {value}" for name, value in control.items())
    lines = [f"012 {_plain(tournament['name'])}"]
    for code, key in (("042", "started_at_ms"), ("052", "ended_at_ms")):
        at = tournament.get(key)
        if at is not None:
            lines.append(f"{code} {datetime.fromtimestamp(at / 1000, UTC):%Y/%m/%d}")
    return [
        *lines,
        f"062 {players}",
        "072 0",
        f"092 Individual: {tournament['format']} ({tournament['game']})",
        f"122 {time}",
        f"XXR {rounds}",
    ]


def _plain(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
