"""`rumble standings`: ranks and tie-breaks of any result file."""

import json
from typing import Annotated

import typer

from rumble_server.cli.errors import CliError, ExitCode
from rumble_server.cli.options import Json


def standings(
    file: Annotated[str, typer.Argument(help="CSV `first,second,score`, or our JSON export; - for standard input.")],
    tiebreaks: Annotated[
        str, typer.Option(help="In order: de, won, sb, ks, bwg, buchholz, faults; empty for none.")
    ] = "de,won,sb,ks",
    points: Annotated[str, typer.Option(help="For a win, a draw and a loss.")] = "1,0.5,0",
    json_: Json = False,
) -> None:
    """Rank the bots of a result file."""
    from rumble_server.cli.result_file import read
    from rumble_server.cli.tables import plain_or_rich, ranked_table
    from rumble_server.tournament.tiebreaks import rank

    results = read(file)
    names = [name.strip() for name in tiebreaks.split(",") if name.strip()]
    try:
        worth = tuple(float(value) for value in points.split(","))
        if len(worth) != 3:
            raise ValueError(f"--points takes three numbers, like 3,1,0, not {points!r}")
        lines = rank(results.results, names, worth, field=results.field, byes=results.byes)
    except ValueError as error:
        raise CliError(str(error), ExitCode.USAGE) from None
    if json_:
        typer.echo(json.dumps({"tiebreaks": names, "standings": [line.as_json() for line in lines]}))
    else:
        plain_or_rich().print(ranked_table(file, names, lines))
