"""How a node hands its clubs over: each is stopped when its next node has read it ahead, and the club before is led.

So a club stands for as long as it takes to read what is newest of it. A node that gives no sign of life holds nobody
up: its clubs go to another if they may, else to it as they are, and meanwhile those of other nodes go on.
"""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence

from rumble_server.cluster.edge import Edge
from rumble_server.store.lease_statements import NodeRow
from rumble_server.web.club_paths import LED
from rumble_server.web.errors import WebError

log = logging.getLogger(__name__)

SIGN_S = 0.25
"""After how long, in s, a node that still reads is asked whether it is there, and how long that may take."""
READ_S = 10.0
"""How long, in s, a node may take to read a club ahead."""
SHUNNED_S = 5.0
"""For how long, in s, nothing is asked of a node that gave no sign of life."""
LED_S, PAUSE_S = 1.0, 0.01
"""How long, in s, the next club waits until the last one is led; how often that is looked at."""
AT_ONCE = 2
"""How many clubs one node is being given: while one stands it reads the next."""
ALIVE = "/healthz"
"""What a node answers at once that can answer anything."""

Ask = Callable[[str, str], Awaitable[object]]
"""Asks the node at an address for a path. Raises WebError, ConnectionError."""
Stop = Callable[[], Awaitable[object]]
"""Stops a club, and returns once all of it is on disk."""


class HandingOver:
    """The clubs that this node is handing over."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._turns: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(AT_ONCE))
        """By node: what it is being given."""
        self._shunned: dict[str, float] = {}
        """By node: until when nothing is asked of it, by the monotonic clock."""
        self._stopping = asyncio.Lock()
        self._before: Edge | None = None
        """The edge of the club that was given last, to a node that answers."""

    async def hand_over(self, club: str, takers: Sequence[NodeRow], edge: Edge | None, stop: Stop) -> str | None:
        """Stop a club, of this edge, for the first of these nodes that answers, or else for the first one.

        Return its id; None if there is no node.
        """
        for node in takers:
            async with self._turns[node.id]:
                if await self._has_read(club, node):
                    await self._stop(stop, edge)
                    return node.id
        await self._stop(stop, None)
        return takers[0].id if takers else None

    async def _stop(self, stop: Stop, edge: Edge | None) -> None:
        async with self._stopping:
            until_s = time.monotonic() + LED_S
            before = self._before
            while before is not None and before.is_leaderless and time.monotonic() < until_s:  # noqa: ASYNC110
                await asyncio.sleep(PAUSE_S)
            await stop()
            self._before = edge

    async def _has_read(self, club: str, node: NodeRow) -> bool:
        """Have a node read a club that it is to lead. Return whether it answers; it may need longer to read it."""
        if self._shunned.get(node.id, 0.0) > time.monotonic():
            return False
        reading = asyncio.ensure_future(self._ask(node.address, f"{LED}/{club}"))
        reading.add_done_callback(lambda done: done.cancelled() or done.exception())  # it may have come too late
        try:
            async with asyncio.timeout(READ_S) as patience:
                while not (await asyncio.wait([reading], timeout=SIGN_S))[0]:
                    async with asyncio.timeout(SIGN_S):
                        await self._ask(node.address, ALIVE)
                await reading
        except (TimeoutError, ConnectionError, WebError) as error:
            problem = str(error) or "no answer"
            log.warning("the node at %s does not read %s ahead: %s", node.address, club, problem)
            if not patience.expired():
                self._shunned[node.id] = time.monotonic() + SHUNNED_S
                return False
        finally:
            reading.cancel()
        return True
