"""A tournament's machine, led as the arena leads it: each fact is kept and applied, and the state after it dumped."""

from itertools import combinations
from typing import Any

from rumble_engine import Termination
from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.tournament import commands
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import LogFact, RoundPaired, TablesSeated, TournamentCreated, TournamentFact
from rumble_server.tournament.tournament import Tournament

START_MS = 1_000_000


def dump(tournament: Tournament) -> dict[str, Any]:
    """Return the state of a tournament that its log must tell, however far the schedule happens to be pulled."""
    agenda = tournament.agenda
    pulled = {} if agenda is None else agenda.open
    assert not pulled.keys() & tournament.results.keys(), "a match that has a result is open"
    for bot in () if agenda is None else agenda.bots:
        to_play = {slot.match_id for slot in pulled.values() if bot in slot.seats} - tournament.running.keys()
        in_sight = {slot.match_id for slot in agenda.queue.waiting(bot)} if agenda is not None else set()
        assert in_sight == to_play, "a bot does not see what it has to play"
    return {
        "join_code": tournament.join_code,
        "status": (tournament.status, tournament.reason, tournament.is_paused_by_disk),
        "times": (tournament.created_at_ms, tournament.started_at_ms, tournament.ended_at_ms),
        "field": {
            bot: (each.absent_left_ms, each.withdrawn, each.benched, each.faulty_in_a_row, each.by_code, each.display)
            for bot, each in tournament.field.items()
        },
        "standings": [standing.model_dump(exclude_unset=True) for standing in tournament.standings.lines()],
        "meetings": {
            both: tournament.standings.tally.between(*both) for both in combinations(sorted(tournament.field), 2)
        },
        "running": dict(tournament.running),
        "results": list(tournament.results.values()),
        "voided": list(tournament.voided),
        "numbers": agenda and agenda.bots,
        "next_attempts": {match: slot.attempt for match, slot in pulled.items() if slot.attempt > 1},
    }


class Leader:
    """Leader of a tournament whose bots are connected as the test says. A bot plays a match at a time."""

    def __init__(self, *bots: str, **config: Any) -> None:
        created = TournamentCreated(
            "friday", TournamentConfig(**{"name": "Friday", "game": "tictactoe"} | config), START_MS
        )
        self.now_ms = START_MS
        self.tournament = Tournament(created)
        self.facts: list[LogFact] = []
        self.dumps: list[dict[str, Any]] = []
        """States after each fact."""
        self.there: set[str] = set()
        self.record(created)
        for bot in bots:
            self.join(bot)

    @classmethod
    def started(cls, *bots: str, **config: Any) -> "Leader":
        """Return the leader of a started tournament, with connected bots numbered in this order."""
        leader = cls(*bots, **config)
        leader.record(commands.start(leader.tournament, leader.now_ms, bots))
        return leader

    def record(self, *facts: TournamentFact | None) -> None:
        for fact in facts:
            if fact is not None:
                self.facts.append(fact)
                self.tournament.apply(fact)
                self.dumps.append(dump(self.tournament))

    def join(self, bot: str, invite: str | None = None) -> None:
        self.record(commands.join(self.tournament, bot, self.now_ms, invite))
        self.there.add(bot)

    def start(self) -> None:
        self.record(commands.start(self.tournament, self.now_ms))

    def pause(self) -> None:
        self.record(*commands.pause(self.tournament, "lunch", self.now_ms))

    def resume(self) -> None:
        self.record(commands.resume(self.tournament, self.now_ms))

    def pass_ms(self, ms: int) -> None:
        """Let time pass; used-up absent budgets are settled at their times."""
        until_ms = self.now_ms + ms
        while (wake_at_ms := self.tournament.wake_at_ms) is not None and wake_at_ms <= until_ms:
            self.now_ms = max(self.now_ms, wake_at_ms)
            expired = self.tournament.absence.expired_budgets(self.now_ms)
            assert expired, "woken for nothing"
            self.record(*expired)
        self.now_ms = until_ms

    def go(self, *bots: str) -> None:
        """End the bots' connections."""
        for bot in bots:
            self.there.discard(bot)
            self.tournament.on_disconnected(bot, self.now_ms)

    def come(self, *bots: str) -> None:
        """Connect the bots again."""
        for bot in bots:
            self.there.add(bot)
            self.record(self.tournament.on_connected(bot, self.now_ms))

    def due(self) -> list[MatchStarted | MatchOver]:
        """Return the matches that start or are lost now."""
        found = []
        free = self._free()
        for fact in self.tournament.due(free, self.now_ms):
            self.record(fact)
            free &= self._free()
            if not isinstance(fact, RoundPaired | TablesSeated):
                found.append(fact)
        return found

    def due_ids(self) -> list[str]:
        """Return the ids, without the tournament's, of the matches that start or are lost now."""
        return [fact.match.removeprefix("friday.") for fact in self.due()]

    def finish(
        self,
        match: str,
        scores: tuple[float, ...] | None = (1.0, 0.0),
        termination: Termination = Termination.NORMAL,
        at_fault: tuple[int, ...] = (),
    ) -> None:
        """End a running match."""
        started = self.tournament.running[f"friday.{match.removeprefix('friday.')}"]
        self.record(
            MatchOver(
                match=started.match,
                attempt=started.attempt,
                seats=started.seats,
                scores=scores,
                termination=Termination.ABORTED if scores is None else termination,
                reason="",
                at_fault=at_fault,
                moves=(),
                at_ms=self.now_ms,
                absent=started.absent,
            )
        )

    def play_out(self) -> list[str]:
        """Play until no match can be played; return the ids in order of starting."""
        ids = []
        while found := self.due():
            for fact in found:
                ids.append(fact.match.removeprefix("friday."))
                if isinstance(fact, MatchStarted):
                    self.finish(fact.match)
        return ids

    def _free(self) -> set[str]:
        return self.there - {bot for started in self.tournament.running.values() for bot in started.seats}


def no_shows(leader: Leader) -> list[tuple[str, tuple[float, ...] | None, tuple[int, ...]]]:
    found = leader.due()
    for over in found:
        assert isinstance(over, MatchOver)
        assert over.termination is Termination.NO_SHOW
    return [(over.match, over.scores, over.at_fault) for over in found if isinstance(over, MatchOver)]
