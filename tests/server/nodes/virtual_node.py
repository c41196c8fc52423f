"""A process with a lease on virtual time, and its way to the database, which delays and loses statements."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from rumble_server.nodes.lease import Lease
from rumble_server.store.postgres.lease_statements import Statement

from tests.server.nodes.table import Table
from tests.server.run_clock import RunClock
from tests.server.virtual_clock import VirtualClock

LEASE_MS = 1000


@dataclass(frozen=True, slots=True)
class Weather:
    """Fate of statements and answers."""

    delay_ms: int = 2
    lost: float = 0.0
    """Chance that a statement or an answer is lost."""
    late: float = 0.0
    """Chance that a statement arrives only after the node has given up waiting."""
    patience_ms: int = 500
    """Time in ms that a node waits for an answer."""


class Way:
    """The way to the database."""

    def __init__(self, timeline: VirtualClock, weather: Weather, random: Random) -> None:
        self.timeline, self.weather, self.random = timeline, weather, random
        self.is_down = False

    def ask(
        self,
        statement: Callable[[], Any],
        answered: Callable[[Any], None],
        failed: Callable[[], None],
        is_cut: Callable[[], bool],
    ) -> None:
        """Run a statement; call `answered` or `failed` in the end. A statement that `failed` may have run."""
        waiting = [True]
        weather = self.weather
        there_ms, back_ms = self.random.randint(0, weather.delay_ms), self.random.randint(0, weather.delay_ms)
        if self._lot(weather.late):
            there_ms += self.random.randint(weather.patience_ms, 8 * weather.patience_ms)

        def execute() -> None:
            if self.is_down or (there_ms < weather.patience_ms and is_cut()) or self._lot(weather.lost):
                return
            answer = statement()
            if not self._lot(weather.lost) and not is_cut():
                self.timeline.call_in(back_ms, lambda: end(lambda: answered(answer)))

        def end(call: Callable[[], None]) -> None:
            if waiting.pop() if waiting else False:
                call()

        self.timeline.call_in(there_ms, execute)
        self.timeline.call_in(weather.patience_ms, lambda: end(failed))

    def _lot(self, chance: float) -> bool:
        return chance > 0 and self.random.random() < chance


class VirtualNode:
    """A process with a lease. Its clock may run fast or slow. A subclass is the port `LeaseCommands`."""

    def __init__(self, name: str, table: Table, way: Way, rate: float, skew_ms: int = 0) -> None:
        self.name, self.table, self.way = name, table, way
        self.process = RunClock(way.timeline)
        self.cut_until_ms = 0
        self._rate, self._skew_ms = rate, skew_ms
        self._wakes: set[int] = set()
        """Times in ms at which the lease will be woken."""
        self.lease = Lease(name, LEASE_MS, self.run, self, self.now_ms())  # type: ignore[arg-type]
        self.act(lambda now_ms: self.lease.wake(now_ms))

    def now_ms(self) -> int:
        return int(self.way.timeline.now_ms() * self._rate) + self._skew_ms

    @property
    def is_up(self) -> bool:
        return not self.process.stopped

    def holds(self) -> bool:
        return self.is_up and self.lease.is_valid(self.now_ms())

    def is_cut(self) -> bool:
        return self.way.timeline.now_ms() < self.cut_until_ms

    def act(self, call: Callable[[int], object]) -> None:
        """Call `call` with the time in ms when the process gets to it, and schedule the next wake of the lease."""

        def done() -> None:
            call(self.now_ms())
            wait_ms = max(1, int((self.lease.wake_at_ms - self.now_ms()) / self._rate) + 1)
            at_ms = self.process.now_ms() + wait_ms
            if at_ms not in self._wakes:
                self._wakes.add(at_ms)
                self.process.call_at(at_ms, lambda: wake(at_ms))

        def wake(at_ms: int) -> None:
            self._wakes.discard(at_ms)
            if self.lease.wake_at_ms <= self.now_ms():
                self.act(self.lease.wake)

        self.process.enter(done)

    def run(self, statement: Statement) -> None:
        self.way.ask(
            lambda: self.table.run(self.name, statement),
            lambda answer: self.act(partial(self.lease.on_answer, answer)),
            lambda: self.act(self.lease.on_failure),
            self.is_cut,
        )

    def request_leader(self, club: str) -> None:
        """Ask for a club to be led."""
        self.act(partial(self.lease.request_leader, club))

    def cut(self, ms: int) -> None:
        self.cut_until_ms = max(self.cut_until_ms, self.way.timeline.now_ms() + ms)

    def stall(self, ms: int) -> None:
        self.process.stall(ms)

    def die(self) -> None:
        self.process.stopped = True
