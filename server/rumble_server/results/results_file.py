"""Read result files: CSV `first,second,score`, and our own JSON export. Bad rows are named, nothing is guessed.

CSV: the score is the first's, 1, 0.5 or 0. Without a header line a row has just these three columns. With one, columns
go by their names: `first`, `second` and `score` are required; `second_score` (for a match that nobody won),
`termination`, `at_fault` (seats, with blanks between them), `match` and `moves` are optional; others are skipped.
"""

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rumble_engine import Termination

from rumble_server.results.problems import BadResults
from rumble_server.results.result import Result, blame

COLUMNS = ("first", "second", "score")
OPTIONAL = ("second_score", "termination", "at_fault", "match", "moves")
SCORES = {"1": 1.0, "0.5": 0.5, "0": 0.0, "1.0": 1.0, "0.0": 0.0}
PAIRS = {(1.0, 0.0), (0.5, 0.5), (0.0, 1.0), (0.0, 0.0)}
TERMINATIONS = {str(kind): kind for kind in Termination if kind is not Termination.ABORTED}


@dataclass(frozen=True, slots=True)
class ResultsFile:
    """What a file has: `field` are all names, also those without a match; `byes` matches given as won, by name."""

    results: tuple[Result, ...]
    field: tuple[str, ...]
    byes: Mapping[str, int]
    tournament: Mapping[str, Any] | None = None
    """The `tournament` of a JSON export."""


def read_results(text: str) -> ResultsFile:
    """Read a file of either kind: JSON begins with `{`, which no CSV of ours can. Raises BadResults."""
    text = text.removeprefix("\ufeff")
    if text.lstrip().startswith("{"):
        try:
            document = json.loads(text)
        except json.JSONDecodeError as error:
            raise BadResults([f"line {error.lineno}, column {error.colno}: not JSON: {error.msg}"]) from None
        return read_export(document)
    return read_csv(text.splitlines(keepends=True))


class _Names:
    """Names as they first came. Two that differ only in case are refused: they may or may not be one bot."""

    def __init__(self) -> None:
        self.known: dict[str, tuple[str, str]] = {}

    def problem(self, name: object, where: str) -> str:
        if not isinstance(name, str) or not name or name != name.strip() or not name.isprintable():
            return f"{where}: {name!r} is not a name"
        first, place = self.known.setdefault(name.casefold(), (name, where))
        return "" if first == name else f"{where}: {name!r} and {first!r} ({place}) differ only in case"


def read_csv(lines: Iterable[str]) -> ResultsFile:
    """Read the results of CSV lines. Raises BadResults."""
    results: list[Result] = []
    problems: list[str] = []
    names = _Names()
    reader = csv.reader(lines, strict=True)
    at: dict[str, int] | None = None
    columns = len(COLUMNS)
    try:
        for row in reader:
            line = f"line {reader.line_num}"
            if not row or row == [""]:
                continue
            if at is None:
                at = _header(row, line)
                if at is not None:
                    columns = len(row)
                    continue
                at = {name: place for place, name in enumerate(COLUMNS)}
            if len(row) != columns:
                where = min(len(row), columns) + 1
                problems.append(f"{line}, column {where}: {len(row)} columns where there should be {columns}")
                continue
            found = _row(row, at, line, names)
            if isinstance(found, Result):
                results.append(found)
            else:
                problems += found
    except csv.Error as error:
        problems.append(f"line {reader.line_num}: not CSV: {error}")
    if problems:
        raise BadResults(problems)
    return ResultsFile(tuple(results), tuple(name for name, _ in names.known.values()), {})


def _header(row: list[str], line: str) -> dict[str, int] | None:
    """Return where the columns are, if the row is a header: that is, if any cell is the word `score`."""
    if "score" not in row:
        return None
    for name in (*COLUMNS, *OPTIONAL):
        if row.count(name) > 1:
            raise BadResults([f"{line}, column {len(row) - row[::-1].index(name)}: a second column {name!r}"])
    missing = [name for name in COLUMNS if name not in row]
    if missing:
        raise BadResults([f"{line}: the header has no column {missing[0]!r}"])
    return {name: row.index(name) for name in (*COLUMNS, *OPTIONAL) if name in row}


def _row(row: list[str], at: dict[str, int], line: str, names: _Names) -> Result | list[str]:
    def place(name: str) -> str:
        return f"{line}, column {at[name] + 1}"

    first, second, score = row[at["first"]], row[at["second"]], row[at["score"]]
    problems = []
    for name, value in (("first", first), ("second", second)):
        known = names.known.get(value.casefold())
        problem = "" if known and known[0] == value else names.problem(value, place(name))
        if problem:
            problems.append(problem)
    if not problems and first == second:
        problems.append(f"{place('second')}: {first} cannot play itself")
    got = SCORES.get(score)
    if got is None:
        problems.append(f"{place('score')}: the score must be 1, 0.5 or 0, not {score!r}")
    if len(at) == len(COLUMNS):
        return problems if got is None or problems else Result((first, second), (got, 1 - got))
    other = None if got is None else 1 - got
    if _has(row, at, "second_score"):
        given = row[at["second_score"]]
        other = SCORES.get(given)
        if (got, other) not in PAIRS:
            problems.append(f"{place('second_score')}: {given!r} does not go with the score {score!r}")
    termination = TERMINATIONS.get(row[at["termination"]] if _has(row, at, "termination") else "normal")
    if termination is None:
        problems.append(f"{place('termination')}: {row[at['termination']]!r} is not a termination")
    if problems or got is None or other is None or termination is None:
        return problems
    fault: tuple[int, ...] = blame((got, other), termination)
    if "at_fault" in at:
        cells = row[at["at_fault"]].split()
        if any(cell not in ("0", "1") for cell in cells):
            return [f"{place('at_fault')}: seats are 0 and 1, not {row[at['at_fault']]!r}"]
        fault = tuple(int(cell) for cell in cells)
    match = row[at["match"]] if "match" in at else ""
    moves = tuple(row[at["moves"]].split()) if "moves" in at else ()
    return Result((first, second), (got, other), termination, fault, match, moves)


def _has(row: list[str], at: dict[str, int], name: str) -> bool:
    """Whether the row has a value in an optional column."""
    return name in at and row[at[name]] != ""


def read_export(document: Any) -> ResultsFile:
    """Read the results of an export document (`export.json`), as parsed JSON. Raises BadResults."""
    if not isinstance(document, dict) or not isinstance(document.get("matches"), list):
        raise BadResults(['not an export of Rumble: it has no list "matches"'])
    tournament = document.get("tournament")
    tournament = tournament if isinstance(tournament, dict) else {}
    problems: list[str] = []
    names = _Names()
    field = tournament.get("names", [])
    for number, name in enumerate(field if isinstance(field, list) else []):
        problems += filter(None, [names.problem(name, f"tournament.names[{number}]")])
    results = []
    for number, match in enumerate(document["matches"]):
        found = _match(match, f"matches[{number}]", names)
        if isinstance(found, Result):
            results.append(found)
        else:
            problems += found
    byes = document.get("byes", {})
    if not isinstance(byes, dict) or not all(type(count) is int and count >= 0 for count in byes.values()):
        problems.append("byes: not a number of matches for each name")
    if problems:
        raise BadResults(problems)
    return ResultsFile(tuple(results), tuple(name for name, _ in names.known.values()), byes, tournament)


def _match(match: Any, where: str, names: _Names) -> Result | list[str]:
    if not isinstance(match, dict):
        return [f"{where}: not an object"]
    problems = []
    seats, scores = match.get("seats"), match.get("scores")
    if not isinstance(seats, list) or len(seats) != 2:
        problems.append(f"{where}.seats: not a list of two names")
    else:
        problems += filter(None, [names.problem(name, f"{where}.seats[{seat}]") for seat, name in enumerate(seats)])
        if not problems and seats[0] == seats[1]:
            problems.append(f"{where}.seats: {seats[0]} cannot play itself")
    if not isinstance(scores, list) or scores not in ([1, 0], [0, 1], [0.5, 0.5], [0, 0]):
        problems.append(f"{where}.scores: {scores!r} is none of [1, 0], [0, 1], [0.5, 0.5] and [0, 0]")
    kind = match.get("termination", "normal")
    termination = TERMINATIONS.get(kind) if isinstance(kind, str) else None
    if termination is None:
        problems.append(f"{where}.termination: {kind!r} is not a termination")
    moves = match.get("moves", [])
    if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
        problems.append(f"{where}.moves: not a list of texts")
    fault = match.get("at_fault")
    if fault is not None and (not isinstance(fault, list) or any(seat not in (0, 1) for seat in fault)):
        problems.append(f"{where}.at_fault: not a list of seats")
    if problems or termination is None or not isinstance(seats, list) or not isinstance(scores, list):
        return problems
    pair = (float(scores[0]), float(scores[1]))
    at_fault = blame(pair, termination) if fault is None else tuple(fault)
    return Result((seats[0], seats[1]), pair, termination, at_fault, str(match.get("id", "")), tuple(moves))
