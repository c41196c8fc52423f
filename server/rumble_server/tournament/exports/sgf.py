"""SGF, the Smart Game Format (FF[4], A. Hollosi, https://www.red-bean.com/sgf/), for Go: a game tree for each match."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from string import ascii_lowercase
from typing import Any

from rumble_engine import get_game

from rumble_server.match.match_id import MatchId
from rumble_server.tournament.exports.thoughts import comment, printable

GO = "openspiel:go"
COLUMNS = ascii_lowercase.replace("i", "")
"""The letters of Go's columns, from the left; Go skips the letter i."""
ENDINGS = {"resignation": "R", "timeout": "T", "normal": ""}
"""SGF's letters for ways of winning a match; a win in any other way is a forfeit, `F`."""


def check(game: str) -> None:
    """Raise ValueError if the game is not Go, or if the library for Go is missing."""
    if game != GO:
        raise ValueError(f"SGF is for {GO}; this tournament is of {game}")
    get_game(GO)


def write(document: Mapping[str, Any]) -> str:
    """Return the matches of an export document as SGF, in the order in which the matches ended.

    Raises ValueError if the game is not Go.
    """
    tournament = document["tournament"]
    check(tournament["game"])
    settings = get_game(GO).complete(tournament["settings"])
    return "".join(_game(tournament, settings, match) for match in document["matches"])


def _game(tournament: Mapping[str, Any], settings: Mapping[str, Any], match: Mapping[str, Any]) -> str:
    size = settings["board_size"]
    black, white = match["seats"]
    started = tournament.get("started_at_ms")
    tags = {
        "FF": "4",
        "GM": "1",
        "CA": "UTF-8",
        "AP": "Rumble",
        "SZ": str(size),
        "KM": settings["komi"],
        "EV": tournament["name"],
        "RO": ".".join(map(str, MatchId.parse(match["id"]).key)),
        "DT": "" if started is None else f"{datetime.fromtimestamp(started / 1000, UTC):%Y-%m-%d}",
        "PB": black,
        "PW": white,
        "RE": _result(match),
        "GC": match["reason"],
    }
    head = "".join(f"{name}[{_escaped(value)}]" for name, value in tags.items() if value)
    if settings["handicap"] > 1:
        head += f"HA[{settings['handicap']}]AB{_handicap(tournament, size)}"
    infos = match.get("infos") or [None] * len(match["moves"])
    moves = (_node(move, info, size) for move, info in zip(match["moves"], infos, strict=True))
    return f"(;{head}\n{''.join(moves)})\n"


def _node(move: str, info: Mapping[str, Any] | None, size: int) -> str:
    """Return the node of a move such as `B d4` or `W PASS`."""
    colour, _, vertex = move.partition(" ")
    remark = comment(info)
    return f";{colour}[{_point(vertex, size)}]" + (f"C[{_escaped(remark)}]" if remark else "") + "\n"


def _point(vertex: str, size: int) -> str:
    """Return a vertex in SGF's notation: `dp` for `d4` on a board of 19, since SGF counts rows from the top.

    A pass is the empty text.
    """
    if not vertex[1:].isdecimal():
        return ""
    return ascii_lowercase[COLUMNS.index(vertex[0].lower())] + ascii_lowercase[size - int(vertex[1:])]


def _handicap(tournament: Mapping[str, Any], size: int) -> str:
    """Return the points of the handicap stones, which are on the board before the first move."""
    rows = get_game(GO).initial(tournament["settings"]).diagram().splitlines()[-size - 1 : -1]
    return "".join(
        f"[{ascii_lowercase[column]}{ascii_lowercase[row]}]"
        for row, line in enumerate(rows)
        for column, cell in enumerate(line[-size:])
        if cell == "X"
    )


def _result(match: Mapping[str, Any]) -> str:
    scores: Sequence[float] = match["scores"]
    if scores[0] == scores[1]:
        return "0" if scores[0] else "Void"
    return f"{'B' if scores[0] > scores[1] else 'W'}+{ENDINGS.get(match['termination'], 'F')}"


def _escaped(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace("]", "\\]")
