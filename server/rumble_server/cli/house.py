"""House bots as processes of the server's command. Those that wait for challenges share one; each other has its own.

A process is told on standard input whom to play, and ends when that is closed: it never outlives its server.
"""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import typer
from rumble_bots.sdk.processes import end_process
from rumble_engine import get_game

from rumble_server.cli.running import checked_players, split_names
from rumble_server.tournament.ports import HouseBot

DEFAULT = "random,heuristic,minimax,perfect,mcts"
"""Who is there to be challenged, from the weakest to the strongest."""
NONE = "none"
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 60.0
"""Before a process that ended is started again; the pause doubles each time."""


@dataclass(frozen=True, slots=True)
class Work:
    """What one process plays."""

    bots: tuple[HouseBot, ...]

    @property
    def title(self) -> str:
        """The names, for a person."""
        return ", ".join(bot.name for bot in self.bots)


def house_players(text: str) -> tuple[str, ...]:
    """The option `--house`: reference bots or functions, separated by commas, or `none`. Raises CliError."""
    return () if text in ("", NONE) else tuple(checked_players(split_names(text)))


class HouseProcesses:
    """The house of `rumble serve` and `rumble demo`."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._running: dict[Work, asyncio.Task[None]] = {}
        self._ending: set[asyncio.Task[None]] = set()

    def players(self, game: str, settings: Mapping[str, Any]) -> Mapping[str, str]:
        """The reference bots that play this game, each with a line about it."""
        from rumble_bots.reference import REFERENCE_BOTS

        start = get_game(game).initial(settings)
        return {name: player.about for name, player in REFERENCE_BOTS.items() if player.can_play(start)}

    def ladder(self) -> Mapping[str, str]:
        """All reference bots, the weakest first, each with a line about it."""
        from rumble_bots.reference import REFERENCE_BOTS

        return {name: player.about for name, player in REFERENCE_BOTS.items()}

    def keep(self, bots: Sequence[HouseBot]) -> None:
        """Have these bots connected, and no others."""
        challenged = tuple(bot for bot in bots if bot.challenges)
        wanted = {Work((bot,)) for bot in bots if not bot.challenges} | ({Work(challenged)} if challenged else set())
        for work in self._running.keys() - wanted:
            self._end(work)
        for work in wanted - self._running.keys():
            self._running[work] = asyncio.create_task(self._play(work))

    async def close(self) -> None:
        """End them all."""
        for work in list(self._running):
            self._end(work)
        await asyncio.gather(*self._ending, return_exceptions=True)

    def _end(self, work: Work) -> None:
        task = self._running.pop(work)
        task.cancel()
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _play(self, work: Work) -> None:
        pause_s = FIRST_PAUSE_S
        while True:
            try:
                code = await self._process(work)
            except OSError as error:
                typer.echo(f"house bots {work.title} cannot be started: {error}", err=True)
            else:
                typer.echo(f"house bots {work.title} ended with {code}", err=True)
            await asyncio.sleep(pause_s)
            pause_s = min(LONGEST_PAUSE_S, pause_s * 2)

    async def _process(self, work: Work) -> int:
        """One life of a process; its exit code."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "rumble_server.cli.house_process",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
        )
        try:
            told = {"server": self._server, "bots": [asdict(bot) for bot in work.bots]}
            if process.stdin is not None:
                process.stdin.write(json.dumps(told).encode() + b"\n")
            return await process.wait()
        finally:
            await end_process(process)
