"""What all sessions of a server share: the arena, the limits, who waits for the disk, who tried wrong keys."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rumble_engine import game_names
from rumble_protocol.codec import write_message
from rumble_protocol.server_messages import Limits, Welcome

from rumble_server.arena.arena import Arena
from rumble_server.gateway.limits import Bucket

if TYPE_CHECKING:
    from rumble_server.gateway.session import Session

WRONG_KEYS_PER_MINUTE = 10
MOST_ADDRESSES = 10_000
"""So many (address, name) pairs that showed a wrong key are remembered; the oldest is forgotten first."""


@dataclass(slots=True)
class Doorkeeper:
    """Shared by the sessions of one server."""

    arena: Arena
    server: str
    limits: Limits = field(default_factory=Limits)
    open_names: bool = False
    """Whether names from beyond this machine may go without a key."""
    welcome: bytes = field(init=False)
    """The first frame of every connection."""
    sessions: "set[Session]" = field(default_factory=set)
    _waiting: "dict[Session, None]" = field(default_factory=dict)
    _wrong_keys: OrderedDict[tuple[str, str], Bucket] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        self.welcome = write_message(Welcome(server=self.server, limits=self.limits, games=game_names()))

    def wait_for_disk(self, session: "Session") -> None:
        """The session holds frames back until what they tell is on disk."""
        self._waiting[session] = None
        self.arena.log.hurry()

    def on_durable(self) -> None:
        """More of the log is on disk: frames that waited for it go out."""
        waiting, self._waiting = self._waiting, {}
        for session in waiting:
            session.release()

    def may_try_key(self, address: str, name: str) -> bool:
        """Whether this address has not shown too many wrong keys for the name in the last minute."""
        bucket = self._wrong_keys.get((address, name.casefold()))
        return bucket is None or bucket.take(self.arena.clock.now_ms())

    def note_wrong_key(self, address: str, name: str) -> None:
        """This address showed a wrong key for the name."""
        pair = (address, name.casefold())
        if pair not in self._wrong_keys:
            self._wrong_keys[pair] = Bucket(WRONG_KEYS_PER_MINUTE - 1, self.arena.clock.now_ms())
            if len(self._wrong_keys) > MOST_ADDRESSES:
                self._wrong_keys.popitem(last=False)
