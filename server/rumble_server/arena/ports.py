"""What the arena needs from the world: a log, a clock with timers, sessions, slow work, and house bots.

The ports belong to the code that uses them; `store` and `gateway` bring the adapters, tests bring their own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rumble_protocol.codes import CloseCode

from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact
from rumble_server.tournament.formats import Round


class Log(Protocol):
    """The append-only event log. Facts are numbered from 1 in the order of `append`."""

    def append(self, fact: LogFact) -> int:
        """Take a fact; it is written with the next batch. Gives its number."""

    def file(self, ended: EndedTournament) -> None:
        """Write the record of a tournament together with the facts that were appended last: call it right after."""

    def hurry(self) -> None:
        """Write the batch soon, rather than within some milliseconds: a frame waits for it."""

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
        """Cancel the timer; its callback will not run."""


class Clock(Protocol):
    """Server time in ms, timers on it, and how late the server is."""

    late_ms: int
    """How long the running process was late in all while it was watched, up to the newest time that it gave, in ms."""
    suspended_until_ms: int
    """When the lease of this node was valid again the last time that it was over, in server time; 0: never."""

    def now_ms(self) -> int:
        """Server time, in ms since the epoch; it never goes back within a run."""

    def watch(self, is_wanted: Callable[[], bool]) -> None:
        """Measure from now on how late the process is, until `is_wanted` says no. Watched twice is watched once."""

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> TimerHandle:
        """Call back at a server time, or soon if it has passed."""

    def after_input(self, callback: Callable[[], None]) -> TimerHandle:
        """Call back once every frame that was received before this call has been handled."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who logs in, as far as that is known where the connection is."""

    address: str
    keyless_allowed: bool
    """Whether its name may go without a key."""
    most_matches: int
    lag_ms: int
    """The least of the connection's last round trips."""
    lag_by_pings: bool
    """Whether only pings measure them."""
    has_room: bool
    """Whether its address may have one more connection that has logged in."""
    has_invited_room: bool
    """Whether it may with a valid invitation to the tournament that the login names."""
    may_speak: bool
    """Whether its address may send one more message of a stranger."""
    delay_ms: Callable[[int], int] | None = None
    """Tells of an answer that is handled now, to a turn of so many ms ago: for how long the turn waited in this machine
    to be written, and the answer to be read, in ms together. None: that is not known."""


class Sessions(Protocol):
    """The sockets' side of every session, by its id. Nothing is asked of it: all of these are messages."""

    def logged_in(self, session_id: int, name: str) -> None:
        """The session's login was accepted under this name."""

    def not_logged_in(self, session_id: int) -> None:
        """The session's login was refused. It was told why, and may try again unless it is closed."""

    def count_stranger(self, session_id: int) -> None:
        """The login handed over last showed nothing that is known: it counts toward the messages of its address."""

    def invited(self, session_id: int, tournament_id: str) -> None:
        """The session's bot is in a tournament by invitation."""

    def send(self, session_id: int, frame: bytes) -> None:
        """Write a text frame."""

    def count(self, session_id: int) -> None:
        """The frame handed over last answered no turn: it counts toward the message limit."""

    def close(self, session_id: int, code: CloseCode) -> None:
        """Begin the closing handshake."""

    def cut(self, session_id: int) -> None:
        """End the connection at once: it has long been silent, and its bot is not on turn."""


Work = Callable[[Callable[[], Round], Callable[[Round], None]], None]
"""Runs a slow task elsewhere, and calls back with what it gave."""


@dataclass(frozen=True, slots=True)
class HouseBot:
    """A house bot that is to be connected: its name and key, and the reference bot that plays under it."""

    name: str
    key: str
    reference_bot: str
    challenges: bool
    """It is there to be challenged; else it was added to a tournament, which its session will name."""


class HouseRunner(Protocol):
    """Runs house bots."""

    def reference_bots(self, game: str, settings: Mapping[str, Any]) -> Mapping[str, str]:
        """The reference bots that play this game, each with a line about it."""

    def ladder(self) -> Mapping[str, str]:
        """All reference bots, the weakest first, each with a line about it."""

    def keep(self, club: str, bots: Sequence[HouseBot]) -> None:
        """Keep these bots of a club connected, and no others of it; one that ends is started again."""

    async def close(self) -> None:
        """End them all."""
