"""`rumble practice`: run a bot's program against a reference bot on this machine, and show every frame."""

from typing import Annotated

import typer

from rumble_server.cli.support import completion
from rumble_server.cli.support.bot_names import program
from rumble_server.cli.support.options import Game, Json, Seed, Setting, read_settings


def practice(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- COMMAND",
            help="Starts the bot, or FILE.py:FUNCTION. Its environment has RUMBLE_SERVER (host:port), RUMBLE_JOIN, "
            "RUMBLE_NAME and RUMBLE_KEY; its arguments may have {address} (as RUMBLE_SERVER), {join} and {name}.",
        ),
    ],
    game: Game = "tictactoe",
    setting: Setting = None,
    against: Annotated[
        str, typer.Option(metavar="BOT", help="The reference bot, or FILE.py:FUNCTION.", autocompletion=completion.bots)
    ] = "random",
    seed: Seed = 0,
    matches: Annotated[int, typer.Option(min=1, max=1000, help="How many matches.")] = 1,
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter before each turn is sent to the bot.")] = False,
    json_: Json = False,
) -> int:
    """Let a bot play a reference bot without a clock, show every frame, and say how to fix what goes wrong."""
    from rumble_engine import get_game
    from rumble_protocol.fields import DAY_MS, TimeControl

    from rumble_server.cli.output.screen import Screen
    from rumble_server.cli.practice.practising import ID, practise
    from rumble_server.cli.support.local_config import local_config

    kind = get_game(game)
    config = local_config(
        name=ID,
        game=kind.name,
        settings=kind.complete(read_settings(setting)),
        seats=2,
        cycles=matches,
        legs=1,
        time_control=TimeControl(move_ms=DAY_MS),
        seed=seed,
        start_at_bots=2,
        rated=False,
    )
    return practise(config, against, program(command), Screen(as_json=json_, step=step))
