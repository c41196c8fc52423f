"""A connection's wait for a permit, without sockets."""

import asyncio
from functools import partial
from types import SimpleNamespace
from typing import Any, cast
from weakref import ref

import pytest
from rumble_server.gateway import permit_wait
from rumble_server.gateway.permit_wait import PermitWait
from rumble_server.limits import permits
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.permits import Permit, Permits
from rumble_server.limits.refusals import Refusals

from tests.server.gateway.transport import Transport

ADDRESS = "203.0.113.7"


class Newcomer:
    """A connection that acquires a permit. `heard` has the calls during the wait."""

    def __init__(self, entrance: Any) -> None:
        self.heard: list[str] = []
        self.permit: Permit | None = None
        self._done = asyncio.Event()
        self.transport = Transport()
        self.wait = PermitWait(entrance, cast(Any, self.transport))

    def acquire(self) -> None:
        self.wait.acquire(ADDRESS, self._end, self._granted, partial(self._note, "refused"))

    async def over(self) -> None:
        """Wait until the permit is granted or refused."""
        async with asyncio.timeout(5):
            await self._done.wait()

    def lose(self) -> None:
        self.transport.is_closed = True
        if self.permit is not None:
            self.permit.release()

    def _end(self) -> None:
        self.heard.append("end")
        self.lose()

    def _granted(self, permit: Permit) -> None:
        self.permit = permit
        self._note("granted")

    def _note(self, heard: str) -> None:
        assert not self.wait.is_waiting
        self.heard.append(heard)
        self._done.set()


@pytest.fixture
def entrance(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The entrance of a server with one permit for strangers, and room for two that wait 10 ms."""
    monkeypatch.setattr(permit_wait, "WAIT_MS", 10)
    bounds = Bounds(strangers_per_address=1, connections_per_address=1, invited_connections_per_address=1)
    clock = SimpleNamespace(ms=0)
    clock.now_ms = lambda: clock.ms
    return SimpleNamespace(permits=Permits(bounds), refusals=Refusals(), clock=clock)


def acquiring(entrance: Any, count: int) -> list[Newcomer]:
    """Return connections that acquire permits, in this order."""
    newcomers = [Newcomer(entrance) for _ in range(count)]
    for newcomer in newcomers:
        newcomer.acquire()
    return newcomers


async def test_a_free_permit_is_granted_at_once(entrance: Any) -> None:
    (newcomer,) = acquiring(entrance, 1)
    assert (newcomer.heard, newcomer.transport.is_paused) == (["granted"], False)


async def test_waiting_connection_gets_the_next_permit_in_a_callback_of_its_own(entrance: Any) -> None:
    first, second = acquiring(entrance, 2)
    assert (second.heard, second.transport.is_paused, second.wait.is_waiting) == ([], True, True)
    first.lose()
    assert second.heard == []
    await second.over()
    assert second.heard == ["granted"]
    assert entrance.permits.counts == {("stranger", ADDRESS): 1}
    assert entrance.refusals.counts == {}


async def test_who_has_waited_its_time_is_refused(entrance: Any) -> None:
    first, second = acquiring(entrance, 2)
    await second.over()
    assert (first.heard, second.heard) == (["granted"], ["refused"])
    assert entrance.refusals.counts == {"strangers": 1}
    assert not entrance.permits.waiting


async def test_an_old_stranger_gives_way_to_who_has_waited_its_time(entrance: Any) -> None:
    first, second = acquiring(entrance, 2)
    entrance.clock.ms = permits.WAIT_MS
    await second.over()
    assert (first.heard, second.heard) == (["granted", "end"], ["granted"])
    (third,) = acquiring(entrance, 1)
    assert second.heard == ["granted"], "its time as a stranger began with its permit"
    third.wait.stop()


async def test_when_too_many_wait_the_next_is_refused_at_once(entrance: Any) -> None:
    newcomers = acquiring(entrance, 4)
    assert [newcomer.heard for newcomer in newcomers] == [["granted"], [], [], ["refused"]]
    assert entrance.refusals.counts == {"strangers": 1}
    for newcomer in newcomers:
        newcomer.wait.stop()


async def test_a_connection_that_is_lost_while_it_waits_takes_no_permit(entrance: Any) -> None:
    first, lost = acquiring(entrance, 2)
    lost.wait.stop()
    late, last = acquiring(entrance, 2)
    late.lose()
    first.lose()
    await last.over()
    assert (lost.heard, late.heard, last.heard) == ([], [], ["granted"])
    assert entrance.permits.counts == {("stranger", ADDRESS): 1}


async def test_a_connection_that_is_lost_is_not_refused_when_its_time_is_over(entrance: Any) -> None:
    """Under load, the clean-up of a lost connection, which stops the wait, comes later than the loss."""
    first, lost = acquiring(entrance, 2)
    lost.lose()
    (last,) = acquiring(entrance, 1)
    await last.over()
    assert (first.heard, lost.heard, last.heard) == (["granted"], [], ["refused"])
    assert entrance.refusals.counts == {"strangers": 1}
    lost.wait.stop()
    assert not entrance.permits.waiting


@pytest.mark.usefixtures("without_collector")
async def test_a_connection_whose_wait_was_stopped_is_freed_without_the_collector(entrance: Any) -> None:
    _first, second = acquiring(entrance, 2)
    second.wait.stop()
    gone = ref(second)
    del second
    assert gone() is None
