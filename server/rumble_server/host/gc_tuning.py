"""Tuning of Python's garbage collector and threads, so that they do not hold up the event loop for long."""

import gc
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

LEAST_NEW, MOST_NEW = 1_250, 2_500
"""Numbers of new objects after which the collector makes a pass: usual, and while passes take much of the time.

A pass takes 1 ms to 3 ms. A pass takes up to twice as long if all new objects are still in use, and three times as long
if other programs use the processor, too. Freed old objects lower Python's count of new ones, so a pass may look at far
more than this number. Therefore `collect_if_due` makes passes, too.
"""
LEAST_COUNTED = 100
"""Minimum of Python's count of new objects for a pass by `collect_if_due`, except for a pass because of `MOST_HELD`.

The count of an idle server is lower.
"""
MOST_HELD = 10_000
"""Number of new objects at which `collect_if_due` makes a pass, even if passes already take more than `PASS_SHARE`.

Freed old objects are not subtracted from this number. A storm of requests makes 10,000 objects in 0.05 s. The pass
takes 3 ms to 10 ms; a later pass would take longer.
"""
PASS_SHARE = 0.01
"""Largest desired part of the process's time for passes.

If passes take more, the next pass waits for `MOST_NEW` new objects, unless a pass could then take longer than
`LONGEST_PASS_S`. If passes take less than a quarter of the share, the next pass waits for `LEAST_NEW` new objects.
"""
LONGEST_PASS_S = 0.003
"""Longest desired CPU time of a pass in s. After a longer pass, the next waits for `LEAST_NEW` new objects."""
SWITCH_S = 0.0005
"""Maximum time in s for which another thread keeps the interpreter while the event loop waits for the interpreter.

The loop may have to wait this long at each of its callbacks.
"""
SWEEP_S, LATEST_SWEEP_S = 60.0, 86_400.0
"""Minimum time in s between two sweeps (full collections): `SWEEP_S` while no match is played, else `LATEST_SWEEP_S`.

A sweep looks at every object. It holds up the event loop for about 100 ms, and finds almost nothing.
"""


class GcTuner:
    """The garbage collector of this process, tuned inside of `with tuned()`. Call `collect_if_due` regularly.

    In large tournaments, a look at every object (a sweep) takes about 100 ms and finds almost nothing. Therefore
    objects that survive two passes are set aside (`gc.freeze`), and later passes look only at newer objects. While
    matches are played, a sweep waits for the end of the matches, but at most for `LATEST_SWEEP_S`.

    With hundreds of running matches, passes over the matches' objects take ten times as long, and find almost nothing
    either. Therefore passes become rarer if they take a large share of the time.
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
        self._pass_began_s, self._pass_ended_s = cpu_s(), now_s()
        self._pass_took_s = 0.0
        """CPU time in s of the last pass over all objects that are not set aside."""

    @contextmanager
    def tuned(self) -> Iterator[None]:
        """Tune the interpreter inside of a block: how often threads switch, and how often the collector makes a pass.

        A pass looks at new objects. At the start of the block, a sweep looks at all objects, and sets all of them
        aside: modules, models, and tournaments rebuilt from the log.
        """
        switch_s, threshold = sys.getswitchinterval(), gc.get_threshold()
        sys.setswitchinterval(SWITCH_S)
        _pass_after(LEAST_NEW)
        gc.callbacks.append(self._on_pass)
        self._sweep()
        try:
            yield
        finally:
            gc.callbacks.remove(self._on_pass)
            gc.set_threshold(*threshold)
            sys.setswitchinterval(switch_s)

    def collect_if_due(self) -> None:
        """Make a sweep (a look at every object) if a sweep is due. Otherwise make a pass if a pass is due."""
        now_s = self._now_s()
        if self._has_set_aside and now_s - self._swept_at_s >= (LATEST_SWEEP_S if self._is_playing() else SWEEP_S):
            self._sweep()
        elif self._is_pass_due(now_s):
            gc.collect(1)

    def _is_pass_due(self, now_s: float) -> bool:
        if PASS_SHARE * (now_s - self._pass_ended_s) >= self._pass_took_s and gc.get_count()[0] >= LEAST_COUNTED:
            return True
        return len(gc.get_objects(generation=0)) >= MOST_HELD

    def _sweep(self) -> None:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._has_set_aside = False
        self._swept_at_s = self._now_s()

    def _on_pass(self, phase: str, about: dict[str, Any]) -> None:
        if phase == "start":
            self._pass_began_s = self._cpu_s()
            return
        now_s, generation = self._now_s(), about["generation"]
        if generation > 0:
            gc.freeze()
            self._has_set_aside = True
        if generation == 1:  # the passes in between are shorter: they look at the newest objects only
            self._pass_took_s = self._cpu_s() - self._pass_began_s
            _pace(self._pass_took_s, now_s - self._pass_ended_s)
        self._pass_ended_s = now_s


def _pass_after(new_objects: int) -> None:
    gc.set_threshold(new_objects, 0, 10)


def _pace(took_s: float, since_s: float) -> None:
    """Choose the number of new objects before the next pass.

    `took_s` is the CPU time in s of the last pass. `since_s` is the time in s between the ends of the last two passes.
    """
    if took_s > LONGEST_PASS_S or took_s < PASS_SHARE / 4 * since_s:
        _pass_after(LEAST_NEW)
    elif took_s > PASS_SHARE * since_s and 2 * took_s <= LONGEST_PASS_S:
        _pass_after(MOST_NEW)
