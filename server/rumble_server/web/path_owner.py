"""The lists of paths, and the owners of paths: a club, any node, or each node for itself.

The server (`club_paths.py`) and the answer to a proxy's question (`nodes/question.py`) both use `owner_of`, so that
both always name the same owner. tests/server/web/test_path_owner.py covers every route.
"""

import re
from enum import Enum
from urllib.parse import parse_qs

from rumble_protocol.clubs import split_path

from rumble_server.web.static_files import PREFIX


class Owner(Enum):
    """The owner of a path that belongs to no club."""

    ANY_NODE = "any node"
    """The owner of paths at which every node gives the same answer."""
    THIS_NODE = "this node"
    """The owner of paths at which each node answers about itself."""


OF_NODE = frozenset({"/healthz", "/readyz", "/metrics", "/api/leader"})
"""Paths about a single process. The path `/api/leader` answers only proxies, and names the leader of a club."""
OF_ALL = frozenset({"/docs", "/clubs", "/code/frame"})
"""Paths of pages that need only a club's name and title, so that any node can show the pages."""
OF_MAIN = (f"{PREFIX}/", "/clubs", "/admin", "/api/clubs")
"""Prefixes of paths that only main has. No other club has such a path below `/c/NAME`."""
CODE_FILES = "/code/files"
"""Path of the folder with Python and the code editor."""
STREAM = re.compile(r"/api/tournaments/[^/]+/events")
"""Pattern of the paths of feeds."""
WRITE = "/write"
"""Path of the guide to writing a bot.

With `join` in the query, the guide is about a tournament, whose club owns the path.
"""
TOKENS = re.compile(r"/api/clubs/([^/]+)/tokens")
"""Path at which the administrator makes tokens of a club. The path has no `/c/NAME`, but the club's leader answers."""


def owner_of(path: str, query: str) -> str | Owner:
    """Return the owner of a path: the name of the club whose leader answers, any node, or this node.

    `path` is decoded, `query` is not.
    """
    if path in OF_NODE:
        return Owner.THIS_NODE
    if path.startswith((f"{PREFIX}/", f"{CODE_FILES}/")):
        return Owner.ANY_NODE
    tokens = TOKENS.fullmatch(path)
    if tokens is not None:
        return tokens[1]
    club, rest = split_path(path)
    if rest in OF_ALL or (rest == WRITE and not parse_qs(query, keep_blank_values=True).get("join", [""])[-1]):
        return Owner.ANY_NODE
    return club


def needs_no_club(path: str) -> bool:
    """Return whether a process answers a path even if main is not loaded."""
    return path in OF_NODE or path.startswith(f"{PREFIX}/")


def is_of_main(path: str) -> bool:
    """Return true if `path` exists only for main, so that `/c/NAME` followed by `path` exists for no other club."""
    return path in OF_NODE or path.startswith(OF_MAIN)
