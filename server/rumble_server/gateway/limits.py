"""Rate limits as token buckets, on server time."""

from collections import OrderedDict
from collections.abc import Callable

MINUTE_MS = 60_000
WRONG_KEYS_PER_MINUTE = 10
"""Wrong keys that one address may show for one name in a minute; a further login is refused."""
MOST_ADDRESSES = 10_000
"""Remembered (address, name) pairs that showed a wrong key; beyond it the oldest is forgotten."""


class Bucket:
    """Allows `per_minute` events a minute, and as many at once after a quiet minute."""

    __slots__ = ("_filled_at_ms", "_per_minute", "_tokens")

    def __init__(self, per_minute: int, now_ms: int) -> None:
        self._per_minute = per_minute
        self._filled_at_ms = now_ms
        self._tokens = float(per_minute)

    def take(self, now_ms: int) -> bool:
        """Count one event. Return False if it is one too many."""
        refill = (now_ms - self._filled_at_ms) * self._per_minute / MINUTE_MS
        self._tokens = min(float(self._per_minute), self._tokens + refill)
        self._filled_at_ms = now_ms
        if self._tokens < 1.0:
            return False
        self._tokens -= 1.0
        return True


class LoginLimits:
    """Who showed wrong keys lately. `now_ms` gives the server time."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._wrong_keys: OrderedDict[tuple[str, str], Bucket] = OrderedDict()

    def may_try_key(self, address: str, name: str) -> bool:
        """Whether this address has not shown too many wrong keys for the name in the last minute."""
        bucket = self._wrong_keys.get((address, name.casefold()))
        return bucket is None or bucket.take(self._now_ms())

    def note_wrong_key(self, address: str, name: str) -> None:
        """Note that this address showed a wrong key for the name."""
        pair = (address, name.casefold())
        if pair not in self._wrong_keys:
            self._wrong_keys[pair] = Bucket(WRONG_KEYS_PER_MINUTE - 1, self._now_ms())
            if len(self._wrong_keys) > MOST_ADDRESSES:
                self._wrong_keys.popitem(last=False)
