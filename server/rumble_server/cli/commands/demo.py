"""`rumble demo`: a tournament on one machine, with a server, bots as processes, and a crosstable."""

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from rumble_server.cli.support import completion
from rumble_server.cli.support.bot_names import DEFAULT_HOUSE, read_house
from rumble_server.cli.support.options import Game, Seed


def demo(
    bots: Annotated[
        str | None,
        typer.Option(
            help="Like random,minimax,my.py:ai, or random:64 for 64 of them; by default all that can play.",
            autocompletion=completion.bots,
        ),
    ] = None,
    game: Game = "tictactoe",
    format_: Annotated[
        str,
        typer.Option("--format", help="round-robin, gauntlet, knockout or swiss.", autocompletion=completion.formats),
    ] = "round-robin",
    cycles: Annotated[int, typer.Option(min=1, max=1000, help="How often everyone meets everyone.")] = 1,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 takes a free one.")] = 0,
    db: Annotated[str | None, typer.Option(help="File to keep the event log in; by default it is deleted.")] = None,
    seed: Seed = 0,
    house: Annotated[
        str, typer.Option(metavar="LIST|none", help="House bots that can be challenged while the page stays.")
    ] = DEFAULT_HOUSE,
    exit_: Annotated[
        bool, typer.Option("--exit", help="End with the tournament; otherwise the page stays until Ctrl-C.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print the standings and matches as one JSON object.")] = False,
) -> int:
    """Play a tournament between bots on this machine: by default a double round-robin of the reference bots."""
    from rumble_engine import get_game
    from rumble_protocol.fields import TimeControl

    from rumble_server.cli.practice.demonstration import chosen_bots, demonstrate
    from rumble_server.cli.support.local_config import local_config
    from rumble_server.cli.support.loop import run
    from rumble_server.config import ServerConfig

    names = chosen_bots(bots, game)
    config = local_config(
        name=f"{get_game(game).title} demo",
        game=game,
        format=format_,
        cycles=cycles,
        seed=seed,
        time_control=TimeControl(move_ms=10_000),
        start_at_bots=len(names),
    )
    stays = sys.stdout.isatty() and not exit_ and not json_
    with tempfile.TemporaryDirectory(prefix="rumble-") as folder:
        place = db or str(Path(folder) / "rumble.db")
        server = ServerConfig(port=port, db=place, house=read_house(house) if stays else (), drain_ms=0)
        return run(demonstrate(server, config, names, stays=stays, as_json=json_))
