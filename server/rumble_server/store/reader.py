"""Reading a club's log back: recovery, what is over, replays, transcripts and exports all come from here."""

import json
import logging
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from rumble_server.match.facts import FrameSeen, FrameShared, with_shared_frames
from rumble_server.match.match_id import MatchId, Neighbours, neighbours, tournament_id_of
from rumble_server.store.codec import Numbered, read_ended, read_facts
from rumble_server.store.content import PLY, TOURNAMENT
from rumble_server.store.errors import DamagedLog, Pruned
from rumble_server.store.match_index import matches_in
from rumble_server.store.rows import Counted, Row, Rows
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact

log = logging.getLogger(__name__)

NEWEST_ROWS = 8
"""How many rows at the log's end are looked at for the time of the newest fact: one commit may have several."""
PORTION_ROWS = 256
"""How many rows of a tournament are read at a time."""
TAIL_FACTS = 64
"""The facts of a match that follow its end (the frames that told it) are among this many facts after its end."""


class LogReader:
    """Reads what is on disk of one club. Two threads must not use it at once. Raises StoreError."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        """The rows of the log that this reads."""

    def of(self, club: str) -> "LogReader":
        """Return a reader of another club that shares this one's connection."""
        return LogReader(self.rows.of(club))

    def close(self) -> None:
        self.rows.close()

    def tournament_ids(self, *, over: bool | None = None) -> list[str]:
        """Return the ids of all tournaments, of those that are over, or of those that are not; oldest first."""
        return self.rows.tournament_ids(over)

    def listed_ids(self, limit: int) -> list[str]:
        """Return the ids of the newest tournaments that are over and listed, newest first."""
        return self.rows.listed_ids(limit)

    def only_listed(self, tournament_ids: Sequence[str]) -> list[str]:
        """Return those of these tournaments that are listed."""
        return self.rows.only_listed(tournament_ids)

    def ended(self, tournament_ids: Sequence[str]) -> dict[str, EndedTournament]:
        """Return the records of these tournaments by id; a record that is not there or not readable is left out."""
        found: dict[str, EndedTournament] = {}
        for tournament_id, record in self.rows.records(tournament_ids):
            try:
                found[tournament_id] = read_ended(record or "")
            except ValueError:  # it can be made again from the log
                continue
        return found

    def ended_by_club(self) -> dict[str, Counted]:
        """Return how many tournaments of each club are over. It reads them all.

        One without a record counts as finished.
        """
        return self.rows.ended_by_club()

    def server_facts(self) -> tuple[list[LogFact], list[DamagedLog]]:
        """Return the facts about the club as a whole, and what is wrong with each row of them that cannot be read."""
        numbered, problems = self._server_facts(0)
        return [fact for _, fact in numbered], problems

    def server_facts_after(self, number: int) -> list[Numbered]:
        """Return the facts about the club as a whole from the one after `number` on, which ended a row or is 0.

        Rows that cannot be read are left out.
        """
        return self._server_facts(number)[0]

    def _server_facts(self, number: int) -> tuple[list[Numbered], list[DamagedLog]]:
        facts: list[Numbered] = []
        problems: list[DamagedLog] = []
        for row in self.rows.of_server(number):
            try:
                facts += self._parsed([row])
            except DamagedLog as error:
                problems.append(error)
        return facts, problems

    def bytes(self) -> int:
        """Return how many bytes the facts of the club take, as its quota counts them."""
        return self.rows.bytes()

    def newest(self) -> int:
        """Return the number of the newest fact; 0 if there is none."""
        return max([number for number, _ in self.rows.newest(1)], default=0)

    def newest_ms(self) -> int:
        """Return about when the newest fact was recorded, in ms since the epoch; 0 if none can be read."""
        at_ms = [0]
        for row in self.rows.newest(NEWEST_ROWS):
            with suppress(DamagedLog):
                at_ms += [int(getattr(fact, "at_ms", 0)) for _, fact in self._parsed([row])]
        return max(at_ms)

    def tournament_facts(self, tournament_id: str) -> list[LogFact]:
        """Return the facts that rebuild a tournament, in order; empty if there is none of that id."""
        return [fact for _, fact in self.facts_after(tournament_id, 0)]

    def facts_after(self, tournament_id: str, number: int) -> Iterator[Numbered]:
        """Yield the facts that rebuild a tournament from the one after `number` on, which ended a row or is 0.

        They are read in portions, so that no transaction of a reader lasts long: a checkpoint would wait for it.
        """
        while True:
            rows = self.rows.after(tournament_id, number, PORTION_ROWS)
            yield from self._parsed(rows)
            if len(rows) < PORTION_ROWS:
                return
            number = rows[-1][0]

    def match_facts(self, match_id: str) -> list[LogFact]:
        """Return every fact of a match, all attempts, in order; empty if it never began. Raises Pruned.

        That its last result was voided is not among them while it is not played again: nothing after it is read.
        """
        tournament_id = tournament_id_of(match_id)
        span = self.rows.span(tournament_id, match_id)
        if span.pruned and span.first is not None:
            raise Pruned(f"the moves of {match_id} were deleted to save space; its result is kept")
        until = span.indexed if span.last is None else min(span.indexed, span.last + TAIL_FACTS)
        text = json.dumps(match_id, ensure_ascii=False)
        facts: list[Numbered] = []
        for kind in (TOURNAMENT, PLY):
            facts += self._parsed(self.rows.of_match(tournament_id, kind, span, until, text), (match_id,))
        facts.sort(key=lambda numbered: numbered[0])
        return list(with_shared_frames((fact for _, fact in facts), self._frame_of))  # type: ignore[arg-type]

    def neighbours(self, match_id: str) -> Neighbours:
        """Find the matches that have begun beside one."""
        own = MatchId.parse(match_id)
        rows = self.rows.not_indexed(own.tournament_id, TOURNAMENT)
        newest = set[str]().union(*(matches_in(facts) for facts in rows))
        in_round = neighbours(match_id, newest.union(self.rows.matches(f"{own.tournament_id}.{own.cycle}.{own.round}")))
        if in_round.previous and in_round.next and MatchId.parse(in_round.next)[:3] == own[:3]:
            return in_round
        return neighbours(match_id, newest.union(self.rows.matches(own.tournament_id)))

    def _frame_of(self, shared: FrameShared) -> FrameSeen | None:
        """Find the frame that a match shares with another one."""
        rows = self.rows.holding(tournament_id_of(shared.other), PLY, shared.other_number)
        found = dict(self._parsed(rows, (shared.other,))).get(shared.other_number)
        return found if isinstance(found, FrameSeen) else None

    def facts_of_matches(self, tournament_id: str, match_ids: Collection[str]) -> Mapping[str, list[LogFact]]:
        """Return every fact of matches of a tournament that have begun, in order; its log is read once for all."""
        first = self.rows.first_of(match_ids)
        facts: dict[str, list[LogFact]] = defaultdict(list)
        found: list[Numbered] = []
        for kind in (TOURNAMENT, PLY):
            found += self._parsed(self.rows.since(tournament_id, kind, first), match_ids)
        found.sort(key=lambda numbered: numbered[0])
        for _, fact in found:
            facts[fact.match].append(fact)  # type: ignore[union-attr]  # it is of one of these matches
        return facts

    def outline(self, tournament_id: str) -> list[LogFact]:
        """Return the facts of those rows that have a tournament's creation, its start or its end.

        For databases that were written before there were records.
        """
        return [fact for _, fact in self._parsed(self.rows.outline(tournament_id))]

    def _parsed(self, rows: Iterable[Row], match_ids: Container[str] | None = None) -> list[Numbered]:
        facts: list[Numbered] = []
        for number, text in rows:
            if text is None:
                raise DamagedLog(f"{self.rows.name}: row {number} of the log is damaged: it is not what was written")
            try:
                facts.extend(read_facts(text, match_ids))
            except ValueError as error:
                problem = str(error).partition("\n")[0]
                raise DamagedLog(f"{self.rows.name}: row {number} of the log is damaged: {problem}") from None
        return facts
