"""The pairing of rounds in another process. In this process the pairing library would hold up the event loop."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import BrokenExecutor

from rumble_server.host.side_process import SideProcess
from rumble_server.tournament.formats import AnyRound, PairingTask

log = logging.getLogger(__name__)


class PairingProcess:
    """The process that pairs rounds for all clubs. Its method `run` is the port `RunPairing` of arenas."""

    def __init__(self) -> None:
        self._process = SideProcess()
        self._pairings: set[asyncio.Task[None]] = set()

    def run(self, task: PairingTask, done: Callable[[AnyRound | None], None]) -> None:
        """Run `task`, the pairing of a round, in the process, and call `done` with the result later.

        If the task fails, log the error, and call `done` with None.
        """

        async def pair() -> None:
            try:
                pulled = await self._pair(task)
            except Exception:
                log.exception("the pairing of a round failed")
                pulled = None
            done(pulled)

        pairing = asyncio.get_running_loop().create_task(pair())
        self._pairings.add(pairing)
        pairing.add_done_callback(self._pairings.discard)

    async def _pair(self, task: PairingTask) -> AnyRound:
        """Run `task` in the process, and return the result. If the process dies, run the task on a thread here."""
        try:
            return await self._process.run(task)
        except (BrokenExecutor, OSError) as error:
            log.error("the process that pairs rounds failed (%r): pairing here instead", error)
            return await asyncio.to_thread(task)

    def cancel(self) -> None:
        """Wait for no pairing any more."""
        for pairing in self._pairings:
            pairing.cancel()

    async def close(self) -> None:
        """End the process, after its current task."""
        await self._process.close()
