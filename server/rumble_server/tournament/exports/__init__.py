"""The export document (`export.json`, see `document.py`) in other formats: CSV, PGN, SGF, TRF."""

from collections.abc import Callable, Mapping
from typing import Any

from rumble_server.tournament.exports import csv_file, pgn, sgf, trf

Document = Mapping[str, Any]

WRITERS: dict[str, tuple[Callable[[Document], str], str]] = {
    "csv": (csv_file.write, "text/csv; charset=utf-8"),
    "pgn": (pgn.write, "application/x-chess-pgn; charset=utf-8"),
    "sgf": (sgf.write, "application/x-go-sgf; charset=utf-8"),
    "trf": (trf.write, "text/plain; charset=utf-8"),
}
"""By file name extension: the writer and the media type. A writer raises ValueError for what it cannot express."""
