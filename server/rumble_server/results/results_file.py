"""Reading files of results: CSV, Rumble's own JSON export, and TRF. Nothing is guessed; errors name the bad rows."""

import json
import re

from rumble_server.results.csv_results import read_csv, separator_of_header
from rumble_server.results.export_results import read_export
from rumble_server.results.file_contents import ResultsFile
from rumble_server.results.problems import BadResults
from rumble_server.results.tables.csv_tables import FIRST, read_table_csv
from rumble_server.results.trf.reader import read_trf
from rumble_server.results.trf_results import results_of

_FIRST_OF_TRF = re.compile(r"\s*(###|001|[0-9]{2}2|XX[A-Z]|BB[A-Z])( |$)", re.MULTILINE)
"""Pattern of the beginning of a TRF file: the code of its first line."""
_PLAYER = re.compile(r"^001 ", re.MULTILINE)
"""Pattern of the beginning of a player's line. Every TRF file has such lines."""


def read_results(text: str) -> ResultsFile:
    """Read a file of any kind. Raises BadResults.

    A text that begins with `{` is JSON. A text that begins with a code of TRF and has lines of players is TRF. Any
    other text is CSV.
    """
    text = text.removeprefix("\ufeff")
    if text.lstrip().startswith("{"):
        try:
            document = json.loads(text)
        except json.JSONDecodeError as error:
            raise BadResults([f"line {error.lineno}, column {error.colno}: not JSON: {error.msg}"]) from None
        except (RecursionError, ValueError) as error:  # nested too deep, or a number with too many digits
            raise BadResults([f"line 1, column 1: not JSON: {error}"]) from None
        return read_export(document)
    if _FIRST_OF_TRF.match(text) and _PLAYER.search(text):
        return results_of(read_trf(text))
    lines = text.splitlines(keepends=True)
    separator = separator_of_header(lines, FIRST)
    return read_csv(lines) if separator is None else read_table_csv(lines, separator)
