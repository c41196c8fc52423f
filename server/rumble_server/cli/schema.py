"""`rumble schema`: the protocol for machines."""

import json
from pathlib import Path
from typing import Annotated

import typer


def schema(
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Write one file per schema there instead.")] = None,
) -> None:
    """Print the JSON Schema of every message, as one object by file name."""
    from rumble_protocol.schema import schemas, write

    if out is None:
        typer.echo(json.dumps(schemas(), indent=2))
        return
    write(out)
    for name in schemas():
        typer.echo(out / name)
