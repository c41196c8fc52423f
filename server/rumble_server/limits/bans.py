"""Bans: addresses, networks and names that are kept out, for a time or until they are let in again."""

import ipaddress
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

MOST_BANS = 10_000
"""Maximum number of bans of a club that are in force. One more is refused."""
V6_PREFIX = 64
"""Bits of an IPv6 address that a ban takes together: whoever has one address of such a network has all."""


@dataclass(frozen=True, slots=True)
class Ban:
    """Who is kept out: an address (a network) or a name; until when, in ms since the epoch, or None: for good."""

    what: str
    by_name: bool
    until_ms: int | None
    reason: str
    at_ms: int

    @property
    def told(self) -> str:
        """What somebody is told who is banned."""
        whom = f"the name {self.what}" if self.by_name else "your address"
        until = "" if self.until_ms is None else f" until {datetime.fromtimestamp(self.until_ms / 1000, UTC):%F %R} UTC"
        return f"{whom} is banned here{until}{': ' if self.reason else ''}{self.reason}"


def network_to_ban(address: str) -> str:
    """Return the network that a ban of an address or network is of. Raises ValueError; the text is for people."""
    try:
        network = ipaddress.ip_network(address, strict=False)
    except ValueError:
        raise ValueError(f"{address!r} is no address and no network") from None
    if network.version == 6 and network.prefixlen > V6_PREFIX:
        network = network.supernet(new_prefix=V6_PREFIX)
    if network.prefixlen == 0 or any(map(network.overlaps, _OWN[network.version])):
        raise ValueError(f"{network} has this machine's own address; house bots come from there")
    return str(network)


_OWN = {4: [ipaddress.ip_network("127.0.0.1/32")], 6: [ipaddress.ip_network("::/64")]}


class Bans:
    """The bans that are in force, and those that have run out since the start.

    Networks that `above` bans (main's, in the bans of another club) are kept out here, too.
    """

    def __init__(self, bans: Iterable[Ban] = (), above: "Bans | None" = None) -> None:
        self._above = above
        self._names: dict[str, Ban] = {}
        self._networks: dict[str, Ban] = {}
        self._prefixes: set[tuple[int, int]] = set()
        """The versions and lengths of the banned networks."""
        for ban in bans:
            self.add(ban)

    def add(self, ban: Ban) -> None:
        """Keep somebody out; a ban of the same name or network is replaced."""
        if ban.by_name:
            self._names[ban.what.casefold()] = ban
            return
        network = ipaddress.ip_network(ban.what)
        self._networks[ban.what] = ban
        self._prefixes.add((network.version, network.prefixlen))

    def lift(self, what: str, *, by_name: bool) -> None:
        """Let somebody in again."""
        if by_name:
            self._names.pop(what.casefold(), None)
        else:
            self._networks.pop(what, None)

    def has(self, what: str, now_ms: int, *, by_name: bool) -> bool:
        """Whether this very name or network is banned."""
        return _in_force(self._names.get(what.casefold()) if by_name else self._networks.get(what), now_ms) is not None

    def of_name(self, name: str, now_ms: int) -> Ban | None:
        """Return the ban of a name, if it is banned."""
        return _in_force(self._names.get(name.casefold()), now_ms)

    def of_address(self, address: str, now_ms: int) -> Ban | None:
        """Return the ban of an address (or of the network that stands for it), if it is banned."""
        ban = self._of_network(address.partition(" ")[0], now_ms)  # without what `limits.source.TUNNELLED` adds
        return self._above.of_address(address, now_ms) if ban is None and self._above is not None else ban

    def _of_network(self, address: str, now_ms: int) -> Ban | None:
        if not self._networks or not address:
            return None
        try:
            network = ipaddress.ip_network(address, strict=False)
        except ValueError:
            return None
        for version, prefix in self._prefixes:
            if version == network.version and prefix <= network.prefixlen:
                ban = _in_force(self._networks.get(str(network.supernet(new_prefix=prefix))), now_ms)
                if ban is not None:
                    return ban
        return None

    def is_full(self, now_ms: int) -> bool:
        """Whether as many are in force as may be."""
        kept = len(self._names) + len(self._networks)  # some may have run out
        return kept >= MOST_BANS and len(self.in_force(now_ms)) >= MOST_BANS

    def __iter__(self) -> Iterator[Ban]:
        yield from self._names.values()
        yield from self._networks.values()

    def in_force(self, now_ms: int) -> list[Ban]:
        """Return the bans that are in force, the newest first."""
        return sorted((each for each in self if _in_force(each, now_ms)), key=lambda ban: ban.at_ms, reverse=True)


def _in_force(ban: Ban | None, now_ms: int) -> Ban | None:
    return ban if ban is not None and (ban.until_ms is None or now_ms < ban.until_ms) else None
