"""Recently refused logins and joins, for the club's hosts: a missing bot cannot tell the reason."""

from collections.abc import Iterator
from dataclasses import dataclass

MOST_REFUSED = 50
"""Maximum number of refusals kept, where equal ones count once; beyond it the oldest is forgotten."""

Kind = tuple[str, str, str | None, str]
"""Bot's name, address, tournament that it asked for, and error code."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Refusals of a bot at an address for a reason."""

    name: str
    address: str
    tournament: str | None
    """Tournament that the bot asked to join; None if it named none."""
    code: str
    message: str
    """Last message to the bot."""
    at_ms: int
    """Time of the message in ms since the epoch."""
    times: int


class RefusedBots:
    """Refusals of a club since its start."""

    def __init__(self) -> None:
        self._latest: dict[Kind, Refused] = {}
        """Latest refusal of each kind, in order of time."""

    def note(self, name: str, address: str, tournament: str | None, code: str, message: str, at_ms: int) -> None:
        """Keep a refusal. Do not pass a key or a code."""
        kind = name, address, tournament, code
        before = self._latest.pop(kind, None)
        times = 1 if before is None else before.times + 1
        self._latest[kind] = Refused(*kind, message, at_ms, times)
        if len(self._latest) > MOST_REFUSED:
            del self._latest[next(iter(self._latest))]

    def newest_first(self) -> Iterator[Refused]:
        return reversed(self._latest.values())
