"""The shared parts of a server's connections over HTTP and WebSocket. `app.py` puts the entrance together."""

from collections.abc import Sequence
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
from rumble_server.limits.connections import Connections
from rumble_server.limits.refusals import Refusals
from rumble_server.limits.source import Sources


class HasGateway(Protocol):
    """A loaded club."""

    @property
    def gateway(self) -> Gateway:
        """Gateway of the club, which opens sessions."""


class LeaderQuestion(Protocol):
    """The answers to proxies that ask which node leads the club of a path; see `nodes/question.py`."""

    def answer(self, headers: Sequence[tuple[bytes, bytes]], /) -> tuple[HTTPStatus, bytes] | None:
        """Return the status and a header line of the answer; None if the request is no question of a proxy."""


class GatewayFinder(Protocol):
    """The clubs of a server by name."""

    def loaded(self, name: str) -> HasGateway | None:
        """Return a club; None if the club is not loaded."""

    async def load(self, name: str) -> HasGateway | None:
        """Return a club, loaded if needed; None for an unknown name. Raises StoreError."""

    def was_removed(self, name: str) -> bool:
        """Return whether the club of this name was removed."""

    @property
    def is_abandoned(self) -> bool:
        """True if this server has long been without its lease, and therefore lets no bot in."""

    def is_elsewhere(self, name: str) -> bool:
        """Return whether a bot of this club has to connect to another node."""


@dataclass(frozen=True, slots=True)
class Entrance:
    """The shared parts and bounds of all connections."""

    clubs: GatewayFinder
    clock: Clock
    policy: HandshakePolicy
    bounds: Bounds
    sources: Sources
    places: Connections
    refusals: Refusals
    outbox: Outbox
    turns: ReadFairness
    descriptors: Descriptors
    question: LeaderQuestion | None = None
    """The object that answers proxies; None on a lone server."""
