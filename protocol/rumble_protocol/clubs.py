"""Names of clubs, and the paths of clubs on the web.

A club is a name space on one server, with its own hosts, bots and tournaments. The club `main` always exists.
"""

import re
from typing import Annotated

from pydantic import StringConstraints

CLUB_PATTERN = r"^[a-z0-9-]{1,32}$"
MAIN = "main"
"""The club that always exists, at the root of the server."""
CLUBS_PATH = "/c/"
"""Prefix of the paths of all clubs but main."""

ClubName = Annotated[str, StringConstraints(pattern=CLUB_PATTERN)]

_name = re.compile(r"[a-z0-9-]{1,32}")


def is_club_name(text: str) -> bool:
    """Return whether a club can have this name."""
    return _name.fullmatch(text) is not None


def web_path(club: str) -> str:
    """Return the path of a club's pages, without a slash at its end: empty for main."""
    return "" if club == MAIN else f"{CLUBS_PATH}{club}"


def split_path(path: str) -> tuple[str, str]:
    """Return the club of a path, and the path inside the club.

    `/c/NAME` and `/c/NAME/...` belong to NAME, even if no such club exists; the path inside is empty or begins with a
    slash. Every other path belongs to main, and is returned unchanged. If NAME breaks the rule for names, the path
    belongs to main, too.
    """
    if not path.startswith(CLUBS_PATH):
        return MAIN, path
    club, slash, rest = path[len(CLUBS_PATH) :].partition("/")
    return (club, slash + rest) if is_club_name(club) else (MAIN, path)
