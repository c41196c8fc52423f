"""`rumble watch`: follow a tournament in a terminal or a pipe."""

from typing import Annotated

import typer

from rumble_server.cli.support.options import LOCAL_SERVER, Server


def watch(
    tournament_id: Annotated[str, typer.Argument(metavar="ID", help="A tournament's id; see: rumble tournament list.")],
    server: Server = LOCAL_SERVER,
    boards: Annotated[int, typer.Option(min=0, help="On a terminal: how many running matches to draw.")] = 1,
) -> None:
    """Follow a tournament to its end, with live standings and a board.

    In a pipe, print each result, and the standings at the end.
    """
    from rumble_server.cli.support.watching import watch_to_its_end

    watch_to_its_end(server, tournament_id, boards)
