"""Rate limits as token buckets on server time, and buckets for many addresses in bounded memory."""

import ipaddress
from collections import Counter, OrderedDict
from collections.abc import Callable

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
MOST_BUCKETS = 16_384
"""Maximum number of buckets in a `Buckets`. Further addresses share a single bucket."""
MOST_OF_A_NETWORK = 256
"""Maximum number of buckets of a network (IPv6 /48, IPv4 /24). Further addresses of the network share a bucket."""

BucketKey = tuple[str, str]
"""An address, and the subject of its events; the subject is empty if events are counted for the address alone."""


class Bucket:
    """A token bucket: it allows `most` events in each `period_ms`.

    After a quiet period, `most` events may come at once.
    """

    __slots__ = ("_filled_at_ms", "_most", "_period_ms", "_tokens")

    def __init__(self, most: int, now_ms: int, period_ms: int = MINUTE_MS) -> None:
        self._most = most
        self._period_ms = period_ms
        self._filled_at_ms = now_ms
        self._tokens = float(most)

    def allows(self, now_ms: int) -> bool:
        """Return true if another event would be allowed. No event is counted."""
        return self._tokens_at(now_ms) >= 1.0

    def take(self, now_ms: int, times: int = 1) -> bool:
        """Count `times` events, and return True. Return False if there are too few tokens.

        If several events are refused together, they use up the remaining tokens. A large request therefore costs tokens
        even if it is refused. A single refused event uses no token.
        """
        self._fill(now_ms)
        if self._tokens < times:
            if times > 1:
                self._tokens = 0.0
            return False
        self._tokens -= times
        return True

    def spend(self, now_ms: int, cost: int) -> None:
        """Take `cost` tokens, even beyond 0. Events are allowed again when the bucket has at least a whole token."""
        self._fill(now_ms)
        self._tokens -= cost

    def is_idle(self, now_ms: int) -> bool:
        """Return true if the bucket is full, and was not used for a whole period. An idle bucket can be forgotten."""
        return now_ms - self._filled_at_ms >= self._period_ms and self._tokens_at(now_ms) >= self._most

    def is_in_debt(self, now_ms: int) -> bool:
        """Return true if the bucket was not used for a whole period, but is still not full."""
        return now_ms - self._filled_at_ms >= self._period_ms and self._tokens_at(now_ms) < self._most

    def _fill(self, now_ms: int) -> None:
        self._tokens = self._tokens_at(now_ms)
        self._filled_at_ms = max(self._filled_at_ms, now_ms)

    def _tokens_at(self, now_ms: int) -> float:
        # Clubs share buckets, and the clock of a club may run ahead of another's: time that goes back refills nothing.
        refill = max(0, now_ms - self._filled_at_ms) * self._most / self._period_ms
        return min(float(self._most), self._tokens + refill)


def network_of(address: str) -> str:
    """Return the network of an address (IPv6 /48 or IPv4 /24). The number of buckets of a network is limited."""
    try:
        found = ipaddress.ip_network(address, strict=False)
    except ValueError:
        return address
    return str(found.supernet(new_prefix=min(48 if found.version == 6 else 24, found.prefixlen)))


class Buckets:
    """Token buckets, keyed by address, or by address and subject.

    Only full buckets are forgotten. Therefore nobody can get a bucket refilled early by using many addresses. If a
    network has too many buckets, its further addresses share a bucket. If there are too many buckets in total, all
    further addresses share a bucket.
    """

    def __init__(
        self, most: int, period_ms: int = MINUTE_MS, exempts: Callable[[str], bool] = lambda _address: False
    ) -> None:
        """Make the buckets. Events of an address for which `exempts` returns true are neither counted nor refused."""
        self._most = most
        self._period_ms = period_ms
        self._exempts = exempts
        self._kept: OrderedDict[BucketKey, Bucket] = OrderedDict()
        """The buckets, the least recently used first."""
        self._of_networks: Counter[str] = Counter()
        """Number of buckets of each network."""

    def __len__(self) -> int:
        return len(self._kept)

    def allows(self, address: str, now_ms: int, about: str = "") -> bool:
        """Return true if another event of `address` would be allowed. No event is counted."""
        if self._exempts(address):
            return True
        bucket = self._kept.get(self._key(address, now_ms, about))
        return bucket is None or bucket.allows(now_ms)

    def take(self, address: str, now_ms: int, about: str = "", *, times: int = 1) -> bool:
        """Count events of `address`. Return False if there are too many."""
        return self._exempts(address) or self._used(address, now_ms, about).take(now_ms, times)

    def spend(self, address: str, now_ms: int, cost: int) -> None:
        """Take `cost` tokens of `address`. The balance may become negative."""
        if not self._exempts(address):
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

    def _key(self, address: str, now_ms: int, about: str) -> BucketKey:
        self._forget_idle(now_ms)
        key = address, about
        if key in self._kept:
            return key
        network = network_of(address)
        if self._of_networks[network] >= MOST_OF_A_NETWORK:
            return network, ""
        return key if len(self._kept) < MOST_BUCKETS else ("", "")

    def _forget_idle(self, now_ms: int) -> None:
        """Forget idle buckets, the least recently used first. Stop at the first bucket that is not idle.

        If the first bucket that is not idle is in debt, move the bucket to the end of the order. The next call then
        begins with a different bucket.
        """
        while self._kept:
            key, bucket = next(iter(self._kept.items()))
            if not bucket.is_idle(now_ms):
                if bucket.is_in_debt(now_ms):
                    self._kept.move_to_end(key)  # at most one bucket in a call, so that the call ends
                return
            del self._kept[key]
            network = network_of(key[0])
            self._of_networks[network] -= 1
            if not self._of_networks[network]:
                del self._of_networks[network]


class NameBuckets(Buckets):
    """Buckets by name, one for each name in use. In contrast to addresses, names never share a bucket."""

    def _key(self, name: str, now_ms: int, about: str) -> BucketKey:
        self._forget_idle(now_ms)
        return name.casefold(), about
