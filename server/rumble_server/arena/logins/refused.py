"""Recently refused logins and joins. From a refusal, the club's hosts learn why a bot is missing."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

MOST_REFUSED = 50
"""Maximum number of kept refusals; refusals of the same `RefusalKind` count once. The oldest refusal with the most
frequent error code is forgotten first. Therefore a flood of refusals with the same error code does not push out the
others."""

RefusalKind = tuple[str, str, str | None, str]
"""Bot's name, address, id of the tournament that the bot asked to join, and error code."""


@dataclass(frozen=True, slots=True)
class BotRefusals:
    """The refusals of a bot at an address, for the same tournament and with the same error code."""

    name: str
    address: str
    tournament: str | None
    """Tournament that the bot asked to join; None if the bot named no tournament."""
    code: str
    message: str
    """Message of the newest refusal, as the bot got it."""
    at_ms: int
    """Time of the newest refusal in ms since the epoch."""
    times: int


class RefusedBots:
    """The refusals in a club since the server's start."""

    def __init__(self) -> None:
        self._latest: dict[RefusalKind, BotRefusals] = {}
        """Latest refusal of each kind, in order of time."""

    def add(self, name: str, address: str, tournament: str | None, code: str, message: str, at_ms: int) -> None:
        """Keep a refusal. `code` is the error code. No argument may contain a key or an invitation code."""
        kind = name, address, tournament, code
        before = self._latest.pop(kind, None)
        times = 1 if before is None else before.times + 1
        self._latest[kind] = BotRefusals(*kind, message, at_ms, times)
        if len(self._latest) > MOST_REFUSED:
            ((most_frequent, _),) = Counter(code for *_, code in self._latest).most_common(1)
            del self._latest[next(each for each in self._latest if each[-1] == most_frequent)]

    def newest_first(self) -> Iterator[BotRefusals]:
        return reversed(self._latest.values())
