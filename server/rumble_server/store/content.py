"""What a commit writes of one club, in plain values: the same for each kind of database."""

from collections import Counter
from typing import TypedDict

TOURNAMENT, PLY = 0, 1
"""Kinds of rows: facts that rebuild the tournament, and the plies and frames of its matches."""


class Content(TypedDict):
    """The rows of one club in one commit. Ids are those that the club knows."""

    club: str
    epoch: int
    """Under which the club is written; 0 where nobody else can write it."""
    before: int
    """The number of the club's newest fact before this."""
    last: int
    """The number of its newest fact with this."""
    log: list[tuple[int, str, int, str]]
    """Number of the first fact, tournament (empty: the club as a whole), kind and facts of each row."""
    created: list[tuple[str, bool]]
    """New tournaments, and whether they are listed."""
    over: list[str]
    """Tournaments that are over."""
    ended: list[tuple[str, str]]
    """Records of tournaments that are over."""


def sizes_of(content: Content) -> Counter[str]:
    """Return about how many bytes the rows of the log take, by tournament."""
    sizes = Counter[str]()
    for _, tournament, _, facts in content["log"]:
        sizes[tournament] += len(facts)
    return sizes
