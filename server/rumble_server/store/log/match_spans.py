"""A search for starts and ends of matches in the texts of rows, for the index of matches."""

import re
from collections.abc import Iterable

_START_OR_END = re.compile(r'\[(\d+),"match_(started|over)","([^"]+)"')
"""Pattern of the start or end of a match in the text of a row.

Texts that users chose cannot match the pattern, because quotation marks in such texts are escaped.
"""


def spans(rows: Iterable[str]) -> dict[str, tuple[int, int | None]]:
    """Find the matches that start or end in `rows`. Return the numbers of each match's first and last facts.

    `rows` are texts of a club's rows in the log's order. The first fact of a match is the earliest start
    or end in `rows`. The last fact is the match's end, or None if the match has not ended since its last start.
    """
    span_of: dict[str, tuple[int, int | None]] = {}
    for facts in rows:
        for number, event, match_id in _START_OR_END.findall(facts):
            first = span_of[match_id][0] if match_id in span_of else int(number)
            span_of[match_id] = (first, int(number) if event == "over" else None)
    return span_of
