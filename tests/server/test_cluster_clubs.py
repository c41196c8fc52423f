"""The clubs of a node of several, with nodes and links in name only; `tests/e2e/test_three_nodes.py` has real ones."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rumble_server.bounds import Bounds
from rumble_server.clubs import Clubs
from rumble_server.cluster.edge import Edge
from rumble_server.gateway.loop_clock import LoopClock
from rumble_server.web.errors import WebError
from rumble_server.web.needs import LEADER, NOTHING

from tests.needs import need_module
from tests.server.gateway.served import until

need_module("psycopg", "postgres")
from rumble_server import cluster_clubs  # noqa: E402
from rumble_server.cluster_clubs import ClusterClubs  # noqa: E402


class Unled(ClusterClubs):
    """Clubs that nobody leads; counts the looks for a leader."""

    def __init__(self) -> None:
        clock = LoopClock(asyncio.get_running_loop(), 1.0)
        shared = SimpleNamespace(clock=clock, config=SimpleNamespace(bounds=Bounds()))
        super().__init__(cast(Any, shared), cast(Any, None), cast(Any, None), cast(Any, None))
        self.looks = 0

    async def _look(self) -> None:
        self.looks += 1


@pytest.fixture(autouse=True)
def gateways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_clubs, "make_gateway", lambda *_: None)


def led(edge: Edge) -> None:
    """Another node leads, and its link is up."""
    edge.lead_by(edge.epoch + 1)
    edge._stream.up(0)
    edge._stop_waiting()


async def test_who_leads_is_looked_for_at_once_when_a_leader_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_clubs, "LOOK_S", 3600.0)
    clubs = Unled()
    edge = clubs._door("main").edge
    led(edge)
    clubs._lacking.clear()
    following = asyncio.create_task(clubs._follow_leaders())
    await until(lambda: clubs.looks == 1)
    edge.down()
    await until(lambda: clubs.looks >= 2)
    following.cancel()


async def test_a_club_is_stopped_when_the_one_before_is_led_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_clubs, "LED_S", 3600.0)
    stopped: list[str] = []

    async def stop(_self: Clubs, name: str) -> None:
        stopped.append(name)

    monkeypatch.setattr(Clubs, "hand_over", stop)
    clubs = Unled()
    handing = [asyncio.create_task(clubs.hand_over(name)) for name in ("one", "two")]
    await handing[0]
    for _ in range(5):
        await asyncio.sleep(0)
    assert stopped == ["one"]
    led(clubs._door("one").edge)
    await handing[1]
    assert stopped == ["one", "two"]


async def test_a_club_that_nobody_comes_to_lead_holds_the_others_up_for_a_while_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster_clubs, "LED_S", 0.02)
    monkeypatch.setattr(Clubs, "hand_over", lambda *_: asyncio.sleep(0))
    clubs = Unled()
    async with asyncio.timeout(10):
        await clubs.hand_over("one")
        await clubs.hand_over("two")


async def test_a_leader_whose_lease_is_over_shows_only_what_needs_nothing() -> None:
    clubs, site = Unled(), cast(Any, object())
    clubs._door("main")
    clubs._clubs["main"] = cast(Any, SimpleNamespace(is_suspended=True, site=site))
    assert not await clubs.passing("main", NOTHING, {}, cast(Any, None), cast(Any, None))
    assert await clubs.site("main", NOTHING) is site
    with pytest.raises(WebError, match="cannot be reached"):
        await clubs.site("main", LEADER)


async def test_so_does_one_that_others_stand_by_for() -> None:
    site = cast(Any, object())

    class Alone(Clubs):
        async def load(self, name: str) -> Any:
            return SimpleNamespace(is_suspended=True, site=site)

    alone = Alone(cast(Any, SimpleNamespace(config=SimpleNamespace(bounds=Bounds()))))
    assert await alone.site("main", NOTHING) is site
    with pytest.raises(WebError, match="lost the database"):
        await alone.site("main", LEADER)
    alone.let_go()
