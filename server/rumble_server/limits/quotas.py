"""Quotas: the shares of a server's resources that a club may use."""

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Quotas:
    """The quotas of a club, by resource. None means no quota."""

    bots: int | None = None
    """Maximum number of names of the club's bots. House bots are not counted."""
    tournaments: int | None = None
    """Maximum number of unfinished tournaments. Challenges are not counted."""
    bytes: int | None = None
    """Maximum size of the club's facts on disk in bytes. Above it nothing new is created, but tournaments go on."""
    matches: int | None = None
    """Maximum number of matches played at the same time. Further matches wait."""
    house_bots: int | None = None
    """Maximum number of house bots that the club's tournaments have at the same time."""


QUOTAS = tuple(each.name for each in fields(Quotas))
"""Names of the quotas."""
NO_QUOTAS = Quotas()
