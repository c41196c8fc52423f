"""The interpreter of a server, set so that neither its garbage collector nor a thread holds up the loop for long."""

import gc
import sys
import time
from collections.abc import Callable
from typing import Any

THRESHOLDS = 2_500, 2, 10
"""How often the collector looks at new objects: at 2,500 in 1 ms, and at those that are left of 7,500 in some ms."""
SWITCH_S = 0.0005
"""How long a thread may compute in s while the loop waits for the interpreter, as it does at each of its callbacks."""
SWEEP_S, LATEST_SWEEP_S = 60.0, 900.0
"""Time in s between two looks at every object: the first where nothing is being played, the second in any case."""


class Interpreter:
    """The garbage collector of this process; `look` is to be called now and then.

    A pass over all objects takes some 100 ms where tournaments are large, and finds next to nothing. So what two passes
    have left is set aside, and they look only at what is newer. Everything is looked at when nothing is played.
    """

    def __init__(self, is_playing: Callable[[], bool], now_s: Callable[[], float] = time.monotonic) -> None:
        self._is_playing = is_playing
        self._now_s = now_s
        self._swept_at_s = now_s()
        self._has_set_aside = False

    def calm(self) -> None:
        """Set up this process: what there is stays."""
        sys.setswitchinterval(SWITCH_S)
        gc.set_threshold(*THRESHOLDS)
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

    def _on_pass(self, phase: str, about: dict[str, Any]) -> None:
        if phase == "stop" and about["generation"] > 0:
            gc.freeze()
            self._has_set_aside = True
