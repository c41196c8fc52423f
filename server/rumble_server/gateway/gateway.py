"""The gateway of a club, which opens and ends the sessions of connections. `clubs/club.py` makes the gateway."""

from rumble_engine import game_names
from rumble_protocol.clubs import MAIN
from rumble_protocol.codec import write_message
from rumble_protocol.codes import CloseCode
from rumble_protocol.server_messages import Limits, Welcome

from rumble_server.arena.ports import Clock
from rumble_server.gateway.ports import BotLookup, SessionEvents
from rumble_server.gateway.session import Link, Session, SharedBySessions
from rumble_server.gateway.sessions import SessionRegistry
from rumble_server.limits.admission import Admission
from rumble_server.limits.buckets import NameBuckets

FEATURES = [
    "away_clock",
    "chance",
    "clubs",
    "failure",
    "follow",
    "identity",
    "info",
    "joint_moves",
    "made_key",
    "pairing",
    "tables",
    "workers",
]
"""Names of the features added to the protocol since version 1.0. The message `welcome` lists the names."""


class Gateway:
    """The gateway of a club: it opens a session for each connection, and ends sessions.

    The arena sends its answers to sessions through the registry `sessions`.
    """

    def __init__(
        self,
        arena: SessionEvents,
        bots: BotLookup,
        sessions: SessionRegistry,
        clock: Clock,
        admission: Admission,
        server: str,
        limits: Limits | None = None,
        *,
        identity: str,
        club: str = MAIN,
        open_names: bool = False,
    ) -> None:
        """Make the gateway of `club`.

        The message `welcome` to bots contains `server` (the program and its version) and `identity`.

        With `open_names`, bots on other machines may log in without a key.
        """
        self.bots = bots
        self.club = club
        self.clock = clock
        self.limits = limits = limits or Limits()
        self.frame_bytes = limits.frame_bytes  # a copy: each frame needs it, and a field of a pydantic model is slow
        self.sessions = sessions
        """The registry of the club's open sessions."""
        self._opened = 0
        welcome = write_message(
            Welcome(
                server=server, features=FEATURES, limits=self.limits, games=game_names(), identity=identity, club=club
            )
        )
        messages = NameBuckets(self.limits.unsolicited_per_minute)
        self.shared = SharedBySessions(arena, clock, admission, self.limits, messages, welcome, open_names)
        """The objects that all sessions of the club share."""

    def connect(self, link: Link) -> Session:
        """Open a session for a new connection, and send the message `welcome`."""
        self._opened += 1
        session = self.sessions.by_id[self._opened] = Session(self._opened, self.shared, link)
        return session

    def end_session(self, session: Session) -> None:
        """End a session whose connection has ended."""
        self.sessions.by_id.pop(session.id, None)
        session.on_lost()

    @property
    def has_sessions(self) -> bool:
        """True if any connection is open, with or without a login."""
        return bool(self.sessions.by_id)

    def count_sessions(self) -> tuple[int, int]:
        """Return the number of sessions with a login, and the number of sessions without."""
        logged_in = sum(session.name is not None for session in self.sessions.by_id.values())
        return logged_in, len(self.sessions.by_id) - logged_in

    def close_all_now(self, code: CloseCode) -> None:
        """Close every session at once. The arena counts the bots as disconnected, and asks for no more moves."""
        for session in list(self.sessions.by_id.values()):
            session.close(code)
            self.end_session(session)

    def close_all_after_frames(self, code: CloseCode) -> None:
        """Close every session. Each session first sends its frames that still wait for the disk."""
        for session in list(self.sessions.by_id.values()):
            session.request_close(code)
