"""Reading results written as CSV: `first,second,score`, with commas, semicolons or tabs.

The column `score` has the score of the first bot (1, 0.5 or 0), or the scores of both bots (such as 1-0 or 1/2-1/2).

Without a header line, each row has exactly these three columns. With a header line, columns are found by name: `first`,
`second` and `score` are required; `second_score` (for a match that both bots lost), `termination`, `at_fault` (seats,
with blanks between), `match` and `moves` are optional. Further columns are skipped.
"""

import csv
from collections.abc import Callable, Sequence
from typing import TypeVar

from rumble_server.results.file_contents import TERMINATIONS, FileNames, ResultsFile
from rumble_server.results.problems import BadResults
from rumble_server.results.result import Result, blame

COLUMNS = ("first", "second", "score")
OPTIONAL = ("second_score", "termination", "at_fault", "match", "moves")
SEPARATORS = (",", ";", "\t")
SCORES = {"1": 1.0, "0.5": 0.5, "0": 0.0, "1.0": 1.0, "0.0": 0.0, "1/2": 0.5, "½": 0.5, "0,5": 0.5}
PAIRS = {(1.0, 0.0), (0.5, 0.5), (0.0, 1.0), (0.0, 0.0)}
DASHES = str.maketrans("–−", "--")
R = TypeVar("R")


def read_csv(lines: Sequence[str]) -> ResultsFile:
    """Read the results of CSV lines. Raises BadResults."""
    results, field = read_rows(lines, _separator(lines), _header, _row)
    return ResultsFile(results, field, {})


def read_rows(
    lines: Sequence[str],
    separator: str,
    header: Callable[[list[str], str], dict[str, int] | None],
    row: Callable[[list[str], dict[str, int], str, FileNames], R | list[str]],
) -> tuple[tuple[R, ...], tuple[str, ...]]:
    """Read CSV lines, and return the results and the names of all bots. Raises BadResults.

    The function `header` gets the first row, and returns the index of each column by name, or None if the row is no
    header. The function `row` gets each row that is no header, and returns a result, or a list of problems.
    """
    results: list[R] = []
    problems: list[str] = []
    names = FileNames()
    reader = csv.reader(lines, strict=True, delimiter=separator)
    at: dict[str, int] | None = None
    columns = len(COLUMNS)
    try:
        for cells in reader:
            line = f"line {reader.line_num}"
            if not cells or cells == [""]:
                continue
            if at is None:
                at = header(cells, line)
                if at is not None:
                    columns = len(cells)
                    continue
                at = {name: index for index, name in enumerate(COLUMNS)}
            if len(cells) != columns:
                where = min(len(cells), columns) + 1
                problems.append(f"{line}, column {where}: {len(cells)} columns where there should be {columns}")
                continue
            found = row(cells, at, line, names)
            if isinstance(found, list):
                problems += found
            else:
                results.append(found)
    except csv.Error as error:
        problems.append(f"line {reader.line_num}: not CSV: {error}")
    if problems:
        raise BadResults(problems)
    return tuple(results), tuple(name for name, _ in names.spellings.values())


def separator_of_header(lines: Sequence[str], column: str) -> str | None:
    """Return the separator with which the first line has a cell `column`; None if there is no such separator."""
    return next((each for each in SEPARATORS if column in _first_row(lines, each)), None)


def _first_row(lines: Sequence[str], separator: str) -> list[str]:
    """Return the cells of the first line that is not blank; an empty list if a cell is too long to be read."""
    first = next((line for line in lines if line.strip()), "")
    try:
        return next(csv.reader([first], delimiter=separator))
    except csv.Error:
        return []


def _separator(lines: Sequence[str]) -> str:
    """Return the separator of CSV lines: the separator that makes the first line a header or a result.

    If no separator does so, return the first separator that gives three columns or more. If no separator gives three
    columns, return a comma. Names of bots may contain the other separators.
    """
    rows = {each: _first_row(lines, each) for each in SEPARATORS}
    for each, row in rows.items():
        if "score" in row or (len(row) == len(COLUMNS) and _score(row[2])[0] is not None):
            return each
    return next((each for each, row in rows.items() if len(row) >= len(COLUMNS)), ",")


def _header(row: list[str], line: str) -> dict[str, int] | None:
    """Return the index of each column by name; None if the row has no cell `score`, and is therefore no header.

    Raises BadResults for a header without a required column, or with two columns of the same name.
    """
    return indexes_of_columns(row, line, COLUMNS, OPTIONAL) if "score" in row else None


def indexes_of_columns(row: list[str], line: str, required: Sequence[str], optional: Sequence[str]) -> dict[str, int]:
    """Return the index of each column in a header, by name.

    Raises BadResults for a header without a required column, or with two columns of the same name.
    """
    for name in (*required, *optional):
        if row.count(name) > 1:
            raise BadResults([f"{line}, column {len(row) - row[::-1].index(name)}: a second column {name!r}"])
    missing = [name for name in required if name not in row]
    if missing:
        raise BadResults([f"{line}: the header has no column {missing[0]!r}"])
    return {name: row.index(name) for name in (*required, *optional) if name in row}


def _row(row: list[str], at: dict[str, int], line: str, names: FileNames) -> Result | list[str]:
    def where(name: str) -> str:
        return f"{line}, column {at[name] + 1}"

    first, second, score = row[at["first"]], row[at["second"]], row[at["score"]]
    problems = []
    for name, value in (("first", first), ("second", second)):
        known = names.spellings.get(value.casefold())
        problem = "" if known and known[0] == value else names.check_name(value, where(name))
        if problem:
            problems.append(problem)
    if not problems and first == second:
        problems.append(f"{where('second')}: {first} cannot play itself")
    got, other = _score(score)
    if got is None:
        problems.append(f"{where('score')}: the score must be 1, 0.5 or 0, not {score!r}")
    if len(at) == len(COLUMNS):
        return problems if got is None or other is None or problems else Result((first, second), (got, other))
    if _has(row, at, "second_score"):
        given = row[at["second_score"]]
        other = SCORES.get(given)
        if (got, other) not in PAIRS:
            problems.append(f"{where('second_score')}: {given!r} does not go with the score {score!r}")
    termination = TERMINATIONS.get(row[at["termination"]] if _has(row, at, "termination") else "normal")
    if termination is None:
        problems.append(f"{where('termination')}: {row[at['termination']]!r} is not a termination")
    if problems or got is None or other is None or termination is None:
        return problems
    fault: tuple[int, ...] = blame((got, other), termination)
    if "at_fault" in at:
        cells = row[at["at_fault"]].split()
        if any(cell not in ("0", "1") for cell in cells):
            return [f"{where('at_fault')}: seats are 0 and 1, not {row[at['at_fault']]!r}"]
        fault = tuple(int(cell) for cell in cells)
    match = row[at["match"]] if "match" in at else ""
    return Result((first, second), (got, other), termination, fault, match)


def _score(text: str) -> tuple[float | None, float | None]:
    """Return the scores of both bots; (None, None) for a text without a score."""
    one = SCORES.get(text)
    if one is not None:
        return one, 1 - one
    first, dash, second = text.translate(DASHES).partition("-")
    got, other = SCORES.get(first.strip()), SCORES.get(second.strip())
    return (got, other) if dash and (got, other) in PAIRS else (None, None)


def _has(row: list[str], at: dict[str, int], name: str) -> bool:
    """Return true if a row has a value in an optional column."""
    return name in at and row[at[name]] != ""
