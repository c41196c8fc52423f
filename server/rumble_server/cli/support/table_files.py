"""Standings of a result file with tables, for `rumble standings`."""

import json
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rumble_server.results.file_contents import ResultsFile
    from rumble_server.results.tables.points import TablePoints


def counts_as_tables(results: "ResultsFile", points: str | None) -> bool:
    """Return whether to rank the bots of a file by tables instead of by matches of two.

    True if the file has only tables (`results.is_of_tables`). Also true if the file has all results in both forms
    (`results.tables` is not empty), and `points` or the file's tournament chooses payoffs as the points.
    """
    from rumble_server.results.tables.points import PAYOFFS

    file_points = (results.tournament or {}).get("table_points")
    return results.is_of_tables or (bool(results.tables) and PAYOFFS in (points, file_points))


def print_standings(file: str, results: "ResultsFile", names: list[str], points: str | None, *, as_json: bool) -> None:
    """Rank the bots of a file and print the standings. Raises ValueError."""
    from rumble_server.cli.output.tables import TABLE_RECORD, ranked_table, tiebreak_legend
    from rumble_server.cli.output.terminal import plain_or_rich
    from rumble_server.results.tables.standings import TABLE_TIEBREAKS, rank_tables
    from rumble_server.results.tables.tally import TableTally, finished_before

    tally = TableTally.of(results.tables, results.field, results.byes)
    lines = rank_tables(tally, names, given_points(points, results))
    if as_json:
        standings = [line.model_dump(exclude_unset=True, exclude={"faults"}) for line in lines]
        typer.echo(json.dumps({"tiebreaks": names, "standings": standings, "finished_before": finished_before(tally)}))
        return
    table = ranked_table(file, names, lines, TABLE_RECORD)
    plain_or_rich().print(table, *tiebreak_legend(table, TABLE_TIEBREAKS), sep="\n")


def given_points(text: str | None, results: "ResultsFile") -> "TablePoints":
    """Return the rule for points. The rule is described by `text`, or by the file's `table_points` if `text` is None.

    If the file has no `table_points` either, return the rule that gives points by places. Raises ValueError.
    """
    from rumble_server.results.tables.points import PLACES, TablePoints

    tournament = results.tournament or {}
    file_points, seats = tournament.get("table_points"), tournament.get("seats")
    if text is None and isinstance(file_points, list):
        text = ",".join(map(str, file_points))
    elif text is None and isinstance(file_points, str):
        text = file_points
    if text is None or text == PLACES:
        return TablePoints(seats=seats if type(seats) is int else None)
    return TablePoints.read(text)
