"""A cache of bounded size."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LastUsed(Generic[Key, Value]):
    """A cache that drops the least recently used values when the sizes of all values add up to more than `most`.

    The most recently used values are always kept, however large they are; `least` is the number of such values.
    """

    def __init__(self, most: int, least: int = 0) -> None:
        self._most = most
        self._least = least
        self._values: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self.size = 0
        """Sum of the sizes of all values."""

    def get(self, key: Key) -> Value | None:
        """Return the value of a key; None if the key has no value."""
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        return found[0]

    def put(self, key: Key, value: Value, size: int) -> None:
        """Store a value in place of an earlier value of the key.

        If the cache is full, drop the least recently used values.
        """
        self.pop(key)
        self._values[key] = value, size
        self.size += size
        while self.size > self._most and len(self._values) > self._least:
            self.pop(next(iter(self._values)))

    def pop(self, key: Key) -> Value | None:
        """Drop the value of a key, and return the value; None if the key has no value."""
        value, size = self._values.pop(key, (None, 0))
        self.size -= size
        return value
