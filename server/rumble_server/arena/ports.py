"""What the arena needs from the world: a log, a clock with timers, contacts with bots, and house bots.

The ports belong to who uses them; `store` and `gateway` bring the adapters, tests bring their own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rumble_protocol.codes import CloseCode

from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact


class Log(Protocol):
    """The append-only event log. Facts are numbered from 1 in the order of `append`."""

    def append(self, fact: LogFact) -> int:
        """Take a fact; it is written with the next batch. Gives its number."""

    def file(self, ended: EndedTournament) -> None:
        """Write the record of a tournament together with the facts that were appended last: call it right after."""

    def hurry(self) -> None:
        """Somebody waits for what was appended: write the batch now rather than within a few milliseconds."""

    @property
    def durable(self) -> int:
        """The number of the last fact that is on disk, and all before it."""

    @property
    def last(self) -> int:
        """The number of the last fact appended."""


FindEnded = Callable[[str, Callable[[EndedTournament | None], None]], None]
"""Looks for the record of a tournament that is over, by id, and calls back on the event loop, now or later.

None: there is no such tournament, or it cannot be read.
"""


class TimerHandle(Protocol):
    """A timer that can be cancelled."""

    def cancel(self) -> None:
        """Do not call."""


class Clock(Protocol):
    """Server time in ms, and timers on it."""

    def now_ms(self) -> int:
        """Server time, in ms since the epoch; it never goes back within a run."""

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> TimerHandle:
        """Call back at a server time, or soon if it has passed."""

    def after_input(self, callback: Callable[[], None]) -> TimerHandle:
        """Call back once every frame that has been received by now was handled."""


class Contact(Protocol):
    """A connection whose bot is logged in."""

    @property
    def max_matches(self) -> int:
        """How many matches at once the bot was granted."""

    @property
    def challenges(self) -> bool:
        """Whether the bot accepts challenges."""

    @property
    def games(self) -> tuple[str, ...] | None:
        """The games that the bot plays; None: any."""

    @property
    def version(self) -> str | None:
        """The bot's version, as its login told it."""

    @property
    def client(self) -> str | None:
        """What the bot connects by, as its login told it."""

    @property
    def omit(self) -> tuple[str, ...]:
        """What the bot wants left out of `turn`."""

    @property
    def lag_ms(self) -> int:
        """The least of the connection's last round trips."""

    def send(self, frame: bytes, after: int = 0) -> None:
        """Send a frame, not before the fact of number `after` is on disk, and never before an earlier frame."""

    def send_now(self, frame: bytes) -> None:
        """Send a frame that tells nothing of what others wait for: it may go first."""

    def holds(self, frame: bytes) -> bool:
        """Whether this very frame still waits for the disk."""

    def close(self, code: CloseCode) -> None:
        """Close the connection after what was sent."""


@dataclass(frozen=True, slots=True)
class HouseBot:
    """A house bot that is to be connected: its name and key, and which reference bot plays."""

    name: str
    key: str
    player: str
    challenges: bool
    """It is there to be challenged; else it was added to a tournament, which its session will name."""


class House(Protocol):
    """Runs house bots."""

    def players(self, game: str, settings: Mapping[str, Any]) -> Mapping[str, str]:
        """The reference bots that play this game, each with a line about it."""

    def ladder(self) -> Mapping[str, str]:
        """All reference bots, the weakest first, each with a line about it."""

    def keep(self, bots: Sequence[HouseBot]) -> None:
        """Have these bots connected, and no others; whatever makes one end, it is started again."""

    async def close(self) -> None:
        """End them all."""
