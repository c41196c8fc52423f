"""`rumble battle`: many matches between two bots in one process."""

import json
from random import Random
from typing import TYPE_CHECKING, Annotated

import typer

from rumble_server.cli.support import completion
from rumble_server.cli.support.bot_names import read_reference_bot
from rumble_server.cli.support.options import Game, Json, Seed, Setting, Timeout, read_settings

if TYPE_CHECKING:
    from rumble_bots.functions.local import FunctionBot
    from rumble_bots.reference.battle import Maker

BOT = "A reference bot, with or without options (minimax,depth=4,time-ms=100), or FILE.py:FUNCTION."


def battle(
    first: Annotated[str, typer.Argument(metavar="A", help=BOT, autocompletion=completion.bots)],
    second: Annotated[str, typer.Argument(metavar="B", help=BOT, autocompletion=completion.bots)],
    matches: Annotated[int, typer.Option(min=1, help="How many matches; the bots take turns to move first.")] = 1000,
    game: Game = "tictactoe",
    setting: Setting = None,
    opening: Annotated[
        int, typer.Option(min=0, help="How many random plies a match begins with; the same for both matches of a pair.")
    ] = 0,
    timeout: Timeout = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Play many matches between two bots, and print the wins, draws, losses and score of A, with 95% intervals."""
    from rich.console import Console
    from rumble_bots.reference.battle import battle as fight
    from rumble_engine import get_game

    from rumble_server.cli.practice.asking import TIMEOUT_S, in_time

    kind = get_game(game)
    settings = read_settings(setting)
    heading = f"{first} against {second} at {kind.title}: {matches} matches"
    functions: list[FunctionBot] = []
    makers = _maker(first, game, functions), _maker(second, game, functions)
    with Console(stderr=True).status(heading) as status:
        result = in_time(
            lambda: fight(*makers, kind, matches, seed, settings=settings, opening=opening),
            lambda: {bot.text: at_s for bot in functions if (at_s := bot.asked_at_s) is not None},
            timeout or TIMEOUT_S,
            lambda slow: status.update(heading + slow),
        )
    if not as_json:
        typer.echo(f"{first} against {second}, {kind.title}, {matches} matches")
        typer.echo(result.describe())
        return
    told = {"first": first, "second": second, "game": game, "matches": matches, "seed": seed, "opening": opening}
    counts = {"wins": result.wins, "draws": result.draws, "losses": result.losses, "score": result.score}
    sure = {"intervals": result.intervals, "no_intervals": result.doubt or None}
    more = {"pairs": result.pentanomial, "distinct_games": result.games}
    typer.echo(json.dumps(told | counts | sure | more, indent=2))


def _maker(text: str, game: str, functions: "list[FunctionBot]") -> "Maker":
    """Return a function that makes the bot named by `text`.

    If `text` is FILE.py:FUNCTION, the function is loaded now, and its bot is appended to `functions`.
    """
    from rumble_bots.functions.load import is_function
    from rumble_bots.functions.local import FunctionBot
    from rumble_bots.reference import make_reference_bot

    if is_function(text):
        bot = FunctionBot(Random(), text=text, game=game)
        functions.append(bot)
        return lambda _: bot
    name, options = read_reference_bot(text)
    return lambda random: make_reference_bot(name, seed=random.getrandbits(64), **options)
