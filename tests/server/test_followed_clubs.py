"""Which paths the database is enough for, while another node leads the club, and while it cannot be read."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rumble_server import followed_clubs
from rumble_server.arena.clubs import ClubDirectory
from rumble_server.bounds import Bounds
from rumble_server.cluster.feeds import Feeds
from rumble_server.followed_clubs import FollowedClubs
from rumble_server.limits.door import Door
from rumble_server.store.errors import StoreError
from rumble_server.tournament.facts import NameUsed
from rumble_server.web.needs import needs_of

from tests.server.world import VirtualClock


class Database:
    """A database without facts about clubs, in which one tournament is over."""

    def __init__(self, thread: ThreadPoolExecutor) -> None:
        self.is_there, self.asked = True, 0
        self.clock = VirtualClock()
        shared: Any = SimpleNamespace(
            clock=self.clock,
            door=Door(),
            directory=ClubDirectory(),
            config=SimpleNamespace(bounds=Bounds()),
            process=None,
            store=SimpleNamespace(archive=lambda _: self),
        )
        feeds = Feeds(cast(Any, None), self.clock)
        self.facts: list[tuple[int, object]] = []
        self.news: list[tuple[str, list[Any]]] = []
        self.clubs = FollowedClubs(
            shared, feeds, (), thread, lambda: cast(Any, self), lambda name, news: self.news.append((name, list(news)))
        )

    def of(self, _club: str) -> "Database":
        return self

    def newest(self) -> int:
        self._ask()
        return 7

    def server_facts_after(self, number: int) -> list[Any]:
        return [each for each in self.facts if each[0] > number]

    async def is_filed(self, tournament_id: str) -> bool:
        self._ask()
        return tournament_id == "over"

    def _ask(self) -> None:
        self.asked += 1
        if not self.is_there:
            raise StoreError("the database is gone")

    async def tells(self, path: str) -> bool:
        """Whether it is enough for a path, at another time than before."""
        self.clock.advance(10_000)
        needs = needs_of({"method": "GET", "query_string": b""}, path)
        return await self.clubs.good_for("school", needs) is not None


@pytest.fixture
def database() -> Iterator[Database]:
    with ThreadPoolExecutor(1) as thread:
        made = Database(thread)
        yield made
        made.clubs.close()


async def test_the_database_is_enough_for_what_is_over_and_for_what_needs_nothing(database: Database) -> None:
    over = ("/tournaments/over", "/api/tournaments/over/exports/csv", "/matches/over.1.1.1.1", "/metrics", "/docs")
    assert [path for path in over if not await database.tells(path)] == []
    assert await database.tells("/api/tournaments/live/events"), "a feed is passed on"
    live = ("/", "/tournaments", "/tournaments/live", "/api/matches/live.1.1.1.1")
    assert [path for path in live if await database.tells(path)] == []


async def test_while_the_database_cannot_be_read_what_is_known_to_be_over_is_shown(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followed_clubs, "BLIND_S", 3600.0)
    assert await database.tells("/tournaments/over")
    database.is_there = False
    assert await database.tells("/tournaments/over")
    assert not await database.tells("/tournaments/live")
    asked = database.asked
    assert await database.tells("/tournaments/over")
    assert not await database.tells("/tournaments/live")
    assert database.asked == asked, "it is not asked again so soon"


async def test_news_that_a_visitor_s_request_has_read_are_passed_on(database: Database) -> None:
    fact = (3, NameUsed("ann", None, None, 0))
    database.facts = [fact]
    for _ in range(2):
        assert await database.tells("/tournaments/over")
    assert database.news == [("school", [fact]), ("school", [])]


async def test_a_club_is_followed_anew_after_it_was_forgotten(database: Database) -> None:
    assert await database.tells("/tournaments/over")
    first = await database.clubs.of("school")
    assert await database.clubs.of("school") is first
    database.clubs.forget("school")
    assert await database.clubs.of("school") is not first
    assert database.clubs.count_readers() == 0
