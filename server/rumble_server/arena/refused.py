"""Which logins and joins were refused lately, for the hosts of the club: a bot that is not there tells nobody why."""

from collections.abc import Iterator
from dataclasses import dataclass

MOST_REFUSED = 50
"""Maximum number of refusals that are kept, those of one kind as one; beyond it the oldest is forgotten."""

Kind = tuple[str, str, str | None, str]
"""The bot's name, its address, the tournament that it asked for, and the code."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Refusals of one bot at one address for one reason."""

    name: str
    address: str
    tournament: str | None
    """The tournament that it asked to join, if it named one."""
    code: str
    message: str
    """What it was told last."""
    at_ms: int
    """When that was."""
    times: int


class RefusedBots:
    """The refusals of a club since its start."""

    def __init__(self) -> None:
        self._latest: dict[Kind, Refused] = {}
        """The latest comes last."""

    def note(self, name: str, address: str, tournament: str | None, code: str, message: str, at_ms: int) -> None:
        """Keep a refusal; nothing of a key or a code is given."""
        kind = name, address, tournament, code
        before = self._latest.pop(kind, None)
        times = 1 if before is None else before.times + 1
        self._latest[kind] = Refused(*kind, message, at_ms, times)
        if len(self._latest) > MOST_REFUSED:
            del self._latest[next(iter(self._latest))]

    def newest_first(self) -> Iterator[Refused]:
        return reversed(self._latest.values())
