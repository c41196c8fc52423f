"""Clubs that a node hands over, to nodes that read, that fail, and that answer nothing."""

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rumble_server.cluster import handing_over
from rumble_server.cluster.handing_over import ALIVE, HandingOver
from rumble_server.store.lease_statements import NodeRow
from rumble_server.web.errors import WebError

ROWS = {each: NodeRow(each, f"http://{each}") for each in "ab"}
NEVER_S = 3600.0


class Nodes:
    """The nodes that are given clubs. They answer at once, but for those that are `reading` or `silent`."""

    def __init__(self, *, silent: str = "", reading: str = "") -> None:
        self.silent, self.reading = set(silent), set(reading)
        self.asked: list[str] = []
        self.error: Exception | None = None
        self.read = asyncio.Event()
        self.given: list[tuple[str, str | None]] = []
        self.stopped: list[str] = []
        self.edges: dict[str, Any] = {}
        self.handing = HandingOver(self.ask)

    async def ask(self, address: str, path: str) -> None:
        node = address.removeprefix("http://")
        self.asked.append(f"{node}{path.removeprefix('/api/led')}")
        if node in self.silent:
            await asyncio.Event().wait()
        if path != ALIVE and node in self.reading:
            await self.read.wait()
        if self.error is not None:
            raise self.error

    def give(self, club: str, takers: Sequence[str]) -> "asyncio.Task[None]":
        """Begin to hand a club over."""
        edge = self.edges.setdefault(club, SimpleNamespace(is_leaderless=False))

        async def stop() -> None:
            self.stopped.append(club)

        async def give() -> None:
            to = await self.handing.hand_over(club, [ROWS[each] for each in takers], cast(Any, edge), stop)
            self.given.append((club, to))

        return asyncio.create_task(give())


async def some_turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_club_is_stopped_when_the_one_before_is_led_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handing_over, "LED_S", NEVER_S)
    nodes, clubs = Nodes(), ("one", "two", "three")
    for each in clubs:
        nodes.edges[each] = SimpleNamespace(is_leaderless=True)
    handing = [nodes.give(each, "b") for each in clubs]
    await handing[0]
    await some_turns()
    assert nodes.stopped == ["one"]
    assert nodes.asked == ["b/one", "b/two", "b/three"], "the next are read meanwhile"
    nodes.edges["one"].is_leaderless = False
    await handing[1]
    assert nodes.stopped == ["one", "two"]
    nodes.edges["two"].is_leaderless = False
    await handing[2]


async def test_a_club_that_nobody_comes_to_lead_holds_the_others_up_for_a_while_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(handing_over, "LED_S", 0.02)
    nodes = Nodes()
    nodes.edges["one"] = SimpleNamespace(is_leaderless=True)
    async with asyncio.timeout(10):
        await nodes.give("one", "b")
        await nodes.give("two", "b")


async def test_a_club_is_stopped_when_its_next_node_has_read_it() -> None:
    nodes = Nodes(reading="b")
    handing = [nodes.give(f"c{number}", "b") for number in range(5)]
    await some_turns()
    assert (len(nodes.asked), nodes.stopped) == (handing_over.AT_ONCE, []), "few at a time"
    nodes.read.set()
    await asyncio.gather(*handing)
    assert nodes.given == [(f"c{number}", "b") for number in range(5)]


@pytest.mark.parametrize("error", [ConnectionError(), WebError.unavailable("no"), TimeoutError()])
async def test_a_club_is_stopped_also_if_its_next_node_cannot_be_asked(error: Exception) -> None:
    nodes = Nodes()
    nodes.error = error
    await nodes.give("one", "b")
    await nodes.give("two", "")
    assert nodes.given == [("one", "b"), ("two", None)]


async def test_a_node_that_reads_for_long_and_is_there_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handing_over, "SIGN_S", 0.01)
    nodes = Nodes(reading="a")
    handing = nodes.give("one", "ab")
    async with asyncio.timeout(10):
        while nodes.asked.count(f"a{ALIVE}") < 3:  # noqa: ASYNC110  # it is in the hands of the clock
            await asyncio.sleep(0)
    assert nodes.stopped == []
    nodes.read.set()
    await handing
    assert nodes.given == [("one", "a")]


async def test_a_node_that_reads_for_too_long_is_given_the_club_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handing_over, "READ_S", 0.02)
    nodes = Nodes(reading="a")
    await nodes.give("one", "ab")
    nodes.read.set()
    await nodes.give("two", "ab")
    assert nodes.given == [("one", "a"), ("two", "a")]
    assert nodes.asked == ["a/one", "a/two"]


async def test_a_node_that_answers_nothing_holds_no_club_of_another_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handing_over, "SIGN_S", NEVER_S)
    nodes = Nodes(silent="a")
    waiting = [nodes.give(f"a{number}", "a") for number in range(3)]
    async with asyncio.timeout(10):
        await asyncio.gather(*(nodes.give(f"b{number}", "b") for number in range(3)))
    assert nodes.given == [(f"b{number}", "b") for number in range(3)]
    for each in waiting:
        each.cancel()


@pytest.mark.parametrize(("takers", "to"), [("ab", "b"), ("a", "a")])
async def test_the_clubs_of_a_node_that_answers_nothing_go_to_another_if_there_is_one(
    takers: str, to: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handing_over, "SIGN_S", 0.01)
    monkeypatch.setattr(handing_over, "LED_S", NEVER_S)
    nodes = Nodes(silent="a")
    for number in range(6):
        nodes.edges[f"c{number}"] = SimpleNamespace(is_leaderless=to == "a")  # nobody comes to lead it
    async with asyncio.timeout(10):
        await asyncio.gather(*(nodes.give(f"c{number}", takers) for number in range(6)))
    assert sorted(nodes.given) == [(f"c{number}", to) for number in range(6)]
    assert nodes.asked.count(f"a{ALIVE}") == handing_over.AT_ONCE, "it is asked no more"


async def test_a_node_that_answered_nothing_is_asked_again_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handing_over, "SIGN_S", 0.01)
    monkeypatch.setattr(handing_over, "SHUNNED_S", 0.0)
    nodes = Nodes(silent="a")
    await nodes.give("one", "ab")
    nodes.silent.clear()
    await nodes.give("two", "ab")
    assert nodes.given == [("one", "b"), ("two", "a")]
