"""Tuning of a server's Python, so that neither garbage collection nor a thread holds up the loop for long."""

import gc
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

LEAST_NEW, MOST_NEW = 1_250, 5_000
"""Bounds of the number of new objects after which the collector makes a pass. A pass takes 1 ms to 5 ms, and twice as
long if all of the objects are still used at the next pass; where others use the processor, too, three times as long."""
PASS_SHARE = 0.01
"""Maximum share of the time for passes; while passes take more, each comes after twice as many new objects."""
LONGEST_PASS_S = 0.005
"""Maximum CPU time of a pass in s, whatever its share; after a longer one the next comes after half as many objects."""
SWITCH_S = 0.0005
"""Maximum time in s for which a thread keeps the interpreter while the loop waits, as at each of its callbacks."""
SWEEP_S, LATEST_SWEEP_S = 60.0, 86_400.0
"""Time in s between two looks at every object: the first where nothing is being played, the second in any case. A look
holds the loop for some 100 ms, and finds next to nothing."""


class Interpreter:
    """The garbage collector of this process. In the block of `calmed`, call `look` now and then.

    In large tournaments, a pass over all objects takes some 100 ms and finds next to nothing. So objects that survive
    two passes are set aside (`gc.freeze`), and later passes look at newer objects only. When nothing is being played, a
    sweep looks at every object.

    With hundreds of running matches, a pass over the matches' objects takes ten times as long as a pass over the newer
    ones, and finds nothing either. So the longer passes take, the less often they run.
    """

    def __init__(
        self,
        is_playing: Callable[[], bool],
        now_s: Callable[[], float] = time.monotonic,
        cpu_s: Callable[[], float] = time.thread_time,
    ) -> None:
        self._is_playing = is_playing
        self._now_s, self._cpu_s = now_s, cpu_s
        self._swept_at_s = now_s()
        self._has_set_aside = False
        self._most_new = LEAST_NEW
        self._pass_began_s, self._pass_ended_s = cpu_s(), now_s()

    @contextmanager
    def calmed(self) -> Iterator[None]:
        """Tune the interpreter for the length of a block: the switch interval, and when the collector passes.

        A sweep at the beginning sets aside modules, models and what was rebuilt from the log.
        """
        switch_s, threshold = sys.getswitchinterval(), gc.get_threshold()
        sys.setswitchinterval(SWITCH_S)
        self._pass_after(LEAST_NEW)
        gc.callbacks.append(self._on_pass)
        self._sweep()
        try:
            yield
        finally:
            gc.callbacks.remove(self._on_pass)
            gc.set_threshold(*threshold)
            sys.setswitchinterval(switch_s)

    def look(self) -> None:
        """Sweep, that is, look at every object, if a sweep is due."""
        since_s = self._now_s() - self._swept_at_s
        if self._has_set_aside and since_s >= (LATEST_SWEEP_S if self._is_playing() else SWEEP_S):
            self._sweep()

    def _sweep(self) -> None:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._has_set_aside = False
        self._swept_at_s = self._now_s()

    def _pass_after(self, new_objects: int) -> None:
        self._most_new = new_objects
        gc.set_threshold(new_objects, 0, 10)

    def _on_pass(self, phase: str, about: dict[str, Any]) -> None:
        if phase == "start":
            self._pass_began_s = self._cpu_s()
            return
        now_s, generation = self._now_s(), about["generation"]
        if generation > 0:
            gc.freeze()
            self._has_set_aside = True
        if generation == 1:  # a longer pass than those over the newest objects alone, which come in between
            self._pace(self._cpu_s() - self._pass_began_s, now_s - self._pass_ended_s)
        self._pass_ended_s = now_s

    def _pace(self, took_s: float, since_s: float) -> None:
        """Make the next pass later or sooner, according to the CPU time of the last pass, and its share of the time."""
        if took_s > LONGEST_PASS_S or took_s < PASS_SHARE / 4 * since_s:
            self._pass_after(max(self._most_new // 2, LEAST_NEW))
        elif took_s > PASS_SHARE * since_s and 2 * took_s <= LONGEST_PASS_S:
            self._pass_after(min(2 * self._most_new, MOST_NEW))
