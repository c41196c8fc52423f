"""Reading results of tables written as CSV, with columns for each seat: `seat_0,place_0,seat_1,place_1,...`.

A row is a match. Seats are counted from 0. For each seat, `seat_0` (a bot) and `place_0` (1 for the first; bots that
tie share the better place) are required. A table with fewer seats than the header has empty cells at the end of its
row. The column `match` is optional. For each seat, the columns `payoff_0` and `fall_0` (the termination of a seat that
fell out) are optional. Further columns are skipped.
"""

import re
from collections.abc import Sequence

from rumble_server.results.csv_results import indexes_of_columns, read_rows
from rumble_server.results.file_contents import FileNames, ResultsFile
from rumble_server.results.table_result import TableResult
from rumble_server.results.tables.reading import read_table

FIRST = "seat_0"
"""Name of the column that marks a file as a file of tables."""
OF_SEAT = ("seat", "place", "payoff", "fall")
REQUIRED = OF_SEAT[:2]
_SEAT = re.compile(r"seat_[0-9]+")


def read_table_csv(lines: Sequence[str], separator: str) -> ResultsFile:
    """Read the results of CSV lines with a header. Raises BadResults."""
    tables, field = read_rows(lines, separator, _header, _row)
    return ResultsFile((), field, {}, tables=tables)


def _header(row: list[str], line: str) -> dict[str, int]:
    """Return the index of each column by name. Raises BadResults."""
    seats = range(max(2, len({cell for cell in row if _SEAT.fullmatch(cell)})))
    required = [f"{name}_{seat}" for seat in seats for name in REQUIRED]
    optional = [f"{name}_{seat}" for seat in seats for name in OF_SEAT if name not in REQUIRED]
    return indexes_of_columns(row, line, required, [*optional, "match"])


def _row(row: list[str], at: dict[str, int], line: str, names: FileNames) -> TableResult | list[str]:
    """Return the result of a row, or a list of problems."""
    cells = {name: row[index] for name, index in at.items()}
    seats = sum(name.startswith("seat_") for name in at)
    while seats > 2 and not any(cells.get(f"{name}_{seats - 1}") for name in OF_SEAT):
        seats -= 1
    columns = {name: [_value(name, cells.get(f"{name}_{seat}", "")) for seat in range(seats)] for name in OF_SEAT}

    def where(name: str, seat: int) -> str:
        column = at.get(f"{name}_{seat}")  # a column of payoffs may be missing
        return line if column is None else f"{line}, column {column + 1}"

    return read_table(columns, cells.get("match", ""), names, where)


def _value(name: str, cell: str) -> object:
    """Return the value of a cell: None for an empty optional cell, a number for a place or payoff, else the text."""
    if name not in REQUIRED and not cell:
        return None
    if "_" in cell or not cell.isascii():  # such numbers are Python's own
        return cell
    try:
        return int(cell) if name == "place" else float(cell) if name == "payoff" else cell
    except ValueError:
        return cell
