"""`rumble schema`: the JSON Schema of every message."""

from pathlib import Path
from typing import Annotated

import typer


def schema(
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Write files into this folder instead.")] = None,
    asyncapi: Annotated[bool, typer.Option("--asyncapi", help="Print one AsyncAPI 3 document instead.")] = False,
) -> None:
    """Print the JSON Schema of every message, in a single JSON object keyed by file name."""
    from rumble_protocol.asyncapi import document
    from rumble_protocol.schema import schemas, text, write

    if out is None:
        typer.echo(text(document() if asyncapi else schemas()), nl=False)
        return
    if asyncapi:
        out.mkdir(parents=True, exist_ok=True)
        (out / "asyncapi.json").write_text(text(document()), encoding="utf-8")
    else:
        write(out)
    for name in ("asyncapi.json",) if asyncapi else schemas():
        typer.echo(out / name)
