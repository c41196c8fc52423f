"""A table of bounded size that drops its oldest entries."""

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Memory(Generic[K, V]):
    """A dictionary of at most `limit` entries, in two halves.

    When the new half is full, it replaces the old half.
    """

    __slots__ = ("half", "new", "old")

    def __init__(self, limit: int) -> None:
        self.half = limit // 2
        self.new: dict[K, V] = {}
        self.old: dict[K, V] = {}

    def __len__(self) -> int:
        return len(self.new) + sum(key not in self.new for key in self.old)

    def __setitem__(self, key: K, value: V) -> None:
        if len(self.new) >= self.half:
            self.old, self.new = self.new, {}
        self.new[key] = value

    def get(self, key: K, default: V) -> V:
        value = self.new.get(key)
        return self.old.get(key, default) if value is None else value
