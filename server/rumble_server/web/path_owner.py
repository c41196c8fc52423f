"""Whose a path is: the one mapping that the server, and the answer to a proxy's question, go by.

Every route is looked at: tests/server/web/test_path_owner.py has them all.
"""

import re
from enum import Enum
from urllib.parse import parse_qs

from rumble_protocol.clubs import split_path

from rumble_server.web.static_files import PREFIX


class Owner(Enum):
    """Who answers a path that is of no club."""

    ANY_NODE = "any node"
    """Every node gives the same answer."""
    THIS_NODE = "this node"
    """Each node answers about itself."""


OF_NODE = frozenset({"/healthz", "/readyz", "/metrics", "/api/leader"})
"""Paths about one process. The last is a proxy's question, and nothing for anybody else."""
OF_ALL = frozenset({"/docs", "/clubs"})
"""Paths of pages that are made without anything of a club but its name and title."""
WRITE = "/write"
"""Path of the guide, which is about the tournament that its address names, if it names one."""
TOKENS = re.compile(r"/api/clubs/([^/]+)/tokens")
"""Path at which the administrator makes tokens of a club: a path of the server, but about that club."""


def owner_of(path: str, query: str) -> str | Owner:
    """Return the club whose leader answers a path, or who else does. `path` is decoded, `query` is not."""
    if path in OF_NODE:
        return Owner.THIS_NODE
    if path.startswith(f"{PREFIX}/"):
        return Owner.ANY_NODE
    tokens = TOKENS.fullmatch(path)
    if tokens is not None:
        return tokens[1]
    club, rest = split_path(path)
    if rest in OF_ALL or (rest == WRITE and not parse_qs(query, keep_blank_values=True).get("join", [""])[-1]):
        return Owner.ANY_NODE
    return club
