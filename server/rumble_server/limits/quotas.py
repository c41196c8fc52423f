"""Quotas: how much of a server's resources a club may use."""

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Quotas:
    """The quotas of a club, by resource; None for a resource without a quota."""

    bots: int | None = None
    """Number of names used by bots of the club, without house bots."""
    tournaments: int | None = None
    """Number of unfinished tournaments, without challenges."""
    bytes: int | None = None
    """Bytes of the club's facts on disk. Beyond the quota nothing new is created, but existing tournaments go on."""
    matches: int | None = None
    """Number of matches played at a time; more matches wait."""
    house_bots: int | None = None
    """Number of added house bots at a time."""


QUOTAS = tuple(each.name for each in fields(Quotas))
"""The names of all quotas."""
NO_QUOTAS = Quotas()
