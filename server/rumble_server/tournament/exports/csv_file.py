"""CSV: a header and a row for each match; `rumble standings` and `rumble ratings` can read the file."""

import csv
import io
from collections.abc import Mapping
from typing import Any

HEADER = ("match", "attempt", "first", "second", "score", "second_score", "termination", "at_fault", "reason", "moves")


def write(document: Mapping[str, Any]) -> str:
    """Write the matches of an export document. The column `at_fault` is left out if any match lacks the field."""
    has_fault = all("at_fault" in match for match in document["matches"])
    header = [name for name in HEADER if has_fault or name != "at_fault"]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for match in document["matches"]:
        first, second = match["seats"]
        score, second_score = match["scores"]
        row = {
            **match,
            "match": match["id"],
            "first": first,
            "second": second,
            "score": f"{score:g}",
            "second_score": f"{second_score:g}",
            "at_fault": " ".join(str(seat) for seat in match.get("at_fault", ())),
            "moves": " ".join(match["moves"]),
        }
        writer.writerow(row[name] for name in header)
    return out.getvalue()
