"""A club that another node leads, as the database tells it: a database of facts that the test writes."""

from types import SimpleNamespace
from typing import Any

import pytest
from rumble_server.arena.clubs import ClubDirectory
from rumble_server.arena.names import digest_of
from rumble_server.bounds import Bounds
from rumble_server.followed_club import CAUGHT_UP_MS, MOST_LIVE, FollowedClub, ReadLog
from rumble_server.limits.door import Door
from rumble_server.tournament.facts import BanLifted, Banned, HostTokenRemoved, HostTokenSet, LogFact, NameUsed

from tests.server.world import VirtualClock


class Database:
    """The facts about a club, and which of its tournaments have a record."""

    def __init__(self) -> None:
        self.facts: list[LogFact] = []
        self.over: set[str] = set()
        self.asked: list[str] = []
        self.clock = VirtualClock()
        shared: Any = SimpleNamespace(
            clock=self.clock,
            door=Door(),
            directory=ClubDirectory(),
            config=SimpleNamespace(bounds=Bounds()),
            process=None,
        )
        archive: Any = self
        self.club = FollowedClub("school", shared, archive, None, self.read)  # type: ignore[arg-type]
        self.arena = self.club.site.arena

    async def read(self, number: int) -> Any:
        numbered = list(enumerate(self.facts, 1))
        return numbered[max(0, number - 1) :], len(self.facts) + 7  # other facts follow; the last one is told twice

    async def is_filed(self, tournament_id: str) -> bool:
        self.asked.append(tournament_id)
        return tournament_id in self.over


async def test_names_hosts_and_bans_are_those_of_the_log() -> None:
    database = Database()
    database.facts = [
        NameUsed("ada", "00", digest_of("key", "00"), 0),
        HostTokenSet("desk", "00", digest_of("a-host-token", "00"), 0),
        Banned("192.0.2.0/24", False, None, "noise", 0),
    ]
    assert len(await database.club.catch_up()) == 3
    arena, now_ms = database.arena, database.clock.now_ms()
    assert arena.names.owns("ada", "key")
    assert arena.host_tokens.holder("a-host-token") == "desk"
    assert arena.door.bans.of_address("192.0.2.9", now_ms) is not None
    assert (arena.log.durable, arena.log.last) == (10, 10)
    database.facts += [HostTokenRemoved("desk", 0), BanLifted("192.0.2.0/24", False, 0)]
    assert [number for number, _ in await database.club.catch_up()] == [4, 5], "each is taken up once"
    assert arena.host_tokens.holder("a-host-token") is None
    assert arena.door.bans.of_address("192.0.2.9", now_ms) is None


async def test_what_was_read_is_good_for_a_second() -> None:
    database = Database()
    await database.club.catch_up()
    assert database.club.is_caught_up
    database.clock.advance(CAUGHT_UP_MS)
    assert not database.club.is_caught_up


async def test_what_is_over_stays_so_and_what_is_not_is_looked_for_again() -> None:
    database = Database()
    club = database.club
    assert [await club.is_over("friday") for _ in range(3)] == [False] * 3
    assert not club.knows_over("friday")
    database.over.add("friday")
    database.clock.advance(CAUGHT_UP_MS)
    assert [await club.is_over("friday") for _ in range(3)] == [True] * 3
    assert club.knows_over("friday")
    assert database.arena.lifecycle.is_archived("friday")
    assert database.asked == ["friday", "friday"]


async def test_what_is_not_there_is_forgotten_beyond_a_bound() -> None:
    database = Database()
    for number in range(3 * MOST_LIVE):
        await database.club.is_over(f"cup-{number}")
    assert len(database.club._live) <= MOST_LIVE


def test_only_the_leader_writes() -> None:
    with pytest.raises(RuntimeError, match="only the leader"):
        ReadLog().append(BanLifted("ada", True, 0))
    with pytest.raises(RuntimeError, match="only the leader"):
        ReadLog().file(SimpleNamespace(id="friday"))  # type: ignore[arg-type]
