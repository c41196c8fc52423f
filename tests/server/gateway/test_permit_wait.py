"""A peer's wait for a permit, without sockets."""

import asyncio
from functools import partial
from types import SimpleNamespace
from typing import Any, cast
from weakref import ref

import pytest
from rumble_server.gateway import peer
from rumble_server.gateway.peer import Peer
from rumble_server.limits import permits
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.permits import Permits
from rumble_server.limits.refusals import Refusals
from rumble_server.limits.source import Sources

from tests.server.gateway.transport import Transport

ADDRESS = "203.0.113.7"


class Newcomer:
    """A connection that acquires a permit. `heard` has the calls during the wait."""

    def __init__(self, shared: Any) -> None:
        self.heard: list[str] = []
        self._done = asyncio.Event()
        self.transport = Transport()
        self.peer = Peer(shared, cast(Any, self.transport), ADDRESS)

    def acquire(self) -> None:
        self.peer.acquire_permit(partial(self._note, "granted"), partial(self._note, "refused"))

    async def over(self) -> None:
        """Wait until the permit is granted or refused."""
        async with asyncio.timeout(5):
            await self._done.wait()

    def lose(self) -> None:
        self.transport.is_closed = True
        if not self.peer.is_waiting:
            self.peer.release()

    def _note(self, heard: str) -> None:
        assert not self.peer.is_waiting
        self.heard.append(heard)
        self._done.set()


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The parts of a server with one permit for strangers, and room for two that wait 10 ms."""
    monkeypatch.setattr(peer, "PERMIT_WAIT_MS", 10)
    bounds = Bounds(strangers_per_address=1, connections_per_address=1, invited_connections_per_address=1)
    clock = SimpleNamespace(ms=0)
    clock.now_ms = lambda: clock.ms
    return SimpleNamespace(permits=Permits(bounds), refusals=Refusals(), sources=Sources([]), clock=clock)


def acquiring(shared: Any, count: int) -> list[Newcomer]:
    """Return connections that acquire permits, in this order."""
    newcomers = [Newcomer(shared) for _ in range(count)]
    for newcomer in newcomers:
        newcomer.acquire()
    return newcomers


async def test_a_free_permit_is_granted_at_once(shared: Any) -> None:
    (newcomer,) = acquiring(shared, 1)
    assert (newcomer.heard, newcomer.transport.is_paused) == (["granted"], False)


async def test_waiting_connection_gets_the_next_permit_in_a_callback_of_its_own(shared: Any) -> None:
    first, second = acquiring(shared, 2)
    assert (second.heard, second.transport.is_paused, second.peer.is_waiting) == ([], True, True)
    first.lose()
    assert second.heard == []
    await second.over()
    assert second.heard == ["granted"]
    assert shared.permits.counts == {("stranger", ADDRESS): 1}
    assert shared.refusals.counts == {}


async def test_a_connection_that_has_waited_its_time_is_refused(shared: Any) -> None:
    first, second = acquiring(shared, 2)
    await second.over()
    assert (first.heard, second.heard) == (["granted"], ["refused"])
    assert shared.refusals.counts == {"strangers": 1}
    assert not shared.permits.waiting


async def test_an_old_stranger_gives_way_to_a_connection_that_has_waited_its_time(shared: Any) -> None:
    first, second = acquiring(shared, 2)
    shared.clock.ms = permits.PERMIT_WAIT_MS
    await second.over()
    assert first.transport.is_aborted
    assert (first.heard, second.heard) == (["granted"], ["granted"])
    (third,) = acquiring(shared, 1)
    assert second.heard == ["granted"], "its time as a stranger began with its permit"
    third.peer.release()


async def test_when_too_many_wait_the_next_is_refused_at_once(shared: Any) -> None:
    newcomers = acquiring(shared, 4)
    assert [newcomer.heard for newcomer in newcomers] == [["granted"], [], [], ["refused"]]
    assert shared.refusals.counts == {"strangers": 1}
    for newcomer in newcomers:
        newcomer.peer.release()


async def test_a_connection_that_is_lost_while_it_waits_takes_no_permit(shared: Any) -> None:
    first, lost = acquiring(shared, 2)
    lost.peer.release()
    late, last = acquiring(shared, 2)
    late.lose()
    first.lose()
    await last.over()
    assert (lost.heard, late.heard, last.heard) == ([], [], ["granted"])
    assert shared.permits.counts == {("stranger", ADDRESS): 1}


async def test_a_connection_that_is_lost_is_not_refused_when_its_time_is_over(shared: Any) -> None:
    """Under load, the clean-up of a lost connection, which stops the wait, comes later than the loss."""
    first, lost = acquiring(shared, 2)
    lost.lose()
    (last,) = acquiring(shared, 1)
    await last.over()
    assert (first.heard, lost.heard, last.heard) == (["granted"], [], ["refused"])
    assert shared.refusals.counts == {"strangers": 1}
    lost.peer.release()
    assert not shared.permits.waiting


@pytest.mark.usefixtures("without_collector")
async def test_a_connection_whose_wait_was_stopped_is_freed_without_the_collector(shared: Any) -> None:
    _first, second = acquiring(shared, 2)
    second.peer.release()
    gone = ref(second)
    del second
    assert gone() is None
