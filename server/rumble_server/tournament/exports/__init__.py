"""The export document (`export.json`, see `document.py`) in other formats: CSV, PGN, SGF, PHH, TRF.

The API's routes of exports find the writer in `WRITERS` by the file name extension in the request.
"""

from collections.abc import Callable, Mapping
from typing import Any

from rumble_server.tournament.exports import csv_file, pgn, phh, sgf, trf

Document = Mapping[str, Any]

WRITERS: dict[str, tuple[Callable[[Document], str], str]] = {
    "csv": (csv_file.write, "text/csv; charset=utf-8"),
    "pgn": (pgn.write, "application/x-chess-pgn; charset=utf-8"),
    "phhs": (phh.write, "application/toml; charset=utf-8"),
    "sgf": (sgf.write, "application/x-go-sgf; charset=utf-8"),
    "trf": (trf.write, "text/plain; charset=utf-8"),
}
"""The writer and the media type for each file name extension.

A writer raises ValueError for a tournament that its format cannot express.
"""
