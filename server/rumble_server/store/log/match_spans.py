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
    """Return, for each match that starts or ends in some rows of a club, the numbers of its first and last facts.

    `rows` must be in the log's order. The first fact is the match's first start in the rows; without a start there, it
    is the match's end. The last fact is the match's end; None if the match has not ended since its last start.
    """
    found: dict[str, tuple[int, int | None]] = {}
    for facts in rows:
        for number, event, match_id in _START_OR_END.findall(facts):
            first = found[match_id][0] if match_id in found else int(number)
            found[match_id] = (first, int(number) if event == "over" else None)
    return found
