"""`rumble ask`: the move a bot would make in a position."""

import json
from random import Random
from typing import Annotated

import typer

from rumble_server.cli.support import completion, options


def ask(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="A reference bot, or FILE.py:FUNCTION.", autocompletion=completion.bots)
    ],
    game: options.Game = "tictactoe",
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="In the game's notation; by default the start.")
    ] = None,
    setting: options.Setting = None,
    search: options.Search = None,
    depth: options.Depth = None,
    time_ms: options.TimeMs = None,
    iterations: options.Iterations = None,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Print the move a bot would make in a position, its score for the mover, and the nodes it visited."""
    from rumble_bots.functions.load import is_function
    from rumble_bots.functions.local import FunctionBot
    from rumble_bots.reference import ReferenceBot, make_reference_bot
    from rumble_engine import get_game

    kind, settings = get_game(game), options.read_settings(setting)
    state = kind.initial(settings, seed) if position is None else kind.parse(position, settings)
    chosen = options.given(search=search, depth=depth, time_ms=time_ms, iterations=iterations)
    player: ReferenceBot
    if is_function(bot):
        options.no_options_for_functions(chosen)
        player = FunctionBot(Random(seed), text=bot, game=game)
    else:
        player = make_reference_bot(bot, seed=seed, **chosen)
    choice = player.choose(state)
    answer = {"bot": bot, "game": game, "position": state.text(), "move": choice.move}
    if as_json:
        typer.echo(json.dumps(answer | {"score": choice.score, "nodes": choice.nodes}, indent=2))
        return
    typer.echo(state.diagram())
    typer.echo(f"move {choice.move}")
    for name, value in (("score", choice.score), ("nodes", choice.nodes)):
        if value is not None:
            typer.echo(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}")
    if choice.note:
        typer.echo(choice.note)
