"""The keys of rows in SQLite: those of a club's tournaments, matches and values begin with its name and a slash.

`main` has no prefix, so a database of one club is as it always was. No id has a slash. (The program that writes needs
this, so it imports nothing.)
"""

MAIN = "main"


def prefix_of(club: str) -> str:
    """Return what the keys of a club's rows begin with."""
    return "" if club == MAIN else f"{club}/"


def split(key: str) -> tuple[str, str]:
    """Return the club of a row by its key, and the key as that club knows it."""
    club, slash, rest = key.partition("/")
    return (club, rest) if slash else (MAIN, key)
