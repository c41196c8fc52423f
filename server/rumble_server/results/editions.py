"""Editions of the tie-break rules. Hosts choose them by name, and pages show the name."""

import re
from typing import Final, Literal, get_args

Edition = Literal["2024-08", "2026-03"]
"""Name of an edition of FIDE Handbook C.07, Play-Off and Tie-Break Regulations: August 2024 or March 2026."""

NEWEST: Final = "2026-03"
EDITIONS: tuple[Edition, ...] = get_args(Edition)
_SINCE: dict[Edition, str] = {"2026-03": "2026/03/01"}


def edition_of(start: str) -> Edition:
    """Return the edition for an event that began on `start`, written YYYY/MM/DD.

    An event before all editions gets the oldest edition. If `start` is not a date, return the newest edition.
    """
    if not re.fullmatch(r"[0-9]{4}[/-][0-9]{2}[/-][0-9]{2}", start):
        return NEWEST
    day = start.replace("-", "/")
    return next((edition for edition, since in _SINCE.items() if day >= since), "2024-08")


def named_edition(text: str) -> Edition | None:
    """Return the edition named in `text`; None if no edition is named.

    `text` is field 092 of a TRF file, the type of tournament. Rumble's exports write, for example, the words
    `tie-breaks 2024-08` into the field.
    """
    return next((edition for edition in EDITIONS if f"tie-breaks {edition}" in text), None)


def check_edition(name: str) -> Edition:
    """Return the edition with this name. Raises ValueError for an unknown name."""
    for edition in EDITIONS:
        if edition == name:
            return edition
    raise ValueError(f"unknown tie-break rules {name!r}; there are: {', '.join(EDITIONS)}")
