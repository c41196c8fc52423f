"""The door of a club: what an address or a name may do before it is known, beyond one connection."""

from copy import copy

from rumble_server.bounds import Bounds
from rumble_server.hosts import is_loopback
from rumble_server.limits.bans import Bans
from rumble_server.limits.buckets import DAY_MS, HOUR_MS, Buckets
from rumble_server.limits.guesses import Guesses
from rumble_server.limits.refusals import Refusals


class Door:
    """Counts strangers by their addresses, and knows who is banned."""

    def __init__(self, bounds: Bounds | None = None, refusals: Refusals | None = None) -> None:
        self.bounds = bounds = bounds or Bounds()
        self.refusals = refusals = refusals or Refusals()
        self.guesses = Guesses(bounds, refusals)
        self.bans = Bans()
        self._prefix = ""
        self._names = Buckets(bounds.names_per_hour, HOUR_MS)
        self.challenge_bytes = Buckets(bounds.challenge_bytes_per_day, DAY_MS)
        """What challenges write, by whom they count for."""
        self._invited_names = Buckets(bounds.invited_names_per_hour, HOUR_MS)

    def of_club(self, club: str) -> "Door":
        """Make the door of another club, of that of main: addresses are counted in all clubs together.

        Bans are a club's own; beside them the addresses that main bans are kept out everywhere.
        """
        other = copy(self)
        other._prefix = f"{club}/"
        other.guesses, other.bans = self.guesses.of_club(club), Bans(above=self.bans)
        return other

    def is_exempt(self, address: str) -> bool:
        """Whether the bounds of an address do not hold for this one."""
        return not self.bounds.limit_loopback and is_loopback(address)

    def may_name(self, address: str, now_ms: int) -> bool:
        """Count a new name of this address. Return False if it is one too many."""
        return self.is_exempt(address) or self._names.take(address, now_ms)

    def may_name_invited(self, address: str, tournament_id: str, now_ms: int) -> bool:
        """Count a new name of this address with a valid invitation. Return False if it is one too many."""
        return self._invited_names.take(address, now_ms, self._prefix + tournament_id)
