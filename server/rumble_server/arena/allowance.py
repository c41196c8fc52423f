"""What a club may still have of what its quotas bound. Each refusal is a TournamentError with `quota`."""

import sys

from rumble_protocol.codes import ErrorCode

from rumble_server.quotas import NO_QUOTAS
from rumble_server.tournament.errors import TournamentError

UNBOUNDED = sys.maxsize
"""More than there can be."""


class Allowance:
    """The quotas of a club, and the bytes that it has used of them. Both may change at any time."""

    def __init__(self) -> None:
        self.quotas = NO_QUOTAS
        self.used_bytes = 0
        """Bytes of the club's facts on disk, as they were last counted."""

    def check_name(self, names: int) -> None:
        """Refuse one more name where there are as many as the quota allows."""
        self._check(self.quotas.bots, names, "bots", "log in with a name that is there, or ask its host")

    def check_creation(self) -> None:
        """Refuse anything new that would fill the database."""
        most = self.quotas.bytes
        if most is not None and self.used_bytes >= most:
            raise _used_up(most, "bytes", "nothing new is created; what was created goes on")

    def check_tournament(self, tournaments: int) -> None:
        """Refuse one more tournament where as many as the quota allows are not over."""
        self._check(self.quotas.tournaments, tournaments, "tournaments", "end one first")

    def house_room(self, most: int, added: int) -> int:
        """Return how many more house bots can be added; `most` is how many the server itself allows in this club."""
        quota = self.quotas.house_bots
        return max(0, min(most, most if quota is None else quota) - added)

    def match_room(self, running: int) -> int:
        """Return how many more matches may start beside those that are played."""
        most = self.quotas.matches
        return UNBOUNDED if most is None else most - running

    def _check(self, most: int | None, has: int, what: str, hint: str) -> None:
        if most is not None and has >= most:
            raise _used_up(most, what, hint)


def _used_up(most: int, what: str, hint: str) -> TournamentError:
    return TournamentError(ErrorCode.QUOTA, f"this club has used up its quota of {what} ({most}): {hint}")
