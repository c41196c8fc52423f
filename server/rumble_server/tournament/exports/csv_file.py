"""CSV: a line with the names of the columns, and then a row for each match. `rumble standings` and `rumble ratings` can
read the file.

If a match has more than two seats, each seat has its own columns.
"""

import csv
import io
from collections.abc import Mapping
from typing import Any

from rumble_server.results.tables.csv_tables import OF_SEAT

HEADER = ("match", "attempt", "first", "second", "score", "second_score", "termination", "at_fault", "reason", "moves")
TABLE_HEADER = ("match", "attempt", "termination", "reason", "moves")


def write(document: Mapping[str, Any], seats: int | None = None) -> str:
    """Return the matches of an export document as CSV.

    If `seats` is given, or if a match has more than two seats, each seat has its own columns. At least `seats` seats
    get columns. In all other cases the columns are `HEADER`, without `at_fault` if a match lacks this field.
    """
    matches = document["matches"]
    most = max([seats or 2, *(len(match["seats"]) for match in matches)])
    out = io.StringIO()
    if seats is not None or most > 2:
        columns = (f"{name}_{seat}" for seat in range(most) for name in OF_SEAT)
        header, row = [*TABLE_HEADER[:2], *columns, *TABLE_HEADER[2:]], _table_row
    else:
        has_fault = all("at_fault" in match for match in matches)
        header, row = [name for name in HEADER if has_fault or name != "at_fault"], _row
    writer = csv.DictWriter(out, header, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {**match, "match": match["id"], "moves": " ".join(match["moves"]), **row(match)} for match in matches
    )
    return out.getvalue()


def _row(match: Mapping[str, Any]) -> dict[str, Any]:
    first, second = match["seats"]
    score, second_score = (f"{score:g}" for score in match["scores"])
    at_fault = " ".join(map(str, match.get("at_fault", ())))
    return {"first": first, "second": second, "score": score, "second_score": second_score, "at_fault": at_fault}


def _table_row(match: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for seat, (name, place) in enumerate(zip(match["seats"], match["places"], strict=True)):
        row |= {f"seat_{seat}": name, f"place_{seat}": place}
    row |= {f"payoff_{seat}": payoff for seat, payoff in enumerate(match.get("payoffs") or ())}
    return row | {f"fall_{fall['seat']}": fall["termination"] for fall in match.get("falls", ())}
