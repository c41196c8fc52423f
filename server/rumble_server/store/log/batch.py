"""Batches: facts of one club that wait to be written, and are sorted into rows when written.

`ClubLog` adds facts to a batch, and the group commit (`store/log/group_commit.py`) writes the batch.
"""

from collections import defaultdict
from typing import get_args

from rumble_server.match.facts import MatchFact
from rumble_server.match.match_id import tournament_id_of
from rumble_server.store.log.codec import LINES, Line, Numbered, write_ended, write_lines
from rumble_server.store.log.content import DETAIL, TOURNAMENT, Content
from rumble_server.tournament import club_facts, facts
from rumble_server.tournament.ended import EndedTournament

_REBUILDING = frozenset(get_args(facts.TournamentFact))
_DETAILS = frozenset(get_args(MatchFact)) - _REBUILDING
Configured = facts.TournamentCreated | facts.ConfigChanged
"""Kinds of facts that say whether a tournament is listed."""
_MARKS = frozenset((*get_args(Configured), facts.TournamentEnded, club_facts.VersionSaved))


class Batch:
    """Facts in order of number, and records of ended tournaments."""

    __slots__ = ("_ended", "facts")

    def __init__(self) -> None:
        self.facts: list[Numbered] = []
        self._ended: list[EndedTournament] = []

    def add_record(self, ended: EndedTournament) -> None:
        self._ended.append(ended)

    def content(self, club: str = "main", before: int = 0, epoch: int = 0) -> Content:
        """Return the rows of this batch for `club`. `before` is the number of the club's last fact before the batch."""
        details, rebuilding, marks = self._rows()
        rows = [(TOURNAMENT, *each) for each in rebuilding.items()] + [(DETAIL, *each) for each in details.items()]
        return {
            "club": club,
            "epoch": epoch,
            "before": before,
            "last": self.facts[-1][0] if self.facts else before,
            "log": [(lines[0][0], tournament_id, kind, write_lines(lines)) for kind, tournament_id, lines in rows],
            "created": list(
                {each.tournament: each.config.listed for each in marks if isinstance(each, Configured)}.items()
            ),
            "over": [mark.tournament for mark in marks if type(mark) is facts.TournamentEnded],
            "ended": [(ended.id, write_ended(ended)) for ended in self._ended],
            "dropped": [
                (facts.tournament_of(mark), mark.oldest, mark.freed_bytes)
                for mark in marks
                if type(mark) is club_facts.VersionSaved and mark.freed_bytes
            ],
        }

    def _rows(self) -> tuple[dict[str, list[Line]], dict[str, list[Line]], list[facts.LogFact]]:
        """Return two dicts of lines by tournament, and a list of marks.

        The second dict has the facts that rebuild tournaments. The first dict has all other facts, such as plies.

        Marks are the facts that create, configure or end a tournament, or delete old versions.
        """
        details: dict[str, list[Line]] = defaultdict(list)
        rebuilding: dict[str, list[Line]] = defaultdict(list)
        marks: list[facts.LogFact] = []
        for number, fact in self.facts:
            kind = type(fact)
            if kind in _DETAILS:
                row = details[tournament_id_of(fact.match)]  # type: ignore[union-attr]  # this kind has a match
            else:
                row = (rebuilding if kind in _REBUILDING else details)[facts.tournament_of(fact)]
                if kind in _MARKS:
                    marks.append(fact)
            row.append(LINES[kind](number, fact))
        return details, rebuilding, marks
