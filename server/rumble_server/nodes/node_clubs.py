"""The clubs of one of several nodes. The node loads only the clubs led by the node, and knows the names of the rest."""

import asyncio
from contextlib import closing, suppress

from pydantic import TypeAdapter
from rumble_protocol.clubs import MAIN

from rumble_server.clubs.registry import ClubRegistry
from rumble_server.nodes.led_clubs import LedClubs
from rumble_server.nodes.main_follower import MainFollower
from rumble_server.nodes.node import Node
from rumble_server.store.log.ahead import Ahead
from rumble_server.web.site import ClubUse

READY_S = 30.0
"""Maximum time in s that a start waits until `main` has a leader."""
AHEAD_S = 10.0
"""Time in s for which the tournaments of a club stay in memory after `read_ahead` has rebuilt the tournaments."""
USES = TypeAdapter(dict[str, ClubUse])
"""Validator of a dict with the use of resources by each club, as read from the database.

Each node writes the use by its clubs into the database.
"""


class NodeClubs(LedClubs):
    """The clubs of one of several nodes (port `ClubLoader`). Only `lead` loads clubs."""

    def __init__(self, clubs: ClubRegistry, node: Node) -> None:
        super().__init__(clubs, node)
        self._main = MainFollower(clubs)
        self._news = asyncio.Event()
        """Event that is set when the node has looked at the rows of nodes and clubs, or a club was loaded."""
        self._ahead: dict[str, Ahead] = {}
        """Tournaments rebuilt for hand-overs of clubs to this node, by club."""

    # --- ClubLoader ---

    async def start(self) -> None:
        self._store.attach(asyncio.get_running_loop())
        await self._main.read()
        for name in {MAIN, *self._store.clubs_in_play(), *self._clubs.with_residents()}:
            self._node.want(name)
        self._main.start()
        await self._store.start_writer()
        await self._wait_for_main()

    async def _wait_for_main(self) -> None:
        """Wait until `main` is loaded here or led by another node, at most for `READY_S`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(READY_S):
                while self._clubs.loaded(MAIN) is None and not self._node.is_led_elsewhere(MAIN):
                    self._news.clear()
                    await self._news.wait()

    def refer_elsewhere(self, name: str) -> bool:
        """Refer requests for a club that is not loaded here to another node. Return false if the requests belong here.

        For a known club, return true, and ask for a leader if the club has none. For an unknown club, return true if
        `main` is not loaded here: only the leader of `main` can say that a club does not exist.
        """
        if self._clubs.knows(name):
            self._node.want(name)
            return True
        return self._clubs.loaded(MAIN) is None  # only the leader of main can say that a club does not exist

    async def load(self, _name: str) -> None:
        """Do nothing: a request for a club that is not loaded here belongs to another node."""

    def need(self, name: str) -> None:
        self._node.want(name)

    async def uses_elsewhere(self) -> dict[str, ClubUse]:
        return USES.validate_python(await self._node.uses_elsewhere())

    def stop(self) -> None:
        self._main.stop()

    # --- Led ---

    async def lead(self, name: str, epoch: int) -> None:
        if not self._clubs.knows(name):
            await self._main.read()
        stored = await self._read(name, epoch, self._ahead.pop(name, Ahead()))
        if not self._node.leads_under(name, epoch):  # the lease was over, or the club was taken, during the reading
            return
        if not self._clubs.knows(name):  # the club was removed, perhaps during the reading
            self._store.close_log(name)
            self._node.release(name)
            return
        self._clubs.add(name, stored)
        self._news.set()
        if name == MAIN:
            for each in self._clubs.with_residents():
                self.need(each)

    async def read_ahead(self, name: str) -> None:
        ahead, store = Ahead(), self._store

        def read() -> None:  # on a separate thread and connection, because a long reading must delay no other club
            with closing(store.reader(name)) as reader:
                ahead.read(reader)

        await asyncio.to_thread(read)
        self._ahead[name] = ahead

        def forget() -> None:
            if self._ahead.get(name) is ahead:
                del self._ahead[name]

        asyncio.get_running_loop().call_later(AHEAD_S, forget)

    def changed(self) -> None:
        self._news.set()
