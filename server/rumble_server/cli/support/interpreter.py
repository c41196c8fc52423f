"""The interpreter of a server, set so that neither its garbage collector nor a thread holds up the loop for long."""

import gc
import sys
import time
from collections.abc import Callable
from typing import Any

LEAST_NEW, MOST_NEW = 2_500, 10_000
"""How many new objects there are, at least and at most, before the collector looks at them: 1 ms to 10 ms, and as much
again where all of them are still used at the next pass."""
PASS_SHARE = 0.01
"""The share of the time that passes are to take: while they take more, each comes after twice as many new objects."""
SWITCH_S = 0.0005
"""How long a thread may compute in s while the loop waits for the interpreter, as it does at each of its callbacks."""
SWEEP_S, LATEST_SWEEP_S = 60.0, 900.0
"""Time in s between two looks at every object: the first where nothing is being played, the second in any case."""


class Interpreter:
    """The garbage collector of this process; `look` is to be called now and then.

    A pass over all objects takes some 100 ms where tournaments are large, and finds next to nothing. So what two passes
    have left is set aside, and they look only at what is newer. Everything is looked at when nothing is played.

    Where hundreds of matches run, a pass over their objects takes ten times as long as one over the new that remain,
    and finds nothing in them either. So passes are the rarer the more of the time they take.
    """

    def __init__(self, is_playing: Callable[[], bool], now_s: Callable[[], float] = time.monotonic) -> None:
        self._is_playing = is_playing
        self._now_s = now_s
        self._swept_at_s = now_s()
        self._has_set_aside = False
        self._most_new = LEAST_NEW
        self._pass_began_s = self._pass_ended_s = now_s()

    def calm(self) -> None:
        """Set up this process: what there is stays."""
        sys.setswitchinterval(SWITCH_S)
        self._pass_after(LEAST_NEW)
        gc.callbacks.append(self._on_pass)
        self._sweep()

    def look(self) -> None:
        """Look at every object if it is time to."""
        since_s = self._now_s() - self._swept_at_s
        if self._has_set_aside and since_s >= (LATEST_SWEEP_S if self._is_playing() else SWEEP_S):
            self._sweep()

    def _sweep(self) -> None:
        gc.unfreeze()
        gc.collect()
        self._has_set_aside = False
        self._swept_at_s = self._now_s()

    def _pass_after(self, new_objects: int) -> None:
        self._most_new = new_objects
        gc.set_threshold(new_objects, 0, 10)

    def _on_pass(self, phase: str, about: dict[str, Any]) -> None:
        now_s, generation = self._now_s(), about["generation"]
        if phase == "start":
            self._pass_began_s = now_s
            return
        if generation > 0:
            gc.freeze()
            self._has_set_aside = True
        if generation < 2:
            self._pace(now_s - self._pass_began_s, now_s - self._pass_ended_s)
        self._pass_ended_s = now_s

    def _pace(self, took_s: float, since_s: float) -> None:
        """Have the next pass come later or sooner, after one that took its share of the time since the last."""
        if took_s > PASS_SHARE * since_s:
            self._pass_after(min(2 * self._most_new, MOST_NEW))
        elif took_s < PASS_SHARE / 4 * since_s:
            self._pass_after(max(self._most_new // 2, LEAST_NEW))
