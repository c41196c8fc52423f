"""`rumble standings`: rank the bots of any result file."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from rumble_server.cli.support.errors import CliError, ExitCode
from rumble_server.cli.support.options import Json, read_points

if TYPE_CHECKING:
    from rumble_server.results.results_file import ResultsFile


def standings(
    file: Annotated[str, typer.Argument(help="A CSV `first,second,score` or an export.json; - for standard input.")],
    tiebreaks: Annotated[
        str | None,
        typer.Option(
            help="Tie-breaks in order: de, won, sb, ks, bwg, buchholz, faults; empty for none. "
            "By default those of the export; de,won,sb,ks for a CSV."
        ),
    ] = None,
    points: Annotated[
        str | None,
        typer.Option(help="Points for a win, a draw and a loss; by default those of the export; 1,0.5,0 for a CSV."),
    ] = None,
    json_: Json = False,
) -> None:
    """Rank the bots of a result file."""
    from rumble_server.cli.support.files import read_results_file
    from rumble_server.cli.support.tables import ranked_table
    from rumble_server.cli.support.terminal import plain_or_rich
    from rumble_server.results.tiebreaks import rank

    results = read_results_file(file)
    names = given_names(tiebreaks, results)
    try:
        lines = rank(results.results, names, given_points(points, results), field=results.field, byes=results.byes)
    except ValueError as error:
        raise CliError(str(error), ExitCode.USAGE) from None
    if json_:
        told = [line.model_dump(exclude_unset=True, exclude={"faults"}) for line in lines]
        typer.echo(json.dumps({"tiebreaks": names, "standings": told}))
    else:
        console = plain_or_rich()
        console.print(ranked_table(file, names, lines))
        if (results.tournament or {}).get("format") == "knockout":
            console.print("a knockout ranks by how far a bot came; these ranks are by points", soft_wrap=True)


def given_names(text: str | None, results: "ResultsFile") -> list[str]:
    """Return the tie-breaks in `text`, by default those of the file."""
    from rumble_server.results.tiebreaks import DEFAULT, TIEBREAKS

    if text is not None:
        return [name.strip() for name in text.split(",") if name.strip()]
    told = (results.tournament or {}).get("tiebreak_order")
    known = isinstance(told, list) and all(isinstance(name, str) and name in TIEBREAKS for name in told)
    return list(told) if told is not None and known else list(DEFAULT)


def given_points(text: str | None, results: "ResultsFile") -> tuple[float, float, float]:
    """Return the points in `text`, by default those of the file. Raises ValueError."""
    if text is not None:
        return read_points(text)
    told = (results.tournament or {}).get("scheme")
    if isinstance(told, list) and len(told) == 3 and all(isinstance(value, int | float) for value in told):
        win, draw, loss = map(float, told)
        return win, draw, loss
    return 1, 0.5, 0
