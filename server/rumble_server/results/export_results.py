"""Reading the results in Rumble's own JSON export."""

from typing import Any

from rumble_server.results.file_contents import TERMINATIONS, FileNames, ResultsFile
from rumble_server.results.paired import read_paired
from rumble_server.results.problems import BadResults
from rumble_server.results.result import Result, blame
from rumble_server.results.table_result import TableResult
from rumble_server.results.tables.export_tables import has_tables, read_export_table


def read_export(document: Any) -> ResultsFile:
    """Read the results in a parsed export document (`export.json`). Raises BadResults."""
    if not isinstance(document, dict) or not isinstance(document.get("matches"), list):
        raise BadResults(['not an export of Rumble: it has no list "matches"'])
    tournament = document.get("tournament")
    tournament = tournament if isinstance(tournament, dict) else {}
    problems: list[str] = []
    names = FileNames()
    field = tournament.get("names", [])
    for number, name in enumerate(field if isinstance(field, list) else []):
        problems += filter(None, [names.check_name(name, f"tournament.names[{number}]")])
    results: list[Result] = []
    tables: list[TableResult] = []
    matches = document["matches"]
    of_tables = has_tables(matches)
    paid = bool(matches) and all(isinstance(match, dict) and match.get("payoffs") is not None for match in matches)
    readers = [*([] if of_tables else [_match]), *([read_export_table] if of_tables or paid else [])]
    for number, match in enumerate(matches):
        for read in readers:
            found = read(match, f"matches[{number}]", names)
            if isinstance(found, Result):
                results.append(found)
            elif isinstance(found, TableResult):
                tables.append(found)
            else:
                problems += found
    byes = document.get("byes", {})
    if not isinstance(byes, dict) or not all(type(count) is int and count >= 0 for count in byes.values()):
        problems.append("byes: not a number of matches for each name")
    else:
        problems += filter(None, [names.check_name(name, "byes") for name in byes])
    known = tuple(name for name, _ in names.spellings.values())
    paired = None
    if "rounds_paired" in tournament and not of_tables:
        try:
            paired = read_paired(tournament["rounds_paired"], known)
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise BadResults(problems)
    return ResultsFile(tuple(results), known, byes, tournament, paired, tables=tuple(tables))


def _match(match: Any, where: str, names: FileNames) -> Result | list[str]:
    if not isinstance(match, dict):
        return [f"{where}: not an object"]
    problems = []
    seats, scores = match.get("seats"), match.get("scores")
    if not isinstance(seats, list) or len(seats) != 2:
        problems.append(f"{where}.seats: not a list of two names")
    else:
        problems += filter(None, [names.check_name(name, f"{where}.seats[{seat}]") for seat, name in enumerate(seats)])
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
    at_fault = blame(pair, termination) if fault is None else tuple(map(int, fault))
    return Result((seats[0], seats[1]), pair, termination, at_fault, str(match.get("id", "")))
