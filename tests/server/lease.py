"""A node's lease for gates in tests."""

from collections.abc import Callable
from math import inf


class HeldWhile:
    """A lease that is valid while `holds` returns true, by a clock that stands at 0."""

    def __init__(self, holds: Callable[[], bool]) -> None:
        self._holds = holds

    @property
    def until_ms(self) -> float:
        return inf if self._holds() else 0.0
