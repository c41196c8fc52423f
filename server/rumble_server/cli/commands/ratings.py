"""`rumble ratings`: rate the bots of any result file."""

import json
from typing import Annotated, Literal

import typer

from rumble_server.cli.support.options import Json, ResultsFileName


def ratings(
    file: ResultsFileName,
    prior: Annotated[
        Literal["auto", "none"],
        typer.Option(help="auto: add a virtual draw for each pair if ratings would be infinite."),
    ] = "auto",
    first_move: Annotated[
        bool,
        typer.Option(
            "--first-move/--no-first-move",
            help="Estimate the advantage of the first move, too; at tables, of each seat.",
        ),
    ] = True,
    json_: Json = False,
) -> None:
    """Rate the bots of a result file, with 95% intervals."""
    from rumble_server.cli.output.tables import ratings_table
    from rumble_server.cli.output.terminal import plain_or_rich
    from rumble_server.cli.support.files import read_results_file
    from rumble_server.results.ratings import rate_tally
    from rumble_server.results.tables.ratings import rate_table_tally
    from rumble_server.results.tables.tally import TableTally
    from rumble_server.results.tally import Tally

    results = read_results_file(file)
    if results.is_of_tables:
        of_tables = TableTally.of(results.tables, results.field)
        rated = rate_table_tally(of_tables, prior=prior, seats=first_move)
    else:
        of_pairs = Tally.of(results.results, results.field)
        rated = rate_tally(of_pairs, prior=prior, first_move=first_move)
    if json_:
        typer.echo(json.dumps(rated.as_json()))
        return
    console = plain_or_rich()
    console.print(ratings_table(file, rated))
    console.print(f"model: {rated.model}", soft_wrap=True)
    for note in rated.notes:
        console.print(note, soft_wrap=True)
