"""House bots as child processes of a server. Those that wait for challenges share one; each other bot has its own.

A process reads on standard input which bots it plays. It ends when that is closed, so it never outlives its server.
"""

import asyncio
import json
import logging
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rumble_server.arena.ports import HouseBot
    from rumble_server.tls import Certificate

log = logging.getLogger(__name__)

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 60.0
"""Time in s before a process that ended is started again; it doubles each time, up to the longest."""


@dataclass(frozen=True, slots=True)
class Work:
    """The bots of one process."""

    bots: "tuple[HouseBot, ...]"

    @property
    def title(self) -> str:
        return ", ".join(bot.name for bot in self.bots)


class HouseProcesses:
    """The `HouseRunner` of `rumble serve` and `rumble demo`."""

    def __init__(self, server: str, certificate: "Certificate | None" = None) -> None:
        self._server = server
        self._certificate = certificate
        self._running: dict[Work, asyncio.Task[None]] = {}
        self._ending: set[asyncio.Task[None]] = set()

    def reference_bots(self, game: str, settings: Mapping[str, Any]) -> Mapping[str, str]:
        from rumble_bots.reference import REFERENCE_BOTS
        from rumble_engine import get_game

        start = get_game(game).initial(settings)
        return {name: player.about for name, player in REFERENCE_BOTS.items() if player.can_play(start)}

    def ladder(self) -> Mapping[str, str]:
        from rumble_bots.reference import REFERENCE_BOTS

        return {name: player.about for name, player in REFERENCE_BOTS.items()}

    def keep(self, bots: "Sequence[HouseBot]") -> None:
        challenged = tuple(bot for bot in bots if bot.challenges)
        wanted = {Work((bot,)) for bot in bots if not bot.challenges} | ({Work(challenged)} if challenged else set())
        for work in self._running.keys() - wanted:
            self._end(work)
        for work in wanted - self._running.keys():
            self._running[work] = asyncio.create_task(self._play(work))

    async def close(self) -> None:
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
                log.error("house bots %s cannot be started: %s", work.title, error)
            else:
                log.warning("house bots %s ended with %s", work.title, code)
            await asyncio.sleep(pause_s)
            pause_s = min(LONGEST_PAUSE_S, pause_s * 2)

    async def _process(self, work: Work) -> int:
        """Run a process until it ends, and return its exit code."""
        from rumble_bots.sdk.processes import end_process, start_group

        process = await start_group(
            [sys.executable, "-m", "rumble_server.cli.support.house_process"],
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
        )
        try:
            told = {"server": self._server, "bots": [asdict(bot) for bot in work.bots]}
            if self._certificate is not None:
                told |= {"certificate": self._certificate.leaf, "certificate_file": self._certificate.file}
            if process.stdin is not None:
                process.stdin.write(json.dumps(told).encode() + b"\n")
            return await process.wait()
        finally:
            await end_process(process)
