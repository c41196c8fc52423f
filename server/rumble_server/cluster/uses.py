"""What clubs use that other nodes lead, as these tell it."""

import asyncio
import logging
from collections.abc import Callable, Iterable

from pydantic import TypeAdapter

from rumble_server.cluster.links import Links
from rumble_server.web.club_paths import LED
from rumble_server.web.errors import WebError
from rumble_server.web.site import ClubUse

log = logging.getLogger(__name__)

ANSWER_S = 1.0
"""How long another node may take, in s, to tell what its clubs use."""
KEPT_S = 1.0
"""For how long, in s, what was told is good."""
TOLD = TypeAdapter(dict[str, ClubUse])
"""How a node tells it."""


class UsesElsewhere:
    """What goes on in the clubs of other nodes; `others` gives the addresses of these."""

    def __init__(self, links: Links, others: Callable[[], Iterable[str]]) -> None:
        self._links, self._others = links, others
        self._told: tuple[float, asyncio.Task[dict[str, ClubUse]]] | None = None
        """What they told, and until when that is good, by the loop's time."""

    async def told(self) -> dict[str, ClubUse]:
        """Ask the other nodes, once a second at most for all who want to know it."""
        now_s = asyncio.get_running_loop().time()
        if self._told is None or self._told[0] < now_s:
            self._told = now_s + KEPT_S, asyncio.create_task(self._ask())
        return await asyncio.shield(self._told[1])

    async def _ask(self) -> dict[str, ClubUse]:
        told = await asyncio.gather(*map(self._ask_at, self._others()))
        return {name: use for each in told for name, use in each.items()}

    async def _ask_at(self, address: str) -> dict[str, ClubUse]:
        """Ask a node; none where it does not answer in time."""
        try:
            async with asyncio.timeout(ANSWER_S):
                answer = await self._links.ask(address, LED)
            return TOLD.validate_json(answer.body)
        except (TimeoutError, ConnectionError, WebError, ValueError) as error:
            log.warning("the node at %s does not tell what its clubs use: %s", address, str(error) or "no answer")
            return {}

    def close(self) -> None:
        """Ask no more."""
        if self._told is not None:
            self._told[1].cancel()
