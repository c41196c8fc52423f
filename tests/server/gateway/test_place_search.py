"""A connection's search for a place, without sockets."""

import asyncio
import gc
from functools import partial
from types import SimpleNamespace
from typing import Any, cast
from weakref import ref

import pytest
from rumble_server.gateway import place_search
from rumble_server.gateway.place_search import PlaceSearch
from rumble_server.limits import connections
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.connections import Connections, Place
from rumble_server.limits.refusals import Refusals

ADDRESS = "203.0.113.7"


class Transport:
    """A transport that notes whether it is paused and closed."""

    def __init__(self) -> None:
        self.is_paused = self.is_closed = False

    def pause_reading(self) -> None:
        self.is_paused = True

    def is_closing(self) -> bool:
        return self.is_closed


class Seeker:
    """A connection that looks for a place. `heard` has the calls of the search."""

    def __init__(self, entrance: Any) -> None:
        self.heard: list[str] = []
        self.place: Place | None = None
        self._done = asyncio.Event()
        self.transport = Transport()
        self.search = PlaceSearch(entrance, cast(Any, self.transport))

    def seek(self) -> None:
        self.search.seek(ADDRESS, self._end, self._found, partial(self._note, "refused"))

    async def over(self) -> None:
        """Wait until the search is over."""
        async with asyncio.timeout(5):
            await self._done.wait()

    def lose(self) -> None:
        self.transport.is_closed = True
        if self.place is not None:
            self.place.close()

    def _end(self) -> None:
        self.heard.append("end")
        self.lose()

    def _found(self, place: Place) -> None:
        self.place = place
        self._note("found")

    def _note(self, heard: str) -> None:
        assert not self.search.is_waiting
        self.heard.append(heard)
        self._done.set()


@pytest.fixture
def entrance(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The entrance of a server with one place for strangers, and room for two that wait 10 ms."""
    monkeypatch.setattr(place_search, "WAIT_MS", 10)
    bounds = Bounds(strangers_per_address=1, connections_per_address=1, invited_connections_per_address=1)
    clock = SimpleNamespace(ms=0)
    clock.now_ms = lambda: clock.ms
    return SimpleNamespace(places=Connections(bounds), refusals=Refusals(), clock=clock)


async def test_a_free_place_is_found_at_once(entrance: Any) -> None:
    seeker = Seeker(entrance)
    seeker.seek()
    assert (seeker.heard, seeker.transport.is_paused) == (["found"], False)


async def test_who_waits_gets_the_next_place_but_in_no_callback_of_another_connection(entrance: Any) -> None:
    first, second = Seeker(entrance), Seeker(entrance)
    first.seek()
    second.seek()
    assert (second.heard, second.transport.is_paused, second.search.is_waiting) == ([], True, True)
    first.lose()
    assert second.heard == []
    await second.over()
    assert second.heard == ["found"]
    assert entrance.places.counts == {("stranger", ADDRESS): 1}
    assert entrance.refusals.counts == {}


async def test_who_has_waited_its_time_is_refused(entrance: Any) -> None:
    first, second = Seeker(entrance), Seeker(entrance)
    first.seek()
    second.seek()
    await second.over()
    assert (first.heard, second.heard) == (["found"], ["refused"])
    assert entrance.refusals.counts == {"strangers": 1}
    assert not entrance.places.waiting


async def test_an_old_stranger_gives_way_to_who_has_waited_its_time(entrance: Any) -> None:
    first, second, third = (Seeker(entrance) for _ in range(3))
    first.seek()
    second.seek()
    entrance.clock.ms = connections.WAIT_MS
    await second.over()
    assert (first.heard, second.heard) == (["found", "end"], ["found"])
    third.seek()
    assert second.heard == ["found"], "its time as a stranger began with its place"
    third.search.stop()


async def test_when_too_many_wait_the_next_is_refused_at_once(entrance: Any) -> None:
    seekers = [Seeker(entrance) for _ in range(4)]
    for seeker in seekers:
        seeker.seek()
    assert [seeker.heard for seeker in seekers] == [["found"], [], [], ["refused"]]
    assert entrance.refusals.counts == {"strangers": 1}
    for seeker in seekers:
        seeker.search.stop()


async def test_a_connection_that_is_lost_while_it_waits_takes_no_place(entrance: Any) -> None:
    first, lost, late, last = (Seeker(entrance) for _ in range(4))
    first.seek()
    lost.seek()
    lost.search.stop()
    late.seek()
    last.seek()
    late.lose()
    first.lose()
    await last.over()
    assert (lost.heard, late.heard, last.heard) == ([], [], ["found"])
    assert entrance.places.counts == {("stranger", ADDRESS): 1}


async def test_a_connection_whose_wait_was_stopped_is_freed_without_the_collector(entrance: Any) -> None:
    gc.collect()
    gc.disable()
    try:
        first, second = Seeker(entrance), Seeker(entrance)
        first.seek()
        second.seek()
        second.search.stop()
        gone = ref(second)
        del second
        assert gone() is None
    finally:
        gc.enable()
