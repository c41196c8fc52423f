"""Shortage of descriptors: a log line, and the end of idle connections, never of players or pending answers."""

import contextlib
import logging
import subprocess
import sys
from dataclasses import dataclass

import pytest
from rumble_server.gateway.descriptors import Descriptors, Idleness
from rumble_server.limits.refusals import Refusals

from tests.server.gateway.served import served


@dataclass(eq=False)
class Held:
    """A connection."""

    idleness: Idleness | None
    opened_ms: int = 0
    address: str = "192.0.2.1"
    was_shed: bool = False

    def abort(self) -> None:
        self.was_shed = True


NEW = Held(Idleness.STRANGER, 99)


def shed_of(connections: list[Held], *, limit: int = 16, descriptor: int = 14) -> tuple[bool, list[Held]]:
    descriptors = Descriptors(limit, Refusals(), lambda: 0)
    admitted = descriptors.make_place(NEW, descriptor, [NEW, *connections])
    return admitted, [each for each in connections if each.was_shed]


def test_while_there_are_descriptors_nobody_is_shed() -> None:
    assert shed_of([Held(Idleness.STRANGER)], descriptor=13) == (True, [])


def test_connections_are_shed_by_idleness_and_age() -> None:
    playing, watching = Held(None), Held(Idleness.BETWEEN_REQUESTS)
    young, old, idle = Held(Idleness.STRANGER, 5), Held(Idleness.STRANGER, 1), Held(Idleness.PLAYS_NOTHING)
    left = [idle, playing, watching, young, old]
    order = []
    while True:
        admitted, shed = shed_of(left)
        if not admitted:
            break
        order += shed
        left = [each for each in left if not each.was_shed]
    assert order == [old, young, watching, idle]
    assert left == [playing]
    assert not NEW.was_shed


def test_shedding_is_logged_once_a_minute_and_each_shed_connection_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    times_ms = iter((0, 30_000, 59_999, 60_000, 61_000))
    refusals = Refusals()
    descriptors = Descriptors(16, refusals, lambda: next(times_ms))
    for _ in range(5):
        assert descriptors.make_place(NEW, 14, [Held(Idleness.STRANGER)])
    assert [record.message for record in caplog.records if record.levelno == logging.ERROR] == [
        "open files run out (limit 16): 1 idle connections are closed"
    ] * 2
    assert refusals.counts == {"descriptors": 5}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_the_limit_is_raised_as_far_as_it_may_be() -> None:
    program = (
        "import resource; from rumble_server.gateway.descriptors import raise_limit;"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 128)); print(raise_limit());"
        "print(*resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["128", "128", "128"]


@pytest.mark.e2e
async def test_an_idle_connection_is_ended_for_a_new_connection_and_playing_bots_go_on() -> None:
    async with served() as server, contextlib.AsyncExitStack() as stack:
        tournament = server.create(start_at_bots=2)
        bots = [await stack.enter_async_context(server.raw()) for _ in range(3)]
        for number, bot in enumerate(bots):
            await bot.log_in(f"bot{number}", **({"join": tournament} if number < 2 else {}))
        for bot in bots[:2]:
            await bot.hear("match_start")
        server.shared.descriptors.limit = 1
        first = await stack.enter_async_context(server.raw())
        await bots[2].ended()
        second = await stack.enter_async_context(server.raw())
        await first.ended()
        assert await second.upgrade() == 101
        assert [session.name for session in server.sessions] == ["bot0", "bot1", None]
        assert server.refusals.counts == {"descriptors": 2}
