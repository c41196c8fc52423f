"""Limits of guessing: wrong keys and tokens are counted by address, over WebSocket and HTTP together.

Secrets made by Rumble cannot be guessed. A secret that has the form of Rumble's own secrets is therefore always
compared, and never counted against its address. Otherwise a bot with a wrong key could lock out other bots at its
address.

An address that has presented the right key of a name has a separate bucket for this name. Wrong tries by others at the
address cannot lock out the owner.

Wrong invitations, join codes and slips are counted apart from keys and tokens. After too many of these wrong codes,
right codes are still accepted, and only the answers to further wrong codes change.
"""

from collections import OrderedDict
from copy import copy

from rumble_protocol.secret import is_made

from rumble_server.limits.bounds import Bounds
from rumble_server.limits.buckets import MOST_BUCKETS, MOST_OF_A_NETWORK, Bucket, Buckets, network_of
from rumble_server.limits.refusals import Refusals

SHORTEST_TOKEN = 12
"""Minimum length in characters of a host token that works from other machines."""
HOST_TOKEN = "host token"
"""Value of the parameter `owner` for host tokens; no bot can have this name. For keys, `owner` is a bot's name."""


class Guesses:
    """Counts of wrong secrets by address.

    Loopback addresses are counted, too, because requests through a tunnel come from them.
    """

    def __init__(self, bounds: Bounds, refusals: Refusals) -> None:
        self._refusals = refusals
        self._tries = Buckets(bounds.wrong_tries_per_minute)
        self._codes = Buckets(bounds.wrong_codes_per_minute)
        self._owners = _Owners(bounds.wrong_keys_of_owner_per_minute)
        self._prefix = ""

    def of_club(self, club: str) -> "Guesses":
        """Return the `Guesses` object of another club. All clubs share the counts of wrong secrets by address.

        A right key presented by an address is noted for the key's club only.
        """
        other = copy(self)
        other._prefix = f"{club}/"
        return other

    def allows_try(self, address: str, owner: str, secret: str, now_ms: int) -> bool:
        """Return true if `address` may show `secret` as the key of `owner`, or as a host token.

        Otherwise count and log the refusal. After an allowed try, call `note_right` or `count_wrong`.
        """
        own = self._owners.get(address, self._prefix + owner)
        if is_made(secret) or (own.allows(now_ms) if own is not None else self._tries.allows(address, now_ms)):
            return True
        self._refusals.count("too_many_wrong_tries", address, self._prefix + owner)
        return False

    def note_right(self, address: str, owner: str, now_ms: int) -> None:
        """Note that `address` has presented the right key of a name, or a right host token."""
        self._owners.add(address, self._prefix + owner, now_ms)

    def count_wrong(self, address: str, owner: str, secret: str, now_ms: int) -> None:
        """Count a wrong key of a name, or a wrong host token."""
        self._refusals.count("wrong_token" if owner == HOST_TOKEN else "wrong_key", address, self._prefix + owner)
        own = self._owners.get(address, self._prefix + owner)
        if is_made(secret):
            return
        if own is not None:
            own.take(now_ms)
        else:
            self._tries.take(address, now_ms)

    def knows(self, address: str, owner: str) -> bool:
        """Return true if `address` has presented the right key of the name."""
        return self._owners.get(address, self._prefix + owner) is not None

    def count_wrong_code(self, address: str, about: str, code: str, now_ms: int) -> bool:
        """Count a wrong invitation, join code or slip. Return false if the address has presented too many wrong codes.

        Right codes are never refused, because a class behind a single address may mistype many codes.
        """
        owner = self._prefix + about
        self._refusals.count("wrong_code", address, owner)
        if is_made(code) or self._codes.take(address, now_ms):
            return True
        self._refusals.count("too_many_wrong_codes", address, owner)
        return False


class _Owners:
    """Token buckets for addresses that have presented a right key, keyed by address and name, in bounded memory.

    If a network has too many buckets, its least recently used bucket is forgotten. If there are too many buckets in
    total, the least recently used bucket of the least recently used network is forgotten.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._networks: OrderedDict[str, OrderedDict[tuple[str, str], Bucket]] = OrderedDict()
        """Buckets by network. Networks, and the buckets of a network, are ordered by use, the least recent first."""
        self._count = 0

    def get(self, address: str, owner: str) -> Bucket | None:
        buckets = self._networks.get(network_of(address))
        return None if buckets is None else buckets.get((address, owner.casefold()))

    def add(self, address: str, owner: str, now_ms: int) -> None:
        network, key = network_of(address), (address, owner.casefold())
        buckets = self._networks.setdefault(network, OrderedDict())
        if key not in buckets:
            buckets[key] = Bucket(self._most, now_ms)
            self._count += 1
        buckets.move_to_end(key)
        self._networks.move_to_end(network)
        if len(buckets) > MOST_OF_A_NETWORK:
            self._forget_oldest_of(network)
        elif self._count > MOST_BUCKETS:
            self._forget_oldest_of(next(iter(self._networks)))

    def _forget_oldest_of(self, network: str) -> None:
        buckets = self._networks[network]
        buckets.popitem(last=False)
        self._count -= 1
        if not buckets:
            del self._networks[network]
