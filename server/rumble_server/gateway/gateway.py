"""The gateway of a club: it opens and ends the sessions of connections. `clubs/club.py` makes the gateway."""

from rumble_engine import game_names
from rumble_protocol.clubs import MAIN
from rumble_protocol.codec import write_message
from rumble_protocol.codes import CloseCode
from rumble_protocol.server_messages import Limits, Welcome

from rumble_server.arena.ports import Clock
from rumble_server.gateway.ports import KnownBots, Leader, MoveGate
from rumble_server.gateway.session import Link, Session, SessionParts
from rumble_server.gateway.sessions import SessionTable
from rumble_server.limits.bans import Ban
from rumble_server.limits.buckets import NameBuckets
from rumble_server.limits.strangers import Strangers

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
"""Names of the additions to the protocol since version 1.0, told to bots in `welcome`."""


class Gateway:
    """Opens and ends the sessions of a club. The club's leader answers the sessions by the table `sessions`."""

    def __init__(
        self,
        leader: Leader,
        known: KnownBots,
        sessions: SessionTable,
        clock: Clock,
        strangers: Strangers,
        server: str,
        limits: Limits | None = None,
        *,
        identity: str,
        club: str = MAIN,
        open_names: bool = False,
        gate: MoveGate | None = None,
    ) -> None:
        """`server` is the program and its version, and `identity` the identity of `club`; bots are told both.

        With `open_names` bots of other machines need no key.
        """
        self.known = known
        self.clock = clock
        self.limits = limits = limits or Limits()
        self.frame_bytes = limits.frame_bytes  # a copy: each frame needs it, and a field of a pydantic model is slow
        self.sessions = sessions
        """The sessions that are open."""
        self._opened = 0
        welcome = write_message(
            Welcome(
                server=server, features=FEATURES, limits=self.limits, games=game_names(), identity=identity, club=club
            )
        )
        messages = NameBuckets(self.limits.unsolicited_per_minute)
        self.shared = SessionParts(leader, clock, strangers, self.limits, messages, welcome, open_names, gate)
        """Shared state of the club's sessions."""

    def connect(self, link: Link) -> Session:
        """Open a session on a new connection, and send `welcome`."""
        self._opened += 1
        session = self.sessions.open[self._opened] = Session(self._opened, self.shared, link)
        return session

    def ban_of(self, address: str) -> Ban | None:
        """Return the ban of an address; None without a ban."""
        return self.known.ban_of(address)

    def lost(self, session: Session) -> None:
        """End a session whose connection has ended."""
        self.sessions.open.pop(session.id, None)
        session.lost()

    @property
    def has_sessions(self) -> bool:
        """True if any connection is open, logged in or not."""
        return bool(self.sessions.open)

    def count_sessions(self) -> tuple[int, int]:
        """Return the number of sessions with a login, and the number without."""
        known = sum(session.name is not None for session in self.sessions.open.values())
        return known, len(self.sessions.open) - known

    def end_all(self, code: CloseCode) -> None:
        """Close every session at once. The bots count as gone, so the arena asks them nothing more."""
        for session in list(self.sessions.open.values()):
            session.end(code)
            self.lost(session)

    def close_all(self, code: CloseCode) -> None:
        """Close every session once all frames that wait for the disk are sent."""
        for session in list(self.sessions.open.values()):
            session.close(code)
