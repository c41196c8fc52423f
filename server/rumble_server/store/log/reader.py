"""Reading a club's log, for recovery, ended tournaments, replays, transcripts and exports.

SQLite and PostgreSQL each have a subclass of `LogReader`, with the queries (`store/log/rows.py`).
"""

import json
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from rumble_server.match.facts import FrameSeen, FrameShared, with_shared_frames
from rumble_server.match.match_id import MatchId, Neighbours, neighbours, tournament_id_of
from rumble_server.store.errors import DamagedLog, Pruned
from rumble_server.store.log.codec import Numbered, read_ended, read_facts
from rumble_server.store.log.content import DETAIL, TOURNAMENT
from rumble_server.store.log.match_spans import spans
from rumble_server.store.log.rows import Row, Rows
from rumble_server.tournament.club_facts import HostTokensRemoved, VersionSaved
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact, versions_of
from rumble_server.tournament.versions import StoredVersion

NEWEST_ROWS = 8
"""Number of newest rows in which the reader looks for the time of the newest fact. If the newest commit has several
rows, the last of the rows need not have the newest fact."""
PORTION_ROWS = 256
"""Number of rows of a tournament read in one query."""
TAIL_FACTS = 64
"""Number of facts after a match's end in which the reader looks for further facts of the match. For example, the frames
`match_over` come after the fact of the end."""


class LogReader(Rows):
    """A reader of one club's log. Only one thread may use it at a time. All methods raise StoreError."""

    def ended(self, tournament_ids: Sequence[str]) -> dict[str, EndedTournament]:
        """Return the records of these tournaments, by id. Missing and damaged records are left out."""
        records: dict[str, EndedTournament] = {}
        for tournament_id, record in self.records(tournament_ids):
            try:
                records[tournament_id] = read_ended(record or "")
            except ValueError:  # the record can be made again from the log
                continue
        return records

    def club_facts(self) -> tuple[list[LogFact], dict[int, DamagedLog]]:
        """Return the facts about the club as a whole, and an error for each damaged row, by row number.

        A damaged row gives no error if a fact `HostTokensRemoved` says that the row was dealt with.
        """
        numbered, problems = self.club_facts_after(0)
        return [fact for _, fact in numbered], problems

    def club_facts_after(self, number: int) -> tuple[list[Numbered], dict[int, DamagedLog]]:
        """Return the same as `club_facts`, with numbers, for the facts and rows after the fact `number`.

        `number` must be 0 or the number of the last fact of some row.
        """
        facts: list[Numbered] = []
        problems: dict[int, DamagedLog] = {}
        for row in self.about_club(number):
            try:
                facts += self._parsed([row])
            except DamagedLog as error:
                problems[row[0]] = error
        dealt_with = {row for _, fact in facts if isinstance(fact, HostTokensRemoved) for row in fact.rows}
        return facts, {row: error for row, error in problems.items() if row not in dealt_with}

    def newest_ms(self) -> int:
        """Return the approximate time of the newest fact, in ms since 1970; 0 if no fact can be read."""
        at_ms = [0]
        for row in self.newest_rows(NEWEST_ROWS):
            with suppress(DamagedLog):
                at_ms += [int(getattr(fact, "at_ms", 0)) for _, fact in self._parsed([row])]
        return max(at_ms)

    def tournament_facts(self, tournament_id: str) -> list[LogFact]:
        """Return the facts that rebuild a tournament, in order; an empty list for an unknown id."""
        return [fact for _, fact in self.facts_after(tournament_id, 0)]

    def facts_after(self, tournament_id: str, number: int) -> Iterator[Numbered]:
        """Yield the facts after the fact `number` that are needed to rebuild a tournament.

        `number` must be 0 or the number of the last fact of some row. The rows are read in portions, because a long
        transaction would delay checkpoints of the database.
        """
        while True:
            rows = self.after(tournament_id, number, PORTION_ROWS)
            yield from self._parsed(rows)
            if len(rows) < PORTION_ROWS:
                return
            number = rows[-1][0]

    def match_facts(self, match_id: str) -> list[LogFact]:
        """Return the facts of all attempts of a match, in order; an empty list if the match never began.

        Reading stops soon after the match's end. If a much later fact makes the result void, the list lacks the fact
        until the match is played again. Raises Pruned if the match's plies were deleted.
        """
        tournament_id = tournament_id_of(match_id)
        span = self.span(tournament_id, match_id)
        until = span.indexed if span.last is None else min(span.indexed, span.last + TAIL_FACTS)
        text = json.dumps(match_id, ensure_ascii=False)
        facts: list[Numbered] = []
        for kind in (TOURNAMENT, DETAIL):
            facts += self._parsed(self.of_match(tournament_id, kind, span, until, text), (match_id,))
        if span.is_pruned and facts:
            raise Pruned(f"the moves of {match_id} were deleted to save space; its result is kept")
        facts.sort(key=lambda numbered: numbered[0])
        return list(with_shared_frames((fact for _, fact in facts), self._frame_of))  # type: ignore[arg-type]

    def versions(self, bot: str) -> list[StoredVersion]:
        """Return the stored versions of a bot, oldest first. Damaged versions are left out."""
        stored: list[StoredVersion] = []
        for row in self.rows_of(versions_of(bot), "kind = :kind ORDER BY number", kind=DETAIL):
            with suppress(DamagedLog):
                stored += [
                    StoredVersion(row[0], len(row[1] or ""), fact)
                    for _, fact in self._parsed([row])
                    if isinstance(fact, VersionSaved)
                ]
        return stored

    def neighbours(self, match_id: str) -> Neighbours:
        """Return the neighbours of a match: the previous match, the next match, and the other leg.

        Only matches of the same tournament that have begun can be neighbours.
        """
        own = MatchId.parse(match_id)
        newest = set(spans(self.not_indexed(own.tournament_id, TOURNAMENT)))
        in_round = neighbours(match_id, newest.union(self.matches(f"{own.tournament_id}.{own.cycle}.{own.round}")))
        if in_round.previous and in_round.next and MatchId.parse(in_round.next)[:3] == own[:3]:
            return in_round
        return neighbours(match_id, newest.union(self.matches(own.tournament_id)))

    def _frame_of(self, shared: FrameShared) -> FrameSeen | None:
        """Return the frame to which `shared` refers, a frame of another match; None if the log has no such frame."""
        rows = self.holding(tournament_id_of(shared.other), DETAIL, shared.other_number)
        fact = dict(self._parsed(rows, (shared.other,))).get(shared.other_number)
        return fact if isinstance(fact, FrameSeen) else None

    def facts_of_matches(self, tournament_id: str, match_ids: Collection[str]) -> Mapping[str, list[LogFact]]:
        """Return the facts of several matches of a tournament, by match, in order.

        The matches must have begun. The log is read once, not once for each match.
        """
        first = self.first_of(match_ids)
        facts: dict[str, list[LogFact]] = defaultdict(list)
        numbered_facts: list[Numbered] = []
        for kind in (TOURNAMENT, DETAIL):
            numbered_facts += self._parsed(self.since(tournament_id, kind, first), match_ids)
        numbered_facts.sort(key=lambda numbered: numbered[0])
        for _, fact in numbered_facts:
            facts[fact.match].append(fact)  # type: ignore[union-attr]  # only facts of these matches were read
        return facts

    def first_facts(self, tournament_id: str) -> list[LogFact]:
        """Return the facts in a tournament's first row. The creation of the tournament is among them."""
        return [fact for _, fact in self._parsed(self.after(tournament_id, 0, 1))]

    def _parsed(self, rows: Iterable[Row], match_ids: Container[str] | None = None) -> list[Numbered]:
        facts: list[Numbered] = []
        for number, text in rows:
            if text is None:
                raise DamagedLog(f"{self.name}: row {number} of the log is damaged: it is not what was written")
            try:
                facts.extend(read_facts(text, match_ids))
            except ValueError as error:
                problem = str(error).partition("\n")[0]
                raise DamagedLog(f"{self.name}: row {number} of the log is damaged: {problem}") from None
        return facts
