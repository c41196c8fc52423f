"""The content of a commit for one club, the same for SQLite and PostgreSQL.

`store/log/batch.py` makes the content. All values are plain Python values, because `marshal` carries them to the
writing process (`store/log/commit_loop.py`).
"""

from collections import Counter
from typing import TypedDict

TOURNAMENT, DETAIL = 0, 1
"""Kinds of rows: `TOURNAMENT` has the facts that rebuild tournaments, and `DETAIL` has all other
facts, such as plies, frames and sources of bots."""


class Content(TypedDict):
    """The rows of one club in a commit. Ids do not have the club's prefix."""

    club: str
    epoch: int
    """Epoch under which this server leads the club; always 0 in SQLite, where only one server can write."""
    before: int
    """Number of the club's newest fact before this commit."""
    last: int
    """Number of the club's newest fact after this commit."""
    log: list[tuple[int, str, int, str]]
    """Rows of the log. Each has the number of the first fact, the tournament id, the kind of row, and the facts' text.

    The tournament id is empty in a row about the club as a whole.
    """
    created: list[tuple[str, bool]]
    """Ids of tournaments with a new or changed configuration. The flag of each is true if the tournament is listed."""
    over: list[str]
    """Ids of the tournaments that ended in this commit."""
    ended: list[tuple[str, str]]
    """Ids and records of ended tournaments."""
    dropped: list[tuple[str, int, int]]
    """Bots whose old versions are to be deleted.

    Each item has the key of the bot's rows, the number of the oldest row to keep, and the size in bytes of the deleted
    rows.
    """


def lead_id(content: Content) -> str:
    """Return the club and the epoch of a content as a text, such as `main@7`."""
    return f"{content['club']}@{content['epoch']}"


def sizes_of(content: Content) -> Counter[str]:
    """Return the approximate size in bytes of a commit's log rows, by tournament. Deleted rows are subtracted."""
    sizes = Counter[str]()
    for _, tournament, _, facts in content["log"]:
        sizes[tournament] += len(facts)
    for versions, _, freed_bytes in content["dropped"]:
        sizes[versions] -= freed_bytes
    return sizes
