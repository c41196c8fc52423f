"""Content of a commit for one club, in plain values: the same for each kind of database.

`store/log/batch.py` makes it, and the process that writes (`store/log/commit_loop.py`) gets it by `marshal`, hence
plain values.
"""

from collections import Counter
from typing import TypedDict

TOURNAMENT, PLY = 0, 1
"""Kinds of rows: facts that rebuild a tournament, and plies and frames of a tournament's matches."""


class Content(TypedDict):
    """Rows of a club in a commit. Ids have no club in front."""

    club: str
    epoch: int
    """Epoch under which the club is written; 0 in SQLite, where no other server can write."""
    before: int
    """Number of the club's newest fact before this commit."""
    last: int
    """Number of the club's newest fact after this commit."""
    log: list[tuple[int, str, int, str]]
    """Number of the first fact, tournament (empty: the club as a whole), kind and facts of each row."""
    created: list[tuple[str, bool]]
    """New tournaments, each with true if the tournament is listed."""
    over: list[str]
    """Tournaments ended by this commit."""
    ended: list[tuple[str, str]]
    """Ids and records of ended tournaments."""


def sizes_of(content: Content) -> Counter[str]:
    """Return the approximate size in bytes of the rows of the log, by tournament."""
    sizes = Counter[str]()
    for _, tournament, _, facts in content["log"]:
        sizes[tournament] += len(facts)
    return sizes
