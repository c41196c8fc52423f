"""Rate limits as token buckets, on server time; and buckets of many addresses, in bounds of memory."""

import ipaddress
from collections import Counter, OrderedDict

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
MOST_BUCKETS = 16_384
"""Buckets of one kind that are kept at a time; beyond it newcomers share one."""
MOST_OF_A_NETWORK = 256
"""Buckets of one network (an IPv6 /48, an IPv4 /24) that are kept at a time; beyond it its newcomers share one."""

Key = tuple[str, str]
"""An address, and what of it is counted."""


class Bucket:
    """Allows `most` events in `period_ms`, and as many at once after a quiet period."""

    __slots__ = ("_filled_at_ms", "_most", "_period_ms", "_tokens")

    def __init__(self, most: int, now_ms: int, period_ms: int = MINUTE_MS) -> None:
        self._most = most
        self._period_ms = period_ms
        self._filled_at_ms = now_ms
        self._tokens = float(most)

    def allows(self, now_ms: int) -> bool:
        """Whether one more event would be allowed."""
        return self._tokens_at(now_ms) >= 1.0

    def take(self, now_ms: int, times: int = 1) -> bool:
        """Count so many events. Return False if these are too many; several then take what is left."""
        self._tokens = self._tokens_at(now_ms)
        self._filled_at_ms = now_ms
        if self._tokens < times:
            if times > 1:
                self._tokens = 0.0
            return False
        self._tokens -= times
        return True

    def spend(self, now_ms: int, cost: int) -> None:
        """Take what something has cost. Where less is left, nothing is allowed until the rest is made up for."""
        self._tokens = self._tokens_at(now_ms) - cost
        self._filled_at_ms = now_ms

    def is_idle(self, now_ms: int) -> bool:
        """Whether nothing was taken for a whole period and it is full: forgetting it changes nothing."""
        return now_ms - self._filled_at_ms >= self._period_ms and self._tokens_at(now_ms) >= self._most

    def _tokens_at(self, now_ms: int) -> float:
        refill = (now_ms - self._filled_at_ms) * self._most / self._period_ms
        return min(float(self._most), self._tokens + refill)


def network_of(address: str) -> str:
    """Return the network that an address is counted with when there are too many: an IPv6 /48, an IPv4 /24."""
    try:
        found = ipaddress.ip_network(address, strict=False)
    except ValueError:
        return address
    return str(found.supernet(new_prefix=min(48 if found.version == 6 else 24, found.prefixlen)))


class NameBuckets:
    """A bucket for each name that has one which is not full. Names have places of their own: nobody shares one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[str, Bucket] = OrderedDict()
        """By name in lower case, in the order of their last use."""

    def __len__(self) -> int:
        return len(self._kept)

    def allows(self, name: str, now_ms: int) -> bool:
        """Whether one more event of this name would be allowed."""
        bucket = self._kept.get(name.casefold())
        return bucket is None or bucket.allows(now_ms)

    def take(self, name: str, now_ms: int, times: int = 1) -> bool:
        """Count events of this name. Return False if these are too many."""
        kept, key = self._kept, name.casefold()
        while kept and next(iter(kept.values())).is_idle(now_ms):
            kept.popitem(last=False)
        bucket = kept.get(key)
        if bucket is None:
            bucket = kept[key] = Bucket(self._most, now_ms)
        else:
            kept.move_to_end(key)
        return bucket.take(now_ms, times)


class Buckets:
    """A bucket for each address, and for each thing of it that is counted. A full bucket is forgotten.

    None is forgotten before it is full, so no number of addresses has a bucket filled early. Where there are too many,
    those that come last share one: first those of the same network, then all.
    """

    def __init__(self, most: int, period_ms: int = MINUTE_MS) -> None:
        self._most = most
        self._period_ms = period_ms
        self._kept: OrderedDict[Key, Bucket] = OrderedDict()
        """By their last use."""
        self._of_networks: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._kept)

    def allows(self, address: str, now_ms: int, about: str = "") -> bool:
        """Whether one more event of this address would be allowed."""
        bucket = self._kept.get(self._key(address, now_ms, about))
        return bucket is None or bucket.allows(now_ms)

    def take(self, address: str, now_ms: int, about: str = "", *, times: int = 1) -> bool:
        """Count events of this address. Return False if these are too many."""
        return self._used(address, now_ms, about).take(now_ms, times)

    def spend(self, address: str, now_ms: int, cost: int) -> None:
        """Take what something of this address has cost, more than is left, too."""
        self._used(address, now_ms).spend(now_ms, cost)

    def _used(self, address: str, now_ms: int, about: str = "") -> Bucket:
        key = self._key(address, now_ms, about)
        bucket = self._kept.get(key)
        if bucket is None:
            bucket = self._kept[key] = Bucket(self._most, now_ms, self._period_ms)
            self._of_networks[network_of(key[0])] += 1
        else:
            self._kept.move_to_end(key)
        return bucket

    def _key(self, address: str, now_ms: int, about: str) -> Key:
        self._forget_idle(now_ms)
        key = address, about
        if key in self._kept:
            return key
        network = network_of(address)
        if self._of_networks[network] >= MOST_OF_A_NETWORK:
            return network, ""
        return key if len(self._kept) < MOST_BUCKETS else ("", "")

    def _forget_idle(self, now_ms: int) -> None:
        while self._kept:
            key, bucket = next(iter(self._kept.items()))
            if not bucket.is_idle(now_ms):
                return
            del self._kept[key]
            network = network_of(key[0])
            self._of_networks[network] -= 1
            if not self._of_networks[network]:
                del self._of_networks[network]
