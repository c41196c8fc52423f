"""Admission to a club: limits by address for messages of strangers, wrong secrets and new names, and bans.

Sessions count messages before the login. The arena uses the limits and bans at each login, and the web at each request
with a secret.
"""

from copy import copy

from rumble_server.limits.bans import Bans
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.buckets import DAY_MS, HOUR_MS, Buckets
from rumble_server.limits.guesses import Guesses
from rumble_server.limits.refusals import Refusals


class Admission:
    """A club's bans, and the club's limits for addresses and names."""

    def __init__(self, bounds: Bounds | None = None, refusals: Refusals | None = None) -> None:
        self.bounds = bounds = bounds or Bounds()
        self.refusals = refusals = refusals or Refusals()
        self.guesses = Guesses(bounds, refusals)
        self.bans = Bans()
        self.prefix = ""
        """Text before each id of a tournament in the shared counts; empty for main."""
        self.stranger_messages = Buckets(bounds.stranger_messages_per_minute, exempts=bounds.exempts)
        """Buckets of messages before the login, such as logins, by address."""
        self._names = Buckets(bounds.names_per_hour, HOUR_MS, bounds.exempts)
        self.challenge_bytes = Buckets(bounds.challenge_bytes_per_day, DAY_MS)
        """Buckets of bytes that challenges may write to the log.

        The key is the tournament that the challenger joined by a code, or else the challenger's address.
        """
        self._invited_names = Buckets(bounds.invited_names_per_hour, HOUR_MS)
        self._freed_names = Buckets(bounds.freed_names_per_minute)

    def of_club(self, club: str) -> "Admission":
        """Return the admission to another club. Call this method on the admission to main.

        All clubs share the counts of addresses. Each club has its own bans. Addresses banned in main are kept out of
        every club.
        """
        other = copy(self)
        other.prefix = f"{club}/"
        other.guesses, other.bans = self.guesses.of_club(club), Bans(above=self.bans)
        return other

    def take_name(self, address: str, invited_to: str | None, now_ms: int) -> bool:
        """Count a new name claimed by `address`. Return False if there are too many.

        When the address is at its bound, the name is counted for `invited_to`, the tournament of a valid invitation.
        """
        if self._names.take(address, now_ms):
            return True
        return invited_to is not None and self._invited_names.take(address, now_ms, self.prefix + invited_to)

    def allows_name(self, address: str, invited_to: str | None, now_ms: int) -> bool:
        """Return True if `take_name` would count another name."""
        if self._names.allows(address, now_ms):
            return True
        return invited_to is not None and self._invited_names.allows(address, now_ms, self.prefix + invited_to)

    def take_freed_name(self, address: str, invited_to: str | None, now_ms: int) -> bool:
        """Count a freed name. Return False if too many names were freed for `address`.

        The name of a bot without matches is freed so that `address` can claim a new name. `invited_to` is the
        tournament of a valid invitation, or None. Each tournament has its own count, and so have names without an
        invitation.
        """
        about = "" if invited_to is None else self.prefix + invited_to
        return self._freed_names.take(address, now_ms, about)
