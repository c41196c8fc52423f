"""`rumble battle`: many matches between two bots, or of a table of bots, in one process."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support import completion
from rumble_server.cli.support.bot_names import read_reference_bot
from rumble_server.cli.support.options import Game, Json, Seed, Setting, Timeout, read_settings

if TYPE_CHECKING:
    from rumble_bots.functions.local import FunctionBot
    from rumble_bots.reference.battle import Maker
    from rumble_bots.reference.table_battle import BotResult
    from rumble_engine import SettingValue

T = TypeVar("T")
MOST_IN_FOLDER = 1000
"""Maximum of `--matches` for a folder: the largest number of legs that a tournament has."""
BOT = "A reference bot, with or without options (minimax,depth=4,time-ms=100), or FILE.py:FUNCTION."


def battle(
    first: Annotated[
        str, typer.Argument(metavar="A", help=f"{BOT} Alone: a folder of bots.", autocompletion=completion.bots)
    ],
    second: Annotated[str | None, typer.Argument(metavar="[B]", help=BOT, autocompletion=completion.bots)] = None,
    others: Annotated[
        list[str] | None,
        typer.Argument(metavar="[C]...", help="Further bots at the same table.", autocompletion=completion.bots),
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="How many matches; the bots take turns to move first. Default: 1000. In a folder: for each pair, 2 by "
            "default, and 1000 at most.",
        ),
    ] = None,
    game: Game = "tictactoe",
    setting: Setting = None,
    opening: Annotated[
        int, typer.Option(min=0, help="How many random plies a match begins with; the same for both matches of a pair.")
    ] = 0,
    timeout: Timeout = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Play many matches between two bots, and print the wins, draws, losses and score of A, with 95% intervals.

    With further bots, all bots play at one table. The command prints each bot's number of first places and mean score.
    A bot's score in a match is the share of the other seats that rank behind the bot.

    With a folder, each file NAME.py in the folder is a bot. The bot is the file's function `choose` or `ai`, or the
    file's only function. Each bot plays all others, and the command prints the crosstable. A bot that fails loses the
    match.
    """
    if second is None:
        unused = [name for name, is_given in (("--opening", opening), ("--json", as_json)) if is_given]
        _folder(first, game, read_settings(setting), matches or 2, seed, timeout, unused)
        return
    matches = matches or 1000
    from rumble_bots.reference.battle import battle as fight
    from rumble_bots.reference.table_battle import table_battle
    from rumble_engine import get_game

    kind = get_game(game)
    settings = read_settings(setting)
    functions: list[FunctionBot] = []
    names = [first, second, *(others or ())]
    places = [Path(name.rpartition(":")[0]).absolute() for name in names]  # a bot may change the working directory
    makers = [_maker(name, place, game, functions) for name, place in zip(names, places, strict=True)]
    heading = f"{' against '.join(names)} at {kind.title}: {matches} matches"

    def in_time(play: Callable[[], T]) -> T:
        return _in_time(play, heading, functions, timeout)

    if others:
        if opening:
            raise typer.BadParameter("openings are for two bots", param_hint="--opening")
        results = in_time(lambda: table_battle(makers, kind, matches, seed, settings=settings))
        _print_table(names, results, {"game": game, "matches": matches, "seed": seed}, as_json=as_json)
        return
    result = in_time(lambda: fight(makers[0], makers[1], kind, matches, seed, settings=settings, opening=opening))
    if not as_json:
        typer.echo(f"{first} against {second}, {kind.title}, {matches} matches")
        typer.echo(result.describe())
        return
    about = {"first": first, "second": second, "game": game, "matches": matches, "seed": seed, "opening": opening}
    counts = {"wins": result.wins, "draws": result.draws, "losses": result.losses, "score": result.score}
    sure = {"intervals": result.intervals, "no_intervals": result.doubt or None}
    more = {"pairs": result.pentanomial, "distinct_games": result.games}
    typer.echo(json.dumps(about | counts | sure | more, indent=2))


def _folder(
    folder: str,
    game: str,
    settings: "Mapping[str, SettingValue]",
    matches: int,
    seed: int,
    timeout: float | None,
    unused: Sequence[str],
) -> None:
    """Play all bots of a folder against each other, and print the crosstable.

    `unused` has the names of given options that are not for a folder. Raises CliError.
    """
    from rumble_server.cli.output.tables import crosstable
    from rumble_server.cli.output.terminal import plain_or_rich
    from rumble_server.cli.support.folder_battle import FolderBattle

    if matches > MOST_IN_FOLDER:
        raise CliError(f"--matches: {MOST_IN_FOLDER} at most for each pair of a folder", ExitCode.USAGE)
    battle = FolderBattle(folder, game, settings, matches, seed, lambda line: typer.echo(line, err=True))
    if unused:
        raise CliError(f"{', '.join(unused)}: not for a folder of bots", ExitCode.USAGE)
    tournament = _in_time(battle.play, f"the bots in {folder}", battle.functions, timeout)
    plain_or_rich().print(crosstable(tournament))


def _in_time(play: Callable[[], T], heading: str, functions: "list[FunctionBot]", timeout: float | None) -> T:
    """Call `play`, and return its result. Until then show a line with `heading` and the slow functions of `functions`.

    Raises CliError if a function takes longer than `timeout` seconds (None: `TIMEOUT_S`).
    """
    from rich.text import Text

    from rumble_server.cli.output.terminal import plain_or_rich
    from rumble_server.cli.practice.asking import TIMEOUT_S, in_time

    with plain_or_rich(stderr=True).status(Text(heading)) as status:
        return in_time(
            play,
            lambda: {bot.text: at_s for bot in functions if (at_s := bot.asked_at_s) is not None},
            timeout or TIMEOUT_S,
            lambda slow: status.update(Text(heading + slow)),
        )


def _print_table(
    names: Sequence[str], results: "Sequence[BotResult]", about: Mapping[str, object], *, as_json: bool
) -> None:
    if as_json:
        lines = [
            {
                "name": name,
                "firsts": result.firsts,
                "score": result.mean_score,
                "interval": result.score_interval,
                "payoff": result.mean_payoff,
            }
            for name, result in zip(names, results, strict=True)
        ]
        typer.echo(json.dumps({**about, "bots": lines}, indent=2))
        return
    wide = max(map(len, names))
    typer.echo(f"{about['game']}, {about['matches']} matches of {len(names)} bots")
    for name, result in zip(names, results, strict=True):
        line = f"{name:<{wide}}  first {result.firsts:>6}  score {result.mean_score:>7.2%}"
        if result.score_interval is not None:
            low, high = result.score_interval
            line += f"  (95%: {low:.2%} to {high:.2%})"
        typer.echo(line if result.mean_payoff is None else f"{line}  payoff {result.mean_payoff:g}")


def _maker(text: str, place: Path, game: str, functions: "list[FunctionBot]") -> "Maker":
    """Return a function that makes the bot named by `text`.

    If `text` is FILE.py:FUNCTION, load the function at once from the file at `place`, and append the function's bot to
    `functions`.
    """
    from rumble_bots.functions.load import is_function
    from rumble_bots.functions.local import FunctionBot
    from rumble_bots.reference import make_reference_bot

    if is_function(text):
        bot = FunctionBot(Random(), text=text, game=game, file=place)
        functions.append(bot)
        return lambda _: bot
    name, options = read_reference_bot(text)
    return lambda random: make_reference_bot(name, seed=random.getrandbits(64), **options)
