"""CSV: a line with the names of the columns, and then a row for each match. `rumble standings` and `rumble ratings` can
read the file.

If a match has more than two seats, each seat has its own columns.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from rumble_server.results.tables.csv_tables import OF_SEAT

HEADER = ("match", "attempt", "first", "second", "score", "second_score", "termination", "at_fault", "reason", "moves")
TABLE_HEADER = ("match", "attempt", "termination", "reason", "moves")


def write(document: Mapping[str, Any], seats: int | None = None) -> str:
    """Return the matches of an export document as CSV.

    If `seats` is given, or if a match has more than two seats, each seat has its own columns. At least `seats` seats
    get columns. In all other cases the columns are `HEADER`, without `at_fault` if a match lacks this field.
    """
    most = max([seats or 2, *(len(match["seats"]) for match in document["matches"])])
    if seats is not None or most > 2:
        return _write_tables(document["matches"], most)
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


def _write_tables(matches: Iterable[Mapping[str, Any]], seats: int) -> str:
    header = [*TABLE_HEADER[:2], *(f"{name}_{seat}" for seat in range(seats) for name in OF_SEAT), *TABLE_HEADER[2:]]
    out = io.StringIO()
    writer = csv.DictWriter(out, header, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for match in matches:
        row = {**match, "match": match["id"], "moves": " ".join(match["moves"])}
        for seat, (name, place) in enumerate(zip(match["seats"], match["places"], strict=True)):
            row |= {f"seat_{seat}": name, f"place_{seat}": place}
        row |= {f"payoff_{seat}": payoff for seat, payoff in enumerate(match.get("payoffs") or ())}
        row |= {f"fall_{fall['seat']}": fall["termination"] for fall in match.get("falls", ())}
        writer.writerow(row)
    return out.getvalue()
