"""What the connections of a server share, those of HTTP and those of bots."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

from rumble_server.arena.ports import Clock
from rumble_server.bounds import Bounds
from rumble_server.gateway.descriptors import Descriptors
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.handshake import HandshakePolicy
from rumble_server.gateway.outbox import Outbox
from rumble_server.gateway.turns import Turns
from rumble_server.limits.connections import Connections
from rumble_server.limits.refusals import Refusals
from rumble_server.limits.source import Sources


class HasGateway(Protocol):
    """A club that is loaded."""

    @property
    def gateway(self) -> Gateway:
        """What opens its sessions."""


class Question(Protocol):
    """Tells a proxy which node leads the club of a path."""

    def answer(self, headers: Sequence[tuple[bytes, bytes]], /) -> tuple[HTTPStatus, bytes] | None:
        """Return the status and a header line of the answer to a request for `LEADER_PATH`; None: nobody may ask so."""


class Clubs(Protocol):
    """The clubs of a server by their names."""

    def loaded(self, name: str) -> HasGateway | None:
        """Return a club if it is loaded."""

    async def load(self, name: str) -> HasGateway | None:
        """Return a club, once it is loaded; None: there is no such club. Raises StoreError."""

    def was_removed(self, name: str) -> bool:
        """Whether there is no such club any more."""

    @property
    def is_abandoned(self) -> bool:
        """Whether this server has been without its lease for long, and lets no bot in."""

    def is_elsewhere(self, name: str) -> bool:
        """Whether this server does not lead a club that another node leads, or is to lead."""


@dataclass(frozen=True, slots=True)
class Entrance:
    """The ways and bounds of everyone who connects."""

    clubs: Clubs
    clock: Clock
    policy: HandshakePolicy
    bounds: Bounds
    sources: Sources
    places: Connections
    refusals: Refusals
    outbox: Outbox
    turns: Turns
    descriptors: Descriptors
    question: Question | None = None
    """None: this server is not one node of several."""
