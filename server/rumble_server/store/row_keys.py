"""Keys of rows in SQLite: a key of a club's tournament, match or value begins with the club's name and a slash.

Values of the whole database belong to the club `main`. No id contains a slash. The module imports nothing, because the
process that writes commits to the database imports it and has to start fast.
"""

MAIN = "main"


def prefix_of(club: str) -> str:
    """Return the prefix of a club's keys: the club's name and a slash."""
    return f"{club}/"


def split(key: str) -> tuple[str, str]:
    """Split a key into the club's name and the key without the prefix."""
    club, _, rest = key.partition("/")
    return club, rest


def readable(key: str) -> str:
    """Return a key as people write it: without the prefix of `main`."""
    return key.removeprefix(prefix_of(MAIN))
