"""What the connections of a server share, those of HTTP and those of bots."""

import asyncio
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


class Nodes(Protocol):
    """The other nodes of a cluster, which connect as bots do, at a path of their own."""

    def refusal(self, headers: dict[str, str]) -> tuple[HTTPStatus, str] | None:
        """Return why a request for a link is refused; `headers` have lower case names."""

    def accept(self, transport: asyncio.Transport, headers: dict[str, str], request: bytes, rest: bytes) -> None:
        """Take over a connection that is not refused, and what came on it."""


class Clubs(Protocol):
    """The clubs of a server by their names."""

    def loaded(self, name: str) -> HasGateway | None:
        """Return a club if it is loaded."""

    async def load(self, name: str) -> HasGateway | None:
        """Return a club, once it is loaded; None: there is no such club. Raises StoreError."""

    def was_removed(self, name: str) -> bool:
        """Whether there is no such club any more."""


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
    nodes: Nodes | None = None
    """None: this server is on its own."""
