"""`rumble demo`: the main job on one machine. A server, bots as real processes, a tournament to its crosstable."""

import asyncio
import json
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.live import Live
from rumble_engine import get_game
from rumble_protocol.fields import TimeControl

from rumble_server.app import Server
from rumble_server.cli.errors import CliError, ExitCode
from rumble_server.cli.house import DEFAULT, HouseProcesses, house_players
from rumble_server.cli.loop import run
from rumble_server.cli.many import Entry, many_command
from rumble_server.cli.options import Seed
from rumble_server.cli.running import (
    bot_processes,
    checked_players,
    running_server,
    split_names,
    until_signal,
)
from rumble_server.cli.tables import crosstable, plain_or_rich, standings_table, title_of, told_table
from rumble_server.config import ServerConfig
from rumble_server.tournament.config import MOST_BOTS, TournamentConfig
from rumble_server.tournament.export import export
from rumble_server.tournament.machine import OVER, Tournament

REFRESH_S = 0.2
MOST_PROCESSES = 8
"""So many processes at most; a larger field shares them."""
MATCHES_AT_ONCE = 2
MOST_IN_CROSSTABLE = 20
"""The end of a larger field is told by its standings."""
THINK_MS = 50
"""How long a searching bot thinks about a move where it cannot search to the end: a demo is to be watched."""


def demo(
    bots: Annotated[
        str | None,
        typer.Option(help="Like random,minimax,my.py:ai, or random:64 for many; all that can play by default."),
    ] = None,
    game: Annotated[str, typer.Option(metavar="GAME", help="See: rumble games.")] = "tictactoe",
    format_: Annotated[str, typer.Option("--format", help="round-robin, gauntlet, knockout or swiss.")] = "round-robin",
    cycles: Annotated[int, typer.Option(min=1, max=1000, help="How often everyone meets everyone.")] = 1,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 0,
    db: Annotated[str | None, typer.Option(help="Keep the event log here; else it is thrown away.")] = None,
    seed: Seed = 0,
    house: Annotated[
        str, typer.Option(metavar="LIST|none", help="House bots to be challenged, while the page stays.")
    ] = DEFAULT,
    exit_: Annotated[bool, typer.Option("--exit", help="End with the tournament; the page does not stay.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print the standings and matches as one JSON object.")] = False,
) -> int:
    """A double round-robin between the reference bots, over real sockets, with live standings and a crosstable."""
    get_game(game)
    players = checked_players(multiplied(split_names(bots))) if bots else default_bots(game)
    if len(players) < 2:
        raise CliError("a tournament needs two bots", ExitCode.USAGE)
    try:
        config = TournamentConfig.model_validate(
            {
                "name": f"{get_game(game).title} demo",
                "game": game,
                "format": format_,
                "cycles": cycles,
                "seed": seed,
                "time_control": TimeControl(move_ms=10_000),
                "start_at_bots": len(players),
            }
        )
    except ValidationError as error:
        raise CliError(error.errors()[0]["msg"].removeprefix("Value error, "), ExitCode.USAGE) from None
    with ExitStack() as stack:
        if db is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="rumble-"))
            db = str(Path(folder) / "rumble.db")
        stays = sys.stdout.isatty() and not exit_ and not json_
        residents = house_players(house) if stays else ()
        return run(_demo(ServerConfig(port=port, db=db, house=residents), config, players, stays=stays, as_json=json_))


def default_bots(game: str) -> list[str]:
    """The reference bots that can play a game: all, but for those that need a table it does not have."""
    from rumble_bots.reference import REFERENCE_BOTS

    start = get_game(game).initial()
    return [name for name, player in REFERENCE_BOTS.items() if player.can_play(start)]


def multiplied(names: list[str]) -> list[str]:
    """`random:3` as three of them."""
    players = []
    for name in names:
        player, colon, count = name.rpartition(":")
        many = bool(colon) and count.isdecimal()
        players += [player] * int(count) if many else [name]
        if len(players) > MOST_BOTS:
            raise CliError(f"a tournament has room for {MOST_BOTS} bots", ExitCode.USAGE)
    return players


def think_ms(player: str, game: str) -> int | None:
    """How long a bot may think about a move; None: it searches to the end."""
    if player == "mcts":
        return THINK_MS
    return THINK_MS if player in ("minimax", "streetwise") and game != "tictactoe" else None


def entrant_names(players: list[str]) -> list[str]:
    """A name for each bot: its own, numbered where it plays more than once."""
    own = [player.rpartition(":")[2] for player in players]
    many = {name for name, count in Counter(own).items() if count > 1}
    seen: Counter[str] = Counter()
    names = []
    for name in own:
        seen[name] += 1
        names.append(f"{name}-{seen[name]}" if name in many else name)
    return names


async def _demo(
    config: ServerConfig, wanted: TournamentConfig, players: list[str], *, stays: bool, as_json: bool
) -> int:
    console = plain_or_rich(stderr=as_json)
    stopping = until_signal()
    async with running_server(config, HouseProcesses) as server:
        tournament, number = server.arena.create(wanted)
        await server.log.wait(number)
        console.print(f"page: {server.url}/tournaments/{tournament.id}", soft_wrap=True, highlight=False)
        entries = [
            Entry(player, name, wanted.seed + number, think_ms(player, wanted.game))
            for number, (player, name) in enumerate(zip(players, entrant_names(players), strict=True))
        ]
        commands = [
            many_command(entries[first::MOST_PROCESSES], server.url, tournament.id, MATCHES_AT_ONCE)
            for first in range(min(MOST_PROCESSES, len(entries)))
        ]
        async with bot_processes(commands) as processes:
            over = await _watch(console, server, tournament, processes, stopping)
            if over:
                await server.log.wait(server.log.last)
                if as_json:
                    print(json.dumps(export(tournament)))  # noqa: T201  # the one thing on standard output
                else:
                    _show_end(console, tournament)
            if over and stays:
                console.print(
                    f"the page stays at {server.url}/tournaments/{tournament.id} until Ctrl-C", highlight=False
                )
                await stopping.wait()
        return ExitCode.DONE if over else ExitCode.FAILED


def _show_end(console: Console, tournament: Tournament) -> None:
    if tournament.config.format != "round-robin" or len(tournament.field) > MOST_IN_CROSSTABLE:
        lines = [standing.as_json() for standing in tournament.table.standings()]
        console.print(told_table(lines, title=title_of(tournament)))
        return
    console.print(crosstable(tournament))
    console.print("1 won, = drawn, 0 lost; one mark a match, the row's score against the column", style="dim")


async def _watch(
    console: Console,
    server: Server,
    tournament: Tournament,
    processes: list[asyncio.subprocess.Process],
    stopping: asyncio.Event,
) -> bool:
    """Show the standings until the tournament is over (True), a signal comes, or a bot cannot start (False)."""
    with Live(standings_table(tournament), console=console, auto_refresh=False, transient=True) as live:
        while tournament.status not in OVER and not stopping.is_set():
            failed = [process for process in processes if process.returncode]
            if failed and tournament.status == "lobby":
                console.print("a bot could not start; see what it said above")
                return False
            if console.is_terminal:
                live.update(standings_table(tournament), refresh=True)
            await asyncio.sleep(REFRESH_S)
    return tournament.status == "finished"
