"""What the connections of a server share, those of HTTP and those of bots."""

from dataclasses import dataclass

from rumble_server.bounds import Bounds
from rumble_server.gateway.descriptors import Descriptors
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.handshake import HandshakePolicy
from rumble_server.gateway.outbox import Outbox
from rumble_server.gateway.turns import Turns
from rumble_server.limits.connections import Connections
from rumble_server.limits.refusals import Refusals
from rumble_server.limits.source import Sources


@dataclass(frozen=True, slots=True)
class Entrance:
    """The ways and bounds of everyone who connects."""

    gateway: Gateway
    policy: HandshakePolicy
    bounds: Bounds
    sources: Sources
    places: Connections
    refusals: Refusals
    outbox: Outbox
    turns: Turns
    descriptors: Descriptors
