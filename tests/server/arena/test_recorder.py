"""Recording: a fact is in the log before it is applied, and the outermost transaction settles, once."""

from typing import Any

import pytest
from rumble_server.arena.recorder import Recorder, transactional
from rumble_server.arena.state.clubs import ClubDirectory
from rumble_server.limits.bans import Bans
from rumble_server.tournament.club_facts import NameUsed
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import BotJoined, TournamentCreated

from tests.server.memory_log import MemoryLog
from tests.server.virtual_clock import VirtualClock
from tests.server.world import World

CREATED = TournamentCreated("friday", TournamentConfig(name="Friday", game="tictactoe"), 0)


class Recorded:
    """A recorder with a settling that is only counted."""

    def __init__(self) -> None:
        self.settled: list[set[str]] = []
        clock = VirtualClock()
        self.log = MemoryLog(clock)
        self.recorder = Recorder(self.log, clock, Bans(), ClubDirectory())
        self.recorder.transaction.settle = self._settle

    def _settle(self) -> None:
        self.settled.append(set(self.recorder.unsettled))
        self.recorder.unsettled.clear()


def test_a_fact_is_in_the_log_and_applied_to_its_machine() -> None:
    made = Recorded()
    for fact in (CREATED, BotJoined("friday", "ann", 1), NameUsed("ann", None, None, 2)):
        made.recorder.record(fact)
    assert made.log.facts == [CREATED, BotJoined("friday", "ann", 1), NameUsed("ann", None, None, 2)]
    tournament = made.recorder.tournaments["friday"]
    assert list(tournament.field) == ["ann"]
    assert made.recorder.names.get("Ann") is not None
    assert made.recorder.newest_number_of(tournament) == 2, "the name's fact is none of the tournament's"


def test_the_log_has_a_fact_before_any_machine_does() -> None:
    world = World()
    tournament = world.create(start_at_bots=2)
    seen: list[tuple[int, int]] = []
    append = world.log.append

    def watched(fact: Any) -> int:
        seen.append((world.log.last, len(tournament.field)))
        return append(fact)

    world.arena.recorder.append = watched
    world.arena.recorder.record(BotJoined("friday", "ann", 1))
    assert seen == [(1, 0)]
    assert list(tournament.field) == ["ann"]


def test_the_outermost_transaction_settles_once_also_after_an_error() -> None:
    made = Recorded()
    with made.recorder.transaction:
        with made.recorder.transaction:
            made.recorder.record(CREATED)
        assert made.settled == []
    assert (made.settled, made.log.last) == ([{"friday"}], 1)

    def fail() -> None:
        with made.recorder.transaction:
            made.recorder.record(BotJoined("friday", "ann", 1))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert made.settled == [{"friday"}] * 2
    with made.recorder.transaction:
        pass
    assert len(made.settled) == 2, "nothing has changed, so nothing is settled"


def test_a_command_is_a_transaction() -> None:
    world = World()

    class Commands:
        arena = world.arena

        @transactional
        def create_and_fail(self) -> None:
            """Record something, then fail."""
            self.arena.recorder.record(CREATED)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Commands().create_and_fail()
    assert world.arena.recorder.unsettled == {}
    assert Commands.create_and_fail.__doc__ == "Record something, then fail."


def test_a_tournament_is_forgotten_only_in_memory() -> None:
    made = Recorded()
    made.recorder.record(CREATED)
    tournament = made.recorder.tournaments["friday"]
    assert not made.recorder.is_durable(tournament)
    made.log.end_iteration()
    assert made.recorder.is_durable(tournament)
    made.recorder.forget(tournament)
    assert (list(made.recorder.tournaments), made.recorder.newest_number_of(tournament)) == ([], 0)
    assert made.log.facts == [CREATED]
