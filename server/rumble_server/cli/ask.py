"""`rumble ask`: the move a bot would make in a position."""

import json
from random import Random
from typing import Annotated

import typer

from rumble_server.cli.support.options import (
    Depth,
    Game,
    Iterations,
    Json,
    Search,
    Seed,
    Setting,
    TimeMs,
    given,
    no_options_for_functions,
    read_settings,
)


def ask(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A reference bot, or FILE.py:FUNCTION.")],
    game: Game = "tictactoe",
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="In the game's notation; by default the start.")
    ] = None,
    setting: Setting = None,
    search: Search = None,
    depth: Depth = None,
    time_ms: TimeMs = None,
    iterations: Iterations = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Print the move a bot would make in a position, its score for the mover, and the nodes it visited."""
    from rumble_bots.function_player import FunctionPlayer
    from rumble_bots.functions import is_function
    from rumble_bots.players import Player, make_player
    from rumble_engine import get_game

    kind, settings = get_game(game), read_settings(setting)
    state = kind.initial(settings, seed) if position is None else kind.parse(position, settings)
    options = given(search=search, depth=depth, time_ms=time_ms, iterations=iterations)
    player: Player
    if is_function(bot):
        no_options_for_functions(options)
        player = FunctionPlayer(Random(seed), text=bot, game=game)
    else:
        player = make_player(bot, seed=seed, **options)
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
