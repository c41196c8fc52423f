"""The unused part of a club's quotas. If a quota is used up, CommandRefused with the code `quota` is raised."""

import sys

from rumble_protocol.codes import ErrorCode

from rumble_server.limits.quotas import NO_QUOTAS
from rumble_server.tournament.errors import CommandRefused

UNBOUNDED = sys.maxsize
"""Value that stands for "no limit"; greater than any count."""


class Allowance:
    """The quotas of a club, and the number of bytes that the club has used. The values may change at any time."""

    def __init__(self) -> None:
        self.quotas = NO_QUOTAS
        self.used_bytes = 0
        """Bytes of the club's facts on disk at the last count."""

    def check_name(self, names: int) -> None:
        """Raise CommandRefused if the quota allows no further name. `names` is the number of names now."""
        self._check(self.quotas.bots, names, "bots", "log in with a name that is there, or ask its host")

    def check_creation(self) -> None:
        """Raise CommandRefused if the club has used up its bytes. The club may then create no tournament."""
        self._check(self.quotas.bytes, self.used_bytes, "bytes", "nothing new is created; what was created goes on")

    def check_tournament(self, tournaments: int) -> None:
        """Raise CommandRefused if the quota allows no further tournament.

        `tournaments` is the number of open tournaments now.
        """
        self._check(self.quotas.tournaments, tournaments, "tournaments", "end one first")

    def house_room(self, most: int, added: int) -> int:
        """Return how many further house bots can be added to the club's tournaments, which have `added` house bots now.

        `most` is the maximum that the server itself allows the club.
        """
        quota = self.quotas.house_bots
        return max(0, min(most, most if quota is None else quota) - added)

    def match_room(self, running: int) -> int:
        """Return how many further matches may start while `running` matches are played; `UNBOUNDED` without a quota."""
        most = self.quotas.matches
        return UNBOUNDED if most is None else most - running

    def _check(self, most: int | None, has: int, what: str, hint: str) -> None:
        if most is not None and has >= most:
            raise CommandRefused(ErrorCode.QUOTA, f"this club has used up its quota of {what} ({most}): {hint}")
