"""The clock of the arena and the sessions: server time on an asyncio loop, and a measure of how late the loop is.

The time of a loop stands still while the machine sleeps, such as a laptop with a closed lid. After the sleep, server
time jumps forward.
"""

import asyncio
import logging
from collections.abc import Callable

from rumble_server.arena.ports import NEVER
from rumble_server.host.histogram import Histogram

log = logging.getLogger(__name__)

BEAT_MS, REST_MS = 10, 100
"""Intervals in ms between beats: `BEAT_MS` while lateness is measured, `REST_MS` while only metrics need beats."""
LATE_MS = 20
"""Time in ms without a beat of the clock, after which the loop counts as late. Lateness is counted from the last
reading of the clock."""
INPUT_MS = 1
"""Delay in ms of a timer that has to run after the next reading of sockets. libuv runs due timers before reading."""
SLEPT_MS = 5_000
"""Lead of the wall's time over server time in ms. With this lead or a greater one, the machine has slept. A slow drift
of the machine's clocks stays below."""


class LoopClock:
    """A clock of server time in ms, which never goes back.

    A new clock shows the wall's time. From then on, the clock follows the time of the loop, and jumps forward after a
    sleep of the machine. `wall_s` returns the wall's time in s.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, wall_s: Callable[[], float]) -> None:
        self._loop = loop
        self._wall_s = wall_s
        self._offset_s = wall_s() - loop.time()
        self.on_sleep: list[Callable[[int], None]] = []
        """Functions called after a sleep of the machine, with its length in ms."""
        self.suspended_until_ms = 0
        self.late_ms = 0
        """Total time in ms for which the loop was late, as far as measured. `now_ms` keeps the value up to date."""
        self._seen_at_ms = 0
        """Time in ms at which the clock was read last. Lateness is counted up to this time."""
        self._late_from_ms = NEVER
        """Time in ms from which the loop counts as late. Each beat sets a later value."""
        self._wanted: set[Callable[[], bool]] = set()
        """The functions given to `measure_lateness`. A function that returns False is removed."""
        self._are_beat_delays_measured = False
        self._timer: asyncio.TimerHandle | None = None
        self.beat_delay_s = 0.0
        """Delay of the newest beat, in s."""
        self.beat_delays = Histogram()
        """Histogram of the delays of all beats, in s."""

    @property
    def lateness(self) -> "LoopClock":
        return self

    def now_ms(self) -> int:
        """Return the server time in ms.

        If the loop has stalled since the last reading, first add the stall to `late_ms`.

        Each beat of the clock reads the time, too. A stall is therefore counted at the latest by the next beat.
        """
        now_ms = int((self._loop.time() + self._offset_s) * 1000)
        if now_ms >= self._late_from_ms:
            self.late_ms += now_ms - self._seen_at_ms
        self._seen_at_ms = now_ms
        return now_ms

    def measure_beat_delays(self) -> None:
        """Measure the delays of beats for the metrics from now on, until `stop`."""
        self._are_beat_delays_measured = True
        self._beat_next()

    def stop(self) -> None:
        """Stop the clock's timer and all measuring."""
        self._are_beat_delays_measured = False
        self._wanted.clear()
        self._beat_next()

    def measure_lateness(self, is_wanted: Callable[[], bool]) -> None:
        """Add the loop's lateness to `late_ms` until `is_wanted` returns False. Several callers share the measuring."""
        self._wanted.add(is_wanted)
        if self._late_from_ms == NEVER:
            self.now_ms()
            self._beat_next()

    def _beat(self, due_s: float) -> None:
        self.beat_delay_s = max(0.0, self._loop.time() - due_s)
        self.beat_delays.observe(self.beat_delay_s)
        self.now_ms()
        slept_ms = int((self._wall_s() - self._loop.time() - self._offset_s) * 1000)
        if slept_ms >= SLEPT_MS:
            self._jump(slept_ms)
        self._beat_next()

    def _jump(self, slept_ms: int) -> None:
        """Move server time forward, because the machine slept. The time counts as lateness, so no bot is charged."""
        log.warning("the machine slept for %d s, or its clock was set forward", slept_ms // 1000)
        self._offset_s += slept_ms / 1000
        self.late_ms += slept_ms
        self._seen_at_ms += slept_ms
        self.suspended_until_ms = self._seen_at_ms
        for listener in self.on_sleep:
            listener(slept_ms)

    def _beat_next(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._wanted:
            self._wanted = {each for each in self._wanted if each()}
        is_wanted = bool(self._wanted)
        self._late_from_ms = self._seen_at_ms + LATE_MS if is_wanted else NEVER
        if is_wanted or self._are_beat_delays_measured:
            beat_s = (BEAT_MS if is_wanted else REST_MS) / 1000
            self._timer = self._loop.call_later(beat_s, self._beat, self._loop.time() + beat_s)

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call `callback` when server time is at least `when_ms`."""
        # Half a ms is added because `now_ms` rounds down, and in the callback has to be at least `when_ms`.
        return self._loop.call_at((when_ms + 0.5) / 1000 - self._offset_s, callback)

    def after_input(self, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call `callback` when the sockets have been read once more."""
        return self._loop.call_later(INPUT_MS / 1000, callback)
