"""`rumble ask`: the move a bot would make in a position."""

import json
import time
from random import Random
from typing import Annotated

import typer

from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support import completion, options


def ask(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="A reference bot, or FILE.py:FUNCTION.", autocompletion=completion.bots)
    ],
    game: options.Game = "tictactoe",
    position: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="In the game's notation, or rows like [['X', None, None], ...]; by default the start."
        ),
    ] = None,
    to_move: Annotated[
        str | None, typer.Option(metavar="MARK", help="Whose move it is; in tictactoe on any board, for either side.")
    ] = None,
    setting: options.Setting = None,
    search: options.Search = None,
    depth: options.Depth = None,
    time_ms: options.TimeMs = None,
    iterations: options.Iterations = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="minimax, streetwise: search to the end of the game, however long it takes.")
    ] = False,
    show_cache: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="With the search cached: print N positions of its table.")
    ] = None,
    timeout: options.Timeout = None,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Print a bot's move in a position, the move's score for the mover, and the number of nodes the bot visited."""
    from rumble_bots.functions.load import is_function
    from rumble_bots.functions.local import FunctionBot
    from rumble_bots.reference import make_reference_bot
    from rumble_engine import get_game

    from rumble_server.cli.practice.asking import TIMEOUT_S, cached_positions, exactly, in_time, position_of

    kind, settings = get_game(game), options.read_settings(setting)
    state = position_of(kind, position, to_move, settings, seed)
    chosen = options.without_none(search=search, depth=depth, time_ms=time_ms, iterations=iterations)
    cache: list[tuple[str, float]] = []
    if is_function(bot):
        options.no_options_for_functions(chosen | options.without_none(exact=exact or None, show_cache=show_cache))
        asked_at_s = {bot: time.monotonic()}
        choice = in_time(
            lambda: FunctionBot(Random(seed), text=bot, game=game).choose(state),
            lambda: asked_at_s,
            timeout or TIMEOUT_S,
        )
    else:
        if timeout is not None:
            raise CliError("--timeout is for functions; see --time-ms", ExitCode.USAGE)
        player = make_reference_bot(bot, seed=seed, **chosen)
        choice = exactly(player, state, chosen) if exact else player.choose_in(kind, state)
        if show_cache is not None:
            cache = cached_positions(player, state, show_cache)
    answer: dict[str, object] = {"bot": bot, "game": game, "position": state.text(), "move": choice.move}
    if to_move is not None:
        answer["to_move"] = to_move
    if as_json:
        answer |= {"score": choice.score, "nodes": choice.nodes}
        if show_cache is not None:
            answer["cache"] = [{"position": text, "value": value} for text, value in cache]
        typer.echo(json.dumps(answer, indent=2))
        return
    typer.echo(state.diagram())
    typer.echo(f"move {choice.move}")
    for name, value in (("score", choice.score), ("nodes", choice.nodes)):
        if value is not None:
            typer.echo(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}")
    if choice.note:
        typer.echo(choice.note)
    if show_cache is not None:
        typer.echo(f"cached positions, each with its value for the side to move ({len(cache)} shown):")
    for text, value in cache:
        typer.echo(f"{text} {value:g}")
