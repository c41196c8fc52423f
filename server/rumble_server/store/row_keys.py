"""Keys of rows in SQLite: a key of a club's tournament, match or value begins with the club's name and a slash.

Keys of the club `main` have no prefix, because older databases had only this club. No id contains a slash. The module
imports nothing, because the process that writes commits to the database imports it and has to start fast.
"""

MAIN = "main"


def prefix_of(club: str) -> str:
    """Return the prefix of a club's keys: the club's name and a slash; empty for `main`."""
    return "" if club == MAIN else f"{club}/"


def split(key: str) -> tuple[str, str]:
    """Split a key into the club's name and the key without the prefix."""
    club, slash, rest = key.partition("/")
    return (club, rest) if slash else (MAIN, key)
