"""What an answer needs of a club, beside its name, title, hosts and bans, which every node knows.

Every route is looked at: tests/server/web/test_needs.py has them all.
"""

import re
from dataclasses import dataclass
from urllib.parse import parse_qs

from starlette.types import Scope

from rumble_server.match.match_id import tournament_id_of

READING = ("GET", "HEAD")
"""The methods of requests that change nothing."""
OF_TOURNAMENT = re.compile(r"(?:/api)?/(?:tournaments/([^/]+)|matches/([^/]+))(?:/.*)?")
"""Paths about one tournament, or about one match."""
STREAM = re.compile(r"/api/tournaments/[^/]+/events")
"""Feeds, which a node passes on that does not lead the club."""
OF_NOBODY = re.compile(
    r"/(?:metrics|admin|console(?:/[^/]+)?|docs|openapi\.json|protocol\.json|export\.schema\.json"
    r"|api/games(?:/[^/]+/board(?:\.\w+)?)?)"
)
"""Paths of pages and answers that are the same whatever goes on in the club; /metrics are of the node that is asked."""
WRITE = "/write"
"""The guide, which is about the tournament that its address names, if it names one."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What an answer needs of a club."""

    is_live: bool = True
    """Whether its leader alone can answer, unless the tournament is over."""
    tournament: str | None = None
    """The tournament that it is about: once that is over the database has all of it."""


LEADER, NOTHING = Needs(), Needs(is_live=False)


def needs_of(scope: Scope, path: str) -> Needs:
    """Find out what the answer to a request for a path of a club needs."""
    if OF_NOBODY.fullmatch(path):
        return NOTHING
    if scope["method"] not in READING:
        return LEADER
    if path == WRITE:
        (joins,) = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True).get("join", [""])[-1:]
        return Needs(tournament=joins) if joins else NOTHING
    asked = OF_TOURNAMENT.fullmatch(path)
    if asked is None:
        return LEADER
    return Needs(is_live=not STREAM.fullmatch(path), tournament=asked[1] or tournament_id_of(asked[2]))
