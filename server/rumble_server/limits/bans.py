"""Bans of addresses, networks and names, for a time or until a host lifts the ban."""

import ipaddress
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

MOST_BANS = 10_000
"""Maximum number of bans in force in a club. A further ban is refused."""
V6_PREFIX = 64
"""Length in bits of the longest IPv6 prefix in a ban. A visitor can use every address under a prefix of this length."""


@dataclass(frozen=True, slots=True)
class Ban:
    """A ban of an address, a network or a name."""

    what: str
    """The banned network or name."""
    by_name: bool
    """True for a name, False for a network."""
    until_ms: int | None
    """End of the ban in ms since 1970; None for a ban without end."""
    reason: str
    at_ms: int
    """Start of the ban in ms since 1970."""

    @property
    def message(self) -> str:
        """Sentence about the ban, for a banned visitor or bot."""
        whom = f"the name {self.what}" if self.by_name else "your address"
        until = "" if self.until_ms is None else f" until {datetime.fromtimestamp(self.until_ms / 1000, UTC):%F %R} UTC"
        return f"{whom} is banned here{until}{': ' if self.reason else ''}{self.reason}"


def network_to_ban(address: str) -> str:
    """Return the network to ban. `address` is an address or a network.

    Raises ValueError, with a text for people, if `address` is neither, or if the network contains this machine's
    own address.
    """
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
    """The bans of a club, including expired bans.

    Networks banned in `above` are kept out, too. For every club except main, `above` has the bans of main.
    """

    def __init__(self, bans: Iterable[Ban] = (), above: "Bans | None" = None) -> None:
        self._above = above
        self._names: dict[str, Ban] = {}
        self._networks: dict[str, Ban] = {}
        self._prefixes: set[tuple[int, int]] = set()
        """IP version and prefix length of the banned networks. A lookup tries only these lengths."""
        for ban in bans:
            self.add(ban)

    def add(self, ban: Ban) -> None:
        """Add a ban. It replaces an earlier ban of the same name or network."""
        if ban.by_name:
            self._names[ban.what.casefold()] = ban
            return
        network = ipaddress.ip_network(ban.what)
        self._networks[ban.what] = ban
        self._prefixes.add((network.version, network.prefixlen))

    def lift(self, what: str, *, by_name: bool) -> None:
        """Remove the ban of a name or network, if any."""
        if by_name:
            self._names.pop(what.casefold(), None)
        else:
            self._networks.pop(what, None)

    def clear(self) -> None:
        """Remove all bans."""
        self._names.clear()
        self._networks.clear()

    def has(self, what: str, now_ms: int, *, by_name: bool) -> bool:
        """Return true if exactly this name or network is banned. A ban of a larger network does not count."""
        return _in_force(self._names.get(what.casefold()) if by_name else self._networks.get(what), now_ms) is not None

    def of_address(self, address: str, now_ms: int) -> Ban | None:
        """Return the ban that keeps out an address or network; None if no ban does."""
        ban = self._of_network(address.partition(" ")[0], now_ms)  # without the suffix of `limits.source.TUNNELLED`
        return self._above.of_address(address, now_ms) if ban is None and self._above is not None else ban

    def of(self, name: str, address: str, now_ms: int) -> Ban | None:
        """Return the ban that keeps out a bot: the ban of its name, or else of its address; None if no ban does."""
        return _in_force(self._names.get(name.casefold()), now_ms) or self.of_address(address, now_ms)

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
        """Return true if the club has the maximum number of bans in force."""
        kept = len(self._names) + len(self._networks)  # an upper bound, since some bans may have run out
        return kept >= MOST_BANS and len(self.in_force(now_ms)) >= MOST_BANS

    def __iter__(self) -> Iterator[Ban]:
        yield from self._names.values()
        yield from self._networks.values()

    def in_force(self, now_ms: int) -> list[Ban]:
        """Return the bans in force, newest first."""
        return sorted((each for each in self if _in_force(each, now_ms)), key=lambda ban: ban.at_ms, reverse=True)


def _in_force(ban: Ban | None, now_ms: int) -> Ban | None:
    return ban if ban is not None and (ban.until_ms is None or now_ms < ban.until_ms) else None
