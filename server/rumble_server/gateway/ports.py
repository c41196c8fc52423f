"""Ports of the gateway: the arena of a club, as seen by sessions and connections.

If the process leads clubs by a lease, the club's gate stands between sessions and arena (`nodes/gate.py`).
"""

from collections.abc import Callable, Sized
from typing import Protocol

from rumble_protocol.bot_messages import BotMessage, Login
from rumble_protocol.codes import CloseCode

from rumble_server.arena.ports import Caller
from rumble_server.limits.bans import Ban


class Leader(Protocol):
    """The arena of a club, as called by sessions. The arena answers by its port `Sessions`.

    Calls pass messages and ids. No call returns an answer, and no object is shared, so that calls can wait at a gate.
    """

    def login(self, session_id: int, login: Login, caller: Caller) -> None:
        """Log a session in. The answer is `logged_in` or `not_logged_in`."""

    def receive(self, session_id: int, message: BotMessage, text: str) -> None:
        """Take a valid message that a session sent after its login. `text` is the whole frame."""

    def refused(self, session_id: int, text: str, error: bytes) -> None:
        """Take an invalid frame of a session, and answer with `error`."""

    def flooded(self, session_id: int, allowed: int) -> None:
        """End a session for too many messages that answer no turn: more than `allowed` in a minute."""

    def round_trip(self, session_id: int, lag_ms: int) -> None:
        """Take a new measurement of the connection's lag, in ms."""

    def silent(self, session_id: int) -> None:
        """Note that the connection has long been silent."""

    def close(self, session_id: int, code: CloseCode) -> None:
        """Close the session after all frames that wait for the disk."""

    def lost(self, session_id: int) -> None:
        """Note that the connection has ended."""


Receive = Callable[[int, BotMessage, str], None]
"""The type of `Leader.receive`."""


class HeldLease(Protocol):
    """A lease of this process."""

    @property
    def until_ms(self) -> float:
        """End of the lease, in ms of the lease's clock."""


class MoveGate(Protocol):
    """The gate of a club that this process leads by a lease, as sessions see the gate before they pass on a move.

    These are plain attributes, so that a move makes the same calls with and without a gate.
    """

    closed_at_ms: int | None
    lease: HeldLease
    now_s: Callable[[], float]
    receive: Receive | None

    @property
    def waiting(self) -> Sized:
        """Calls that wait at the gate."""


class KnownBots(Protocol):
    """The arena of a club, for decisions about connections."""

    def ban_of(self, address: str) -> Ban | None:
        """Return the ban of an address; None without a ban."""

    def plays(self, name: str) -> bool | None:
        """Return whether the bot of this name is in a match; None for an unknown bot."""
