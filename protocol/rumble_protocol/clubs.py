"""Names of clubs, and how a club is called in the paths of the web.

A club is a name space on one server: its own hosts, bots and tournaments. `main` is always there.
"""

import re
from typing import Annotated

from pydantic import StringConstraints

CLUB_PATTERN = r"^[a-z0-9-]{1,32}$"
MAIN = "main"
"""The club that is always there, at the root of the server."""
CLUBS_PATH = "/c/"
"""What the paths of all other clubs begin with."""

ClubName = Annotated[str, StringConstraints(pattern=CLUB_PATTERN)]

_name = re.compile(r"[a-z0-9-]{1,32}")


def is_club_name(text: str) -> bool:
    """Whether a club can have this name."""
    return _name.fullmatch(text) is not None


def web_path(club: str) -> str:
    """Return the path of a club's pages, without a slash at its end: empty for main."""
    return "" if club == MAIN else f"{CLUBS_PATH}{club}"


def split_path(path: str) -> tuple[str, str]:
    """Return the club that a path leads to, and the path inside that club.

    `/c/NAME` and `/c/NAME/...` lead to NAME, also where there is no such club, and the rest begins with a slash or is
    empty. Every other path is one of main as it stands, and so is one whose NAME is no name.
    """
    if not path.startswith(CLUBS_PATH):
        return MAIN, path
    club, slash, rest = path[len(CLUBS_PATH) :].partition("/")
    return (club, slash + rest) if is_club_name(club) else (MAIN, path)
