"""Ports of the gateway to the arena of a club, for sessions and connections.

If this process leads clubs by a lease, the club's gate (`gateway/gate.py`) stands between the sessions and the arena.
"""

from typing import Protocol

from rumble_protocol.bot_messages import BotMessage, Login
from rumble_protocol.codec import BadMessage
from rumble_protocol.codes import CloseCode

from rumble_server.arena.ports import Caller
from rumble_server.limits.bans import Ban


class SessionEvents(Protocol):
    """The port through which sessions tell the arena of a club about events.

    Calls carry only messages and ids, and return nothing. Therefore calls can wait at a gate. The arena answers through
    its own port `Sessions`.
    """

    def login(self, session_id: int, login: Login, caller: Caller) -> None:
        """Log a session in. The arena answers with `logged_in` or `not_logged_in`."""

    def receive(self, session_id: int, message: BotMessage, text: str) -> None:
        """Handle a valid message that a session received after its login. `text` is the whole frame."""

    def on_invalid_frame(self, session_id: int, text: str, problem: BadMessage) -> None:
        """Handle an invalid frame of a session: tell the bot about the problem.

        After the login, the arena counts the frame (`count_unsolicited`) if the frame answers no open turn.
        """

    def on_flood(self, session_id: int, too_many: str) -> None:
        """End a session that received too many messages. `too_many` is a text for the reason, with the limit."""

    def on_round_trip(self, session_id: int, lag_ms: int) -> None:
        """Tell the arena the newest measured lag of the connection, in ms."""

    def on_silence(self, session_id: int) -> None:
        """Tell the arena that the bot has been silent for long."""

    def close(self, session_id: int, code: CloseCode) -> None:
        """Close a session, but first send the session's frames that still wait for the disk."""

    def on_disconnect(self, session_id: int) -> None:
        """Tell the arena that the connection has ended."""


class ArenaEvents(SessionEvents, Protocol):
    """The port through which a gate calls the arena of a club."""

    def resume(self, suspended_ms: int, *, were_bots_disconnected: bool) -> None:
        """Go on after a suspension. `were_bots_disconnected` is true if bots were disconnected meanwhile."""


class BotLookup(Protocol):
    """The port through which connections ask the arena of a club about bots and bans."""

    def ban_of(self, address: str) -> Ban | None:
        """Return the ban of an address; None without a ban."""

    def is_playing(self, name: str) -> bool | None:
        """Return true if the bot with this name is in a match, else false; None for an unknown bot."""
