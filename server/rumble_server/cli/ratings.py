"""`rumble ratings`: a joint rating of the field of any result file."""

import json
from enum import StrEnum
from typing import Annotated

import typer

from rumble_server.cli.support.options import Json


class Prior(StrEnum):
    """Whether a virtual draw a pair may keep ratings finite."""

    AUTO = "auto"
    NONE = "none"


def ratings(
    file: Annotated[str, typer.Argument(help="CSV `first,second,score`, or our JSON export; - for standard input.")],
    prior: Annotated[Prior, typer.Option(help="auto: only where the fit would be infinite.")] = Prior.AUTO,
    first_move: Annotated[
        bool, typer.Option("--first-move/--no-first-move", help="Rate what the first seat is worth, too.")
    ] = True,
    json_: Json = False,
) -> None:
    """Rate the bots of a result file, with 95% intervals."""
    from rumble_server.cli.support.result_file import read
    from rumble_server.cli.support.tables import plain_or_rich, ratings_table
    from rumble_server.results.ratings import rate

    results = read(file)
    rated = rate(results.results, field=results.field, prior=prior.value, first_move=first_move)
    if json_:
        typer.echo(json.dumps(rated.as_json()))
        return
    console = plain_or_rich()
    console.print(ratings_table(file, rated))
    console.print(f"model: {rated.model}", soft_wrap=True)
    for note in (rated.prior_reason, *rated.notes):
        if note:
            console.print(note, soft_wrap=True)
