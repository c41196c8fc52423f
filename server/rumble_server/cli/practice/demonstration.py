"""The tournament of `rumble demo`: a server in this process, bots as processes, and tables."""

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rumble_bots.reference import REFERENCE_BOTS
from rumble_engine import get_game

from rumble_server.arena.commands.organiser import Organiser
from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.output.tables import crosstable, print_standings, standings_of, standings_table, title_of
from rumble_server.cli.output.terminal import is_screen, plain_or_rich
from rumble_server.cli.processes.bot_process import BotSpec, process_command, search_ms
from rumble_server.cli.processes.house import HouseProcesses
from rumble_server.cli.processes.running import bot_processes, server_unless_stopped
from rumble_server.cli.support.api_client import ApiClient, api_path
from rumble_server.cli.support.bot_names import checked_bots, own_name, split_names
from rumble_server.cli.support.loop import until_signal
from rumble_server.config import ServerConfig
from rumble_server.tournament.config import MOST_BOTS, TournamentConfig
from rumble_server.tournament.formats import FORMATS
from rumble_server.tournament.tournament import Tournament

if TYPE_CHECKING:
    from rumble_server.app import Server

REFRESH_S = 0.2
"""Time in s between two looks at the tournament."""
MOST_PROCESSES = 8
"""Maximum number of bot processes; a larger field shares the processes."""
MOST_IN_CROSSTABLE = 20
"""Maximum number of bots in the final crosstable; a larger field gets a table of standings."""


def chosen_bots(text: str | None, game: str) -> list[str]:
    """Return the bots named by `text`. If `text` is None, return all reference bots that can play the game.

    Raises CliError and EngineError.
    """
    start = get_game(game).initial()
    if text:
        names = checked_bots(expand_counts(split_names(text)))
    else:
        names = [name for name, player in REFERENCE_BOTS.items() if player.can_play(start)]
    if len(names) < 2:
        raise CliError("a tournament needs at least two bots", ExitCode.USAGE)
    return names


def expand_counts(names: list[str]) -> list[str]:
    """Expand each name like `random:3` to three bots. Raises CliError for more than `MOST_BOTS` bots."""
    bots = []
    for name in names:
        bot, colon, count = name.rpartition(":")
        many = bool(colon) and count.isdecimal()
        bots += [bot] * min(int(count), MOST_BOTS + 1) if many else [name]
        if len(bots) > MOST_BOTS:
            raise CliError(f"a tournament has room for {MOST_BOTS} bots", ExitCode.USAGE)
    return bots


def entrant_names(bots: list[str]) -> list[str]:
    """Return a name for each bot: the bot's own name, followed by a number if several bots have the same own name."""
    own = [own_name(bot) for bot in bots]
    many = {name for name, count in Counter(own).items() if count > 1}
    seen: Counter[str] = Counter()
    names = []
    for name in own:
        seen[name] += 1
        names.append(f"{name}-{seen[name]}" if name in many else name)
    return names


async def demonstrate(
    config: ServerConfig, wanted: TournamentConfig, bots: list[str], *, stays: bool, as_json: bool
) -> int:
    """Play the tournament of `rumble demo`, and return the exit code. With `stays`, keep the page until Ctrl-C."""
    console = plain_or_rich(stderr=as_json)
    stopping = until_signal()
    async with server_unless_stopped(config, HouseProcesses, stopping) as server:
        if server is None:
            return ExitCode.INTERRUPTED
        tournament = Organiser(server.arena).create(wanted)
        await server.log.wait(server.log.last)
        page = f"{server.url}/tournaments/{tournament.id}"
        console.print(f"page: {page}{'  (Ctrl-C ends it)' if stays else ''}", soft_wrap=True)
        specs = [
            BotSpec(bot, name, wanted.seed + number, search_ms(bot, wanted.game))
            for number, (bot, name) in enumerate(zip(bots, entrant_names(bots), strict=True))
        ]
        commands = [
            process_command(specs[first::MOST_PROCESSES], server.url, tournament.id)
            for first in range(min(MOST_PROCESSES, len(specs)))
        ]
        async with bot_processes(commands) as processes:
            over = await _watch(console, server, tournament, processes, stopping)
            if over:
                await server.log.wait(server.log.last)
                if as_json:
                    path = api_path("tournaments", tournament.id, "export.json")
                    document = await asyncio.to_thread(ApiClient(server.url).download, path)
                    print(document.decode())  # noqa: T201  # the only text on standard output
                else:
                    _show_end(console, tournament)
            if over and stays:
                console.print(f"{page} stays until Ctrl-C", soft_wrap=True)
                await stopping.wait()
        if over or not stopping.is_set():
            return ExitCode.DONE if over else ExitCode.FAILED
        console.print(f"stopped; {title_of(tournament)}", soft_wrap=True)
        return ExitCode.INTERRUPTED


def _show_end(console: Console, tournament: Tournament) -> None:
    seats, is_large = tournament.config.match_seats, len(tournament.field) > MOST_IN_CROSSTABLE
    if seats > 2 or is_large or not FORMATS[tournament.config.format].has_even_company:
        lines, entrants = standings_of(tournament)
        print_standings(console, lines, title_of(tournament), entrants, seats)
        return
    console.print(crosstable(tournament))
    console.print("1 won, = drawn, 0 lost; one mark for each match, the row's score against the column", style="dim")


async def _watch(
    console: Console,
    server: "Server",
    tournament: Tournament,
    processes: list[asyncio.subprocess.Process],
    stopping: asyncio.Event,
) -> bool:
    """Show the standings until the tournament ends, `stopping` is set, or a bot fails to start.

    Return whether the tournament finished.
    """
    before = None
    with Live(standings_table(tournament), console=console, auto_refresh=False, transient=True) as live:
        while not tournament.is_over and not stopping.is_set():
            failed = [process for process in processes if process.returncode]
            if failed and tournament.status == "lobby":
                console.print("a bot could not start; its error is above")
                return False
            state = (tournament.status, len(tournament.field), len(tournament.results), console.size)
            if is_screen(console) and state != before:
                live.update(standings_table(tournament), refresh=True)
                before = state
            await asyncio.sleep(REFRESH_S)
    return tournament.status == "finished"
