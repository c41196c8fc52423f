"""Starts and ends of matches in the texts of rows, for the indexes of matches."""

import re
from collections.abc import Iterable

_START_OR_END = re.compile(r'\[(\d+),"match_(started|over)","([^"]+)"')
"""Finds starts and ends of matches in the text of a row.

Texts chosen by users cannot match, because their quotation marks are escaped.
"""


def matches_in(facts: str) -> set[str]:
    """Return the ids of matches that start or end in the text of a row."""
    return {match_id for _, _, match_id in _START_OR_END.findall(facts)}


def spans(rows: Iterable[str]) -> dict[str, tuple[int, int | None]]:
    """Return the numbers of the first and last facts of matches that start or end in rows of a club.

    `rows` come in the log's order. The first number is of the match's first start in the rows. The last is None if the
    match has not ended since its last start.
    """
    found: dict[str, tuple[int, int | None]] = {}
    for facts in rows:
        for number, event, match_id in _START_OR_END.findall(facts):
            first = found[match_id][0] if match_id in found else int(number)
            found[match_id] = (first, int(number) if event == "over" else None)
    return found
