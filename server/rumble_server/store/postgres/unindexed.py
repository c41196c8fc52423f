"""The matches that are in the log, but not yet in the index of matches (`store/sqlite/match_index.py` explains it).

A commit writes the index of a club only if at least `INDEX_S` have passed since the last write of the index. So a match
that starts and ends between two writes is written to the index once. The column `indexed` of the table `clubs` has the
number of the last indexed fact.
"""

from dataclasses import dataclass, field
from time import monotonic

from rumble_server.store.log.content import TOURNAMENT, Content
from rumble_server.store.log.match_spans import spans
from rumble_server.store.postgres.connection import PostgresConnection

INDEX_S = 0.25
"""Minimum time in s between two writes of a club's index of matches. A commit that writes the index is slower."""

Spans = dict[str, tuple[int, int | None]]
"""Numbers of the first and last fact of each match, by match id; the last is None while the match goes on."""

_TAIL = """SELECT facts FROM log JOIN clubs USING (club)
    WHERE club = %(club)s AND number > indexed AND kind = %(kind)s ORDER BY number"""


@dataclass(slots=True)
class _Club:
    """A club that this server leads under `epoch`. `matches` are its matches that are not yet in the index."""

    epoch: int
    reached: int
    """Number of the newest fact that `matches` takes into account."""
    due_at_s: float
    matches: Spans = field(default_factory=dict)


class Unindexed:
    """The matches that are not yet in the index of matches, for each club that this process writes."""

    def __init__(self, connection: PostgresConnection, index_s: float) -> None:
        self._connection = connection
        self._index_s = index_s
        self._clubs: dict[str, _Club] = {}

    def add_matches(self, content: Content) -> Spans | None:
        """Take in the matches of a commit. Return the matches that the commit has to write to the club's index.

        Return None if the index need not be written. If the commit failed, call `add_matches` again with the same
        content. Matches that an earlier leader did not index are read from the log. Raises StoreError.
        """
        now_s = monotonic()
        name = content["club"]
        club = self._clubs.get(name)
        if club is None or club.epoch != content["epoch"] or club.reached < content["before"]:
            tail = self._connection.read(_TAIL, {"club": name, "kind": TOURNAMENT})
            matches = spans(facts for (facts,) in tail)
            due_at_s = now_s + self._index_s if club is None else club.due_at_s
            club = _Club(content["epoch"], content["before"], due_at_s, matches)
            self._clubs[name] = club
        for match_id, (first, last) in spans(row[3] for row in content["log"] if row[2] == TOURNAMENT).items():
            club.matches[match_id] = (club.matches.get(match_id, (first,))[0], last)
        club.reached = content["last"]
        return club.matches if now_s >= club.due_at_s else None

    def on_written(self, name: str) -> None:
        """Note that a club's index now has the matches from the last call of `add_matches` for the club."""
        club = self._clubs[name]
        club.matches = {}
        club.due_at_s = monotonic() + self._index_s

    def forget(self, name: str) -> None:
        """Forget a club, because another server leads it now."""
        self._clubs.pop(name, None)
