"""House bots as child processes of a server.

The bots that wait for challenges share a process; each bot in a tournament has a process of its own.

A process reads the list of its bots from standard input: a line at the start, and a line after each change. The process
ends when the input is closed, and so never outlives the server.
"""

import asyncio
import json
import logging
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rumble_bots.reference import REFERENCE_BOTS  # takes 100 ms, so not at the first request
from rumble_bots.sdk.processes import end_process, start_group
from rumble_engine import get_game
from rumble_protocol.clubs import web_path

if TYPE_CHECKING:
    from rumble_server.arena.ports import HouseBot
    from rumble_server.host.tls import Certificate

log = logging.getLogger(__name__)

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 60.0
"""First and longest pause in s between an end and the next start. The pause doubles each time."""
STEADY_S = 60.0
"""Time in s after which a run of a process or bot is steady. After its end, pauses begin with `FIRST_PAUSE_S`."""


async def run_again_and_again(run: Callable[[], Awaitable[None]]) -> None:
    """Call `run`, and after each end call it again after a pause, until the task is cancelled."""
    pause_s, loop = 0.0, asyncio.get_running_loop()
    while True:
        began_s = loop.time()
        await run()
        was_steady = loop.time() - began_s > STEADY_S
        pause_s = FIRST_PAUSE_S if not pause_s or was_steady else min(LONGEST_PAUSE_S, pause_s * 2)
        await asyncio.sleep(pause_s)


@dataclass(frozen=True, slots=True)
class ClubBot:
    """A house bot, and the club in which it plays."""

    club: str
    bot: "HouseBot"


class HouseProcesses:
    """The `HouseRunner` of `rumble serve` and `rumble demo`."""

    def __init__(self, server: str, certificate: "Certificate | None" = None) -> None:
        self._server = server
        self._certificate = certificate
        self._wanted: dict[str, tuple[HouseBot, ...]] = {}
        """The house bots to run, by club. Clubs without house bots are left out."""
        self._children: dict[ClubBot | None, _Child] = {}
        """The process of each bot in a tournament, and under None the process of the bots that wait for challenges."""
        self._ending: set[asyncio.Task[None]] = set()

    def reference_bots(self, game: str, settings: Mapping[str, Any]) -> Mapping[str, str]:
        start = get_game(game).initial(settings)
        return {name: player.about for name, player in REFERENCE_BOTS.items() if player.can_play(start)}

    def ladder(self) -> Mapping[str, str]:
        return {name: player.about for name, player in REFERENCE_BOTS.items()}

    def set_bots(self, club: str, bots: "Sequence[HouseBot]") -> None:
        self._wanted[club] = tuple(bots)
        if not bots:
            del self._wanted[club]
        kept = [ClubBot(each, bot) for each, of_club in self._wanted.items() for bot in of_club]
        wanted: dict[ClubBot | None, list[ClubBot]] = {each: [each] for each in kept if not each.bot.is_resident}
        residents = [each for each in kept if each.bot.is_resident]
        if residents:
            wanted[None] = residents
        for gone in self._children.keys() - wanted.keys():
            ending = self._children.pop(gone).playing
            ending.cancel()
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)
        for key, together in wanted.items():
            if key in self._children:
                self._children[key].set_bots(together)
            else:
                self._children[key] = _Child(together, self._line_of)

    def _line_of(self, bots: Sequence[ClubBot]) -> bytes:
        """Return the line of JSON from which a process reads its bots."""
        message: dict[str, Any] = {
            "server": self._server,
            "bots": [{**asdict(each.bot), "club": each.club} for each in bots],
        }
        if self._certificate is not None:
            message |= {"certificate": self._certificate.leaf, "certificate_file": self._certificate.file}
        return json.dumps(message).encode() + b"\n"

    async def close(self) -> None:
        for club in list(self._wanted):
            self.set_bots(club, [])
        await asyncio.gather(*self._ending, return_exceptions=True)


class _Child:
    """A process of house bots. When the process ends, a new process starts, until the task `playing` is cancelled."""

    def __init__(self, bots: Sequence[ClubBot], line_of: Callable[[Sequence[ClubBot]], bytes]) -> None:
        self._bots = list(bots)
        self._line_of = line_of
        self._stdin: asyncio.StreamWriter | None = None
        self.playing = asyncio.create_task(run_again_and_again(self._play))

    def set_bots(self, bots: Sequence[ClubBot]) -> None:
        """Let the process play `bots`, and no other bots. A bot that plays already, and is in `bots`, goes on."""
        if list(bots) != self._bots:
            self._bots = list(bots)
            self._write()

    def _write(self) -> None:
        if self._stdin is not None:
            self._stdin.write(self._line_of(self._bots))

    @property
    def _title(self) -> str:
        return ", ".join(f"{web_path(each.club)}/{each.bot.name}".lstrip("/") for each in self._bots)

    async def _play(self) -> None:
        try:
            code = await self._process()
        except OSError as error:
            log.error("house bots %s cannot be started: %s", self._title, error)
        else:
            log.warning("house bots %s ended with %s", self._title, code)

    async def _process(self) -> int:
        """Run a process until its end, and return the exit code."""
        process = await start_group(
            [sys.executable, "-m", "rumble_server.cli.processes.house_process"],
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
        )
        self._stdin = process.stdin
        try:
            self._write()
            return await process.wait()
        finally:
            self._stdin = None
            await end_process(process)
