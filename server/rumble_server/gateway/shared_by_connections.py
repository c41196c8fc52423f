"""The objects and bounds shared by the connections of a server, over HTTP and WebSocket. `app.py` makes them."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

from rumble_server.arena.ports import Clock
from rumble_server.gateway.descriptors import Descriptors
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.handshake import HandshakePolicy
from rumble_server.gateway.outbox import Outbox
from rumble_server.gateway.read_fairness import ReadFairness
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.permits import Permits
from rumble_server.limits.refusals import Refusals
from rumble_server.limits.source import Headers, Sources


class HasGateway(Protocol):
    """A loaded club, as connections use it."""

    gateway: Gateway
    """The gateway of the club, which opens sessions."""


class LeaderQuestion(Protocol):
    """The port for questions of proxies: which node leads the club of a path? `nodes/question.py` answers."""

    def answer(self, headers: Headers, /) -> tuple[HTTPStatus, bytes] | None:
        """Return status and a header line for a proxy's question; None if the request is not such a question."""


class GatewayFinder(Protocol):
    """The clubs of a server, as connections find them by name."""

    def get_loaded(self, name: str) -> HasGateway | None:
        """Return a club that is loaded; None for any other name."""

    async def load(self, name: str) -> HasGateway | None:
        """Return a club, and load it first if needed; None for an unknown name. Raises StoreError."""

    def was_removed(self, name: str) -> bool:
        """Return true if there was a club of this name, but it was removed."""

    @property
    def refuses_bots(self) -> bool:
        """True if this server has had no valid lease for a long time, and therefore lets no bot in."""

    def must_redirect(self, name: str) -> bool:
        """Return true if bots of this club have to connect to another node. Ask for a leader if the club has none."""


@dataclass(frozen=True, slots=True)
class SharedByConnections:
    """The objects and bounds that all connections of a server share."""

    clubs: GatewayFinder
    clock: Clock
    policy: HandshakePolicy
    bounds: Bounds
    sources: Sources
    permits: Permits
    refusals: Refusals
    outbox: Outbox
    fairness: ReadFairness
    descriptors: Descriptors
    question: LeaderQuestion | None = None
    """The object that answers questions of proxies; None on a server with its own database."""
