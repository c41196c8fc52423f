"""What all nodes of a cluster must have in common: who has not does not join, and no link is made to it."""

import dataclasses
from hashlib import sha256
from typing import get_args

import orjson
from rumble_engine import game_names, get_game
from rumble_protocol.server_messages import Limits

from rumble_server.cluster.link import Packet
from rumble_server.cluster.records import LoginRecord, ToEdge, ToLeader
from rumble_server.gateway.gateway import FEATURES
from rumble_server.tournament.facts import LogFact


def setup_of(limits: Limits) -> str:
    """Return a digest of this node's games, limits, protocol, formats of the log and of links."""
    told = {
        "games": {name: type(get_game(name)).__qualname__ for name in game_names()},
        "limits": limits.model_dump(),
        "features": FEATURES,
        "facts": {kind.__name__: _fields(kind) for kind in _kinds(LogFact)},
        "link": [{each.name: each.value for each in kinds} for kinds in (Packet, ToEdge, ToLeader)],
        "login": sorted(LoginRecord.model_fields),
    }
    return sha256(orjson.dumps(told, option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]


def _kinds(union: object) -> list[type]:
    """Return the classes of a union of unions."""
    parts = get_args(union)
    return [kind for part in parts for kind in _kinds(part)] if parts else [union]  # type: ignore[list-item]


def _fields(kind: type) -> list[str]:
    return [field.name for field in dataclasses.fields(kind)]
