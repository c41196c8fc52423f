"""Quotas: what one club may use of its server."""

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Quotas:
    """How much of each a club may have; None where there is no quota."""

    bots: int | None = None
    """Names that bots have used in it, those of the house not counted."""
    tournaments: int | None = None
    """Tournaments that are not over, without challenges."""
    bytes: int | None = None
    """Bytes of its facts on disk. Beyond them nothing new is created; what was created goes on."""
    matches: int | None = None
    """Matches that are played at the same time; more of them wait."""
    house_bots: int | None = None
    """Added house bots at the same time."""


QUOTAS = tuple(each.name for each in fields(Quotas))
"""The names of all quotas."""
NO_QUOTAS = Quotas()
