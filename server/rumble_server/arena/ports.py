"""The arena's ports: log, clock with timers, sessions, pairing, and house bots.

The arena defines the ports. `store` and `gateway` have the adapters, and tests have adapters of their own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rumble_protocol.codes import CloseCode

from rumble_server.match.clock import Lateness
from rumble_server.match.seat import MeasureWait
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact
from rumble_server.tournament.formats import AnyRound, PairingTask

NEVER = 1 << 62
"""A time in ms that is later than every other time. It means that no timer is set, or that no lateness is measured."""


class Log(Protocol):
    """The append-only event log. Facts are numbered in the order of `append`, from 1."""

    def append(self, fact: LogFact) -> int:
        """Take a fact, which is written with the next batch; return the fact's number."""

    def add_record(self, ended: EndedTournament) -> None:
        """Write a tournament's record in the commit of the last appended fact. Call this right after `append`."""

    def flush_soon(self) -> None:
        """Write the batch sooner than usual, because a frame waits for the batch.

        A batch is usually written within some milliseconds.
        """

    @property
    def durable(self) -> int:
        """Number of the newest fact on disk. All earlier facts are on disk, too."""

    @property
    def last(self) -> int:
        """Number of the last appended fact."""


FindEnded = Callable[[str, Callable[[EndedTournament | None], None]], None]
"""Function that looks up the record of an ended tournament by its id, and passes the record to a callback.

The callback runs on the event loop, now or later. For an unknown or unreadable tournament, the callback gets None.
"""


class TimerHandle(Protocol):
    """Handle of a timer."""

    def cancel(self) -> None:
        """Cancel the timer; its callback will not run."""


class Clock(Protocol):
    """Server time in ms, timers, and the server's lateness."""

    @property
    def lateness(self) -> Lateness:
        """Lateness of this process as far as measured (`measure_lateness`), up to the last reading of the clock."""

    def now_ms(self) -> int:
        """Return the server time in ms since the epoch; it never goes back within a run."""

    def measure_lateness(self, is_wanted: Callable[[], bool]) -> None:
        """Measure the process's lateness until `is_wanted` returns false. Several callers share one measurement."""

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> TimerHandle:
        """Call `callback` at the server time `when_ms`, or soon if this time has passed."""

    def after_input(self, callback: Callable[[], None]) -> TimerHandle:
        """Call `callback` when the sockets have been read once more. Frames may still wait for the time budget."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The data of a login's connection and address, as the gateway knows them."""

    address: str
    keyless_allowed: bool
    """True if the login needs no key."""
    most_matches: int
    lag_ms: int
    """Shortest of the connection's last round trips, in ms."""
    lag_by_pings: bool
    """True if only pings measure the round trips."""
    has_room: bool
    """True if the address may have a further logged-in connection."""
    has_invited_room: bool
    """True if the address may have a further connection that shows a valid invitation to the tournament named in the
    login."""
    has_stranger_messages_left: bool
    """True if the address may send a further message of a stranger."""
    measure_wait: MeasureWait | None = None
    """Function that returns how long a turn and its answer waited in the server's machine; None if the server cannot
    measure this time."""


class Sessions(Protocol):
    """The port to the sockets of all sessions. Each call names a session by its id."""

    def logged_in(self, session_id: int, name: str) -> None:
        """Report that the bot has logged in under the name `name`."""

    def not_logged_in(self, session_id: int) -> None:
        """Report that the login was refused. The bot already has the reason.

        If the session is open, the bot may log in again.
        """

    def count_unproven_login(self, session_id: int) -> None:
        """Count the last login as a message of a stranger, since it showed no known key and no valid invitation."""

    def mark_invited(self, session_id: int, tournament_id: str) -> None:
        """Report that the session's bot is in a tournament by invitation."""

    def send(self, session_id: int, frame: bytes) -> None:
        """Write a text frame."""

    def can_send(self, session_id: int) -> bool:
        """Return false if the connection has ended or is closing. The arena may not know yet."""

    def read_waiting(self, session_id: int) -> bool:
        """Handle frames that were received and wait for the time budget. Return true if there were such frames.

        More frames may then still be on their way, because reading was paused meanwhile.
        """

    def count_unsolicited(self, session_id: int) -> bool:
        """Count the last frame, which answered no turn, toward the message limit.

        Return false if there are too many such frames, or the session has ended.
        """

    def drop_received(self, session_id: int) -> None:
        """Drop the frames that the session receives from now on, because it will be closed."""

    def close(self, session_id: int, code: CloseCode) -> None:
        """Begin the closing handshake."""

    def cut_off_silent(self, session_id: int) -> None:
        """End the connection at once, because it has long been silent and its bot is not on turn."""


RunPairing = Callable[[PairingTask, Callable[[AnyRound | None], None]], None]
"""Function that takes a task and a callback. The function runs the task off the event loop, and then calls the callback
with the task's result. If the task fails, the function logs the error, and the callback gets None."""


@dataclass(frozen=True, slots=True)
class HouseBot:
    """A house bot to be connected: name, key, and the reference bot that plays."""

    name: str
    key: str
    reference_bot: str
    is_resident: bool
    """True for a resident: a house bot that waits for challenges. False for a house bot added to a tournament. An added
    bot learns the tournament's id from the message `session`."""


class HouseRunner(Protocol):
    """The port for house bots, which run outside of the server's process."""

    def reference_bots(self, game: str, settings: Mapping[str, Any]) -> Mapping[str, str]:
        """Return a line of text about each reference bot that can play a game, by the bot's name."""

    def ladder(self) -> Mapping[str, str]:
        """Return a line of text about each reference bot, by the bot's name; the weakest bot comes first."""

    def set_bots(self, club: str, bots: Sequence[HouseBot]) -> None:
        """Keep the house bots `bots` of a club connected, and end the club's other house bots.

        A house bot of `bots` that ends is started again.
        """

    async def close(self) -> None:
        """End all house bots."""
