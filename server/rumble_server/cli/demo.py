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
from rumble_server.cli.options import Seed
from rumble_server.cli.running import (
    bot_command,
    bot_processes,
    checked_players,
    run,
    running_server,
    split_names,
    until_signal,
)
from rumble_server.cli.tables import crosstable, plain_or_rich, standings_table
from rumble_server.config import ServerConfig
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.export import export
from rumble_server.tournament.machine import OVER, Tournament

REFRESH_S = 0.2
THINK_MS = "50"
"""How long a searching bot thinks about a move where it cannot search to the end: a demo is to be watched."""


def demo(
    bots: Annotated[
        str | None, typer.Option(help="Like random,minimax,my.py:ai; all that can play by default.")
    ] = None,
    game: Annotated[str, typer.Option(metavar="GAME", help="See: rumble games.")] = "tictactoe",
    format_: Annotated[str, typer.Option("--format", help="round-robin.")] = "round-robin",
    cycles: Annotated[int, typer.Option(min=1, max=1000, help="How often everyone meets everyone.")] = 1,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 0,
    db: Annotated[str | None, typer.Option(help="Keep the event log here; else it is thrown away.")] = None,
    seed: Seed = 0,
    exit_: Annotated[bool, typer.Option("--exit", help="End with the tournament; the page does not stay.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print the standings and matches as one JSON object.")] = False,
) -> int:
    """A double round-robin between the reference bots, over real sockets, with live standings and a crosstable."""
    get_game(game)
    players = checked_players(split_names(bots)) if bots else default_bots(game)
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
        return run(_demo(ServerConfig(port=port, db=db), config, players, stays=stays, as_json=json_))


def default_bots(game: str) -> list[str]:
    """The reference bots that can play a game: all, but for those that need a table it does not have."""
    from rumble_bots.players import PLAYERS

    start = get_game(game).initial()
    return [name for name, player in PLAYERS.items() if player.can_play(start)]


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
    async with running_server(config) as server:
        tournament, number = server.arena.create(wanted)
        await server.log.wait(number)
        console.print(f"page: {server.url}/tournaments/{tournament.id}", soft_wrap=True, highlight=False)
        commands = [
            bot_command(player, *_options(player, name, server, tournament, wanted.seed + number))
            for number, (player, name) in enumerate(zip(players, entrant_names(players), strict=True))
        ]
        async with bot_processes(commands) as processes:
            over = await _watch(console, server, tournament, processes, stopping)
            if over:
                await server.log.wait(server.log.last)
                if as_json:
                    print(json.dumps(export(tournament)))  # noqa: T201  # the one thing on standard output
                else:
                    console.print(crosstable(tournament))
                    _explain(console)
            if over and stays:
                console.print(
                    f"the page stays at {server.url}/tournaments/{tournament.id} until Ctrl-C", highlight=False
                )
                await stopping.wait()
        return ExitCode.DONE if over else ExitCode.FAILED


def _explain(console: Console) -> None:
    console.print("1 won, = drawn, 0 lost; one mark a match, the row's score against the column", style="dim")


def _options(player: str, name: str, server: Server, tournament: Tournament, seed: int) -> list[str]:
    options = ["--server", server.url, "--join", tournament.id, "--name", name, "--seed", str(seed)]
    options += ["--matches-at-once", "2"]
    if player in ("minimax", "streetwise") and tournament.config.game != "tictactoe":
        options += ["--time-ms", THINK_MS]
    return options


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
