"""`rumble replay`: step through a match in the terminal."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.output.terminal import plain_or_rich, writer
from rumble_server.cli.support.options import LOCAL_SERVER, Server


def replay(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE_OR_ID", help="An export.json, a transcript, - for standard input, or a match's id."
        ),
    ],
    server: Server = LOCAL_SERVER,
    match_id: Annotated[
        str | None, typer.Option("--match", metavar="ID", help="Which match of an export that has several.")
    ] = None,
    ply: Annotated[int | None, typer.Option(min=0, help="Begin at this ply; in a pipe, print only this one.")] = None,
) -> None:
    """Step through a match ply by ply; in a pipe, print every board."""
    from functools import partial

    from rumble_server.cli.output.boards import board_of
    from rumble_server.cli.support.files import read_text
    from rumble_server.cli.support.recorded_match import from_server, from_text
    from rumble_server.cli.support.replaying import Replay, step

    if source == "-" or Path(source).is_file():
        recorded = from_text(read_text(source), source, match_id)
    elif Path(source).is_dir():
        raise CliError(f"{source}: this is a folder")
    elif "/" in source or source.endswith((".json", ".jsonl")):
        raise CliError(f"{source}: there is no such file")
    else:
        recorded = from_server(server, source)
    console = plain_or_rich()
    write, replayed = writer(console), Replay(recorded, partial(board_of, console))
    if ply is not None and ply > replayed.last:
        raise CliError(f"{recorded.match_id} has only {replayed.last} plies", ExitCode.USAGE)
    if sys.stdin.isatty() and sys.stdout.isatty() and source != "-":
        step(replayed, ply or 0, lambda: sys.stdin.readline() or "q", write)
    else:
        write(replayed.title())
        for each in range(replayed.last + 1) if ply is None else (ply,):
            for part in replayed.page(each):
                write(part)
