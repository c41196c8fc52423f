"""The editions of the tie-break rules, by the names under which hosts choose them and pages show them."""

import re
from typing import Final, Literal, get_args

FideEdition = Literal["2024-08", "2026-03"]
"""FIDE Handbook C.07, Play-Off and Tie-Break Regulations: as applied from 1 August 2024, and from 1 March 2026."""
Edition = Literal["rumble-0.1", FideEdition]

FIRST: Final = "rumble-0.1"
"""What Rumble 0.1 computed; tournaments that it made keep it."""
NEWEST: Final = "2026-03"
FIDE_EDITIONS: tuple[FideEdition, ...] = get_args(FideEdition)
_SINCE: dict[FideEdition, str] = {"2026-03": "2026/03/01"}


def edition_of(start: str) -> FideEdition:
    """Return the edition for an event that began on a day written YYYY/MM/DD: the newest if it is written otherwise.

    An event that is older than all editions has the oldest.
    """
    if not re.fullmatch(r"[0-9]{4}[/-][0-9]{2}[/-][0-9]{2}", start):
        return NEWEST
    day = start.replace("-", "/")
    return next((edition for edition, since in _SINCE.items() if day >= since), "2024-08")


def named_edition(text: str) -> FideEdition | None:
    """Return the edition that an export of Rumble names in a TRF file's type (092), such as `tie-breaks 2024-08`."""
    return next((edition for edition in FIDE_EDITIONS if f"tie-breaks {edition}" in text), None)


def check_edition(name: str) -> FideEdition:
    """Return the edition of this name. Raises ValueError."""
    for edition in FIDE_EDITIONS:
        if edition == name:
            return edition
    raise ValueError(f"unknown tie-break rules {name!r}; there are: {', '.join(FIDE_EDITIONS)}")
