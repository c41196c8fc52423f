"""Keys of rows in SQLite: the keys of a club's tournaments, matches and values begin with the club's name and a slash.

Keys of `main` have no prefix, so a database from before there were clubs needs no change. No id has a slash. The module
imports nothing, so that the writing program, which imports it, starts fast.
"""

MAIN = "main"


def prefix_of(club: str) -> str:
    """Return the prefix of the keys of a club's rows."""
    return "" if club == MAIN else f"{club}/"


def split(key: str) -> tuple[str, str]:
    """Return the club of a row's key, and the key without the club."""
    club, slash, rest = key.partition("/")
    return (club, rest) if slash else (MAIN, key)
