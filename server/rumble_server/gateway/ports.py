"""Ports of the gateway: the arena of a club, as its sessions reach it.

On one node of several the gate of the club stands before the arena (`nodes/gate.py`).
"""

from typing import Protocol

from rumble_protocol.bot_messages import BotMessage, Login
from rumble_protocol.codes import CloseCode

from rumble_server.arena.ports import Caller
from rumble_server.limits.bans import Ban


class Leader(Protocol):
    """The arena of a club, as sessions speak with it: messages and ids. It answers by its port `Sessions`."""

    def login(self, session_id: int, login: Login, caller: Caller) -> None:
        """A session wants to log in. It is answered with `logged_in` or `not_logged_in`."""

    def receive(self, session_id: int, message: BotMessage, text: str) -> None:
        """A session sent a valid message after its login; `text` is the whole frame."""

    def refused(self, session_id: int, text: str, error: bytes) -> None:
        """A session sent a frame that is no message; `error` is the answer."""

    def flooded(self, session_id: int, allowed: int) -> None:
        """A session sent more than `allowed` messages a minute that answer no turn."""

    def round_trip(self, session_id: int, lag_ms: int) -> None:
        """The connection's lag was measured again."""

    def silent(self, session_id: int) -> None:
        """The connection has long been silent."""

    def close(self, session_id: int, code: CloseCode) -> None:
        """Close the session, after what it is to be sent."""

    def lost(self, session_id: int) -> None:
        """The connection has ended."""


class Known(Protocol):
    """What is known here of a club, for what is decided about connections alone."""

    def ban_of(self, address: str) -> Ban | None:
        """Return the ban of an address, if it is banned."""

    def plays(self, name: str) -> bool | None:
        """Whether the bot of this name is in a match; None: there is no such bot."""
