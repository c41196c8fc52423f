"""A simulation: a scenario's bots, host, network and disk around the real server core, on virtual time."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from unittest.mock import patch

from tests.server.virtual_clock import VirtualClock
from tests.simulation import spectator
from tests.simulation.bots import SimBot
from tests.simulation.disk import Disk
from tests.simulation.host import EACH_MS, Host
from tests.simulation.network import Network, Place
from tests.simulation.scenario import Scenario
from tests.simulation.server import ServerRun
from tests.simulation.trace import Trace

START_MS = 1_000_000
AFTER_MS = 15_000
"""Time in ms that the world goes on after the last tournament is over."""
LONGEST_MS = 4 * 60 * 60 * 1000
MOST_STEPS = 400_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """Result of a simulation: the rows of the log, and the trace of events seen from outside."""

    scenario: Scenario
    rows: list[str]
    trace: Trace
    ended: bool
    """True if all tournaments were over within the bounds."""


class World:
    """A scenario as it unfolds."""

    after_ms = AFTER_MS

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.timeline = VirtualClock(START_MS)
        self.trace = Trace()
        self.disk = Disk(scenario.disk, self._random("disk"))
        self.network = Network(self.timeline, scenario.network, self._random("network"), self.trace)
        self.host = Host(scenario.tournaments, self.timeline, self.trace, self._random("host"))
        self.run: ServerRun | None = None
        self._runs = 0
        self._fate = self._random("fate")
        self._calm = False
        self._bots = [
            SimBot(plan, worker, self.timeline, self.network, self._place, f"{scenario.seed} {plan.name}")
            for plan in scenario.bots
            for worker in plan.programs
        ]

    def _random(self, what: str) -> Random:
        return Random(f"{what} {self.scenario.seed}")

    def play(self) -> Evidence:
        """Run the scenario to its end."""
        seeds = self._random("seeds")
        with patch("rumble_server.tournament.terms.token_hex", lambda size: seeds.randbytes(size).hex()):
            return self._play()

    def _play(self) -> Evidence:
        self._start()
        for bot in self._bots:
            self.timeline.call_in(self._fate.randint(0, 2000), bot.connect)
        self._look()
        for each_ms, trouble in self._strikes():
            if each_ms is not None:
                self._each(each_ms, trouble)
        self.timeline.call_in(self.scenario.calm_at_ms, self._calm_down)
        ended = self._run_until_over()
        return Evidence(self.scenario, self.disk.rows(), self.trace, ended)

    def _strikes(self) -> tuple[tuple[int | None, Callable[[], None]], ...]:
        """Troubles of the server, with the average time in ms between two of a kind."""
        return (
            (self.scenario.kill_each_ms, self._kill),
            (self.scenario.drain_each_ms, self._drain),
            (self.scenario.stall_each_ms, self._stall),
            (self.scenario.full_each_ms, self._fill),
        )

    def _run_until_over(self) -> bool:
        timeline = self.timeline
        until_ms: int | None = None
        for step in range(MOST_STEPS):
            if not timeline.step(until_ms or START_MS + LONGEST_MS):
                if until_ms is None or self._is_over():
                    break
                until_ms = None
            elif until_ms is None and step % 32 == 0 and self._is_over():
                self._calm_down()
                until_ms = timeline.now_ms() + self.after_ms
        return until_ms is not None

    def _is_over(self) -> bool:
        reader = self.disk.reader
        over = set(reader.tournament_ids(over=True))
        return all(plan.name in over for plan in self.scenario.tournaments) and not reader.tournament_ids(over=False)

    def _place(self) -> Place | None:
        """Return the run to which a bot connects."""
        return self.run

    # --- the server's fate ---

    def _start(self) -> None:
        if self.run is None or not self.run.is_up:
            self._runs += 1
            self.run = ServerRun(
                self._runs,
                self.timeline,
                self.disk,
                self._random(f"server {self._runs}"),
                self.trace,
                grace_ms=self.scenario.grace_ms,
                bounds=self.scenario.bounds,
            )

    def _look(self) -> None:
        """Have the host look at its tournaments, and restart a dead server after a while."""
        run = self.run
        if run is not None and run.is_up:
            run.clock.enter(lambda: self.host.look(run))
            run.clock.enter(lambda: spectator.look(run, self.trace, self.timeline.now_ms()))
        elif run is not None:
            self.run = None
            self.timeline.call_in(self._fate.randint(0, self.scenario.down_ms), self._start)
        self.timeline.call_in(EACH_MS, self._look)

    def _kill(self) -> None:
        if self.run is not None:
            self.run.kill()

    def _drain(self) -> None:
        run = self.run
        if run is not None and run.is_up and not run.arena.scheduler.is_draining:
            run.clock.enter(run.drain)

    def _stall(self) -> None:
        if self.run is not None and self.run.is_up and not self.run.clock.is_stalled:
            self.run.stall(self._fate.randint(1, self.scenario.stall_ms))

    def _fill(self) -> None:
        self.disk.full = True
        self.timeline.call_in(self._fate.randint(1, self.scenario.full_ms), self._empty)

    def _empty(self) -> None:
        self.disk.full = False

    def _calm_down(self) -> None:
        self._calm = self.network.calm = self.host.calm = True
        self.disk.full = False
        self.disk.weather = self.disk.weather.calm()

    # --- time ---

    def _each(self, each_ms: int, trouble: Callable[[], None]) -> None:
        def strike() -> None:
            if not self._calm:
                trouble()
                self._each(each_ms, trouble)

        self.timeline.call_in(int(self._fate.expovariate(1 / each_ms)) + 1, strike)


def simulate(scenario: Scenario) -> Evidence:
    """Run a scenario to its end."""
    return World(scenario).play()
