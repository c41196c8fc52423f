"""The clubs of one of several nodes. The node loads only the clubs led by the node, and knows the names of the rest."""

import asyncio
import logging
from contextlib import closing, suppress
from dataclasses import asdict
from functools import partial
from typing import Any

from pydantic import TypeAdapter
from rumble_protocol.clubs import MAIN

from rumble_server.clubs.registry import ClubRegistry
from rumble_server.host.repeating import repeat
from rumble_server.nodes.led_clubs import LedClubs
from rumble_server.nodes.main_reader import MainReader
from rumble_server.nodes.node import Node
from rumble_server.store.errors import StoreError
from rumble_server.store.log.read_ahead import RebuiltAhead
from rumble_server.web.site import ClubUse

log = logging.getLogger(__name__)

READY_S = 30.0
"""Maximum time in s that a start waits until `main` has a leader."""
AHEAD_S = 10.0
"""Time in s for which tournaments that were read ahead are kept."""
GIVE_UP_S = 5.0
"""Time in s after a failed load, before the club goes to the next node."""
READ_MAIN_S = 1.0
"""Pause in s between two readings of the facts of `main` about clubs and bans, while another node leads `main`."""
WRITE_USES_S = 1.0
"""Interval in s at which the node writes its clubs' use of resources for other nodes, if the use has changed."""
USES = TypeAdapter(dict[str, ClubUse])
"""Validator of a dict with the use of resources by each club, as read from the database.

Each node writes the use by its clubs into the database.
"""


class NodeClubs(LedClubs):
    """The clubs of one of several nodes (port `ClubLoader`). Only commands of the lease load clubs."""

    def __init__(self, clubs: ClubRegistry, node: Node) -> None:
        super().__init__(clubs, node)
        self._main = MainReader(clubs)
        self._following: asyncio.Task[None] | None = None
        """The task that reads new facts of `main`."""
        self._ahead: dict[str, RebuiltAhead] = {}
        """Tournaments rebuilt for hand-overs of clubs to this node, by club."""
        self._written_uses: dict[str, Any] = {}
        """The led clubs' use of resources, as last written for other nodes."""
        node.begin(repeat(self._write_uses, WRITE_USES_S, "the use of resources could not be told"))

    # --- ClubLoader ---

    async def start(self) -> None:
        self._store.attach(asyncio.get_running_loop())
        await self._main.read()
        for name in {MAIN, *self._store.clubs_in_play(), *self._clubs.with_residents()}:
            self._node.request_leader(name)
        following = repeat(self._main.read_or_warn, READ_MAIN_S, "main could not be followed")
        self._following = self._node.begin(following)
        await self._store.start_writer()
        await self._wait_for_main()

    async def _wait_for_main(self) -> None:
        """Wait until `main` is loaded here or led by another node, at most for `READY_S`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(READY_S):
                while self._clubs.get_loaded(MAIN) is None and not self._node.is_led_by_another_node(MAIN):
                    self._node.changed.clear()
                    await self._node.changed.wait()

    def must_redirect(self, name: str) -> bool:
        if self._clubs.knows(name):
            self._node.request_leader(name)
            return True
        return self._clubs.get_loaded(MAIN) is None

    async def load(self, _name: str) -> None:
        """Do nothing: a request for a club that is not loaded here belongs to another node."""

    def request_load(self, name: str) -> None:
        self._node.request_leader(name)

    async def read_remote_uses(self) -> dict[str, ClubUse]:
        return USES.validate_python(await self._node.uses_connection.read_remote_uses(self._node.id))

    async def _write_uses(self) -> None:
        """Write the led clubs' use of resources for other nodes, if the use has changed."""
        uses = {name: asdict(use) for name, use in self._clubs.local_uses().items()}
        try:
            if uses != self._written_uses:
                await self._node.uses_connection.write_uses(self._node.id, uses)
                self._written_uses = uses
        except StoreError as error:
            log.debug("uses are told later: %s", error)  # the node logs the same trouble as a warning

    def stop(self) -> None:
        if self._following is not None:
            self._following.cancel()

    # --- LeaseCommands ---

    async def _load(self, name: str, epoch: int) -> None:
        if not self._clubs.knows(name):
            await self._main.read()
        stored = await self._read(name, epoch, self._ahead.pop(name, RebuiltAhead()))
        if not self._clubs.knows(name):  # the club was removed, perhaps during the reading
            self._store.close_log(name)
            self._node.release(name)
            return
        self._main.is_stale |= name == MAIN  # first, because a main that fails has changed the clubs and bans, too
        self._clubs.add(name, stored)
        self._node.changed.set()
        if name == MAIN:
            for each in self._clubs.with_residents():
                self.request_load(each)

    def _on_load_failed(self, name: str, epoch: int) -> None:
        """Forget what was loaded of a club, and have another node try after `GIVE_UP_S`.

        Without the pause, a club that no node can load would be tried all the time.
        """
        hand_over = partial(self._lease.hand_overs.hand_to_next, name, epoch)
        asyncio.get_running_loop().call_later(GIVE_UP_S, self._node.call_lease, hand_over)
        self._clubs.forget(name)

    async def _rebuild(self, name: str) -> None:
        ahead, store = RebuiltAhead(), self._store

        def read() -> None:  # on a separate thread and connection, because a long reading must delay no other club
            with closing(store.reader(name)) as reader:
                ahead.read(reader)

        await asyncio.to_thread(read)
        self._ahead[name] = ahead

        def forget() -> None:
            if self._ahead.get(name) is ahead:
                del self._ahead[name]

        asyncio.get_running_loop().call_later(AHEAD_S, forget)
