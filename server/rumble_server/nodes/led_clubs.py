"""The clubs that this process leads by a lease, and the commands of the node for these clubs (`nodes.node.Led`).

`standby_clubs.py` has the part for a server that leads every club, `node_clubs.py` the part for one of several nodes.
This module has the part that both share.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Any, cast

from rumble_server.clubs.club import Stored, read_club
from rumble_server.clubs.registry import ClubRegistry
from rumble_server.nodes.node import Led, Node
from rumble_server.store.errors import StoreError
from rumble_server.store.log.ahead import Ahead
from rumble_server.store.postgres.store import PostgresStore


class LedClubs(Led):
    """The clubs that a process leads by the lease of its node."""

    def __init__(self, clubs: ClubRegistry, node: Node) -> None:
        """Carry out the commands of `node` from now on. If a club of `clubs` is unloaded, `node` gives up the club."""
        self._clubs, self._node = clubs, node
        self._store = cast(PostgresStore, clubs.shared.store)
        clubs.on_unloaded.append(node.release)
        node.serve(self)

    async def _read(self, name: str, epoch: int, ahead: Ahead) -> Stored:
        """Read a club that this node leads under `epoch`, except for facts that `ahead` has read. Raises StoreError."""

        def read() -> Stored:  # bots wait for a new leader, so no time is spent on opening a connection
            self._store.lead(name, epoch)
            return read_club(self._store, name, self._clubs.reading.reader().of(name), ahead)

        stored = await self._clubs.reading.run(read)
        stored.log.on_fenced.append(partial(self._node.fenced, name, stored.log.epoch))
        return stored

    # --- Led ---

    async def hand_over(self, name: str) -> None:
        club = self._clubs.loaded(name)
        if club is None:
            return
        club.stop()
        club.house_bots.close()
        with suppress(StoreError):  # raised if another node leads the club, so that this node has nothing left to write
            await club.log.wait(club.log.last)
        if self._clubs.loaded(name) is club:  # the club may have been discarded during the wait
            self._clubs.pop(name)
            club.discard()
            self._store.close_log(name)
            self._clubs.leaving[name] = club

    def handed_over(self, name: str) -> None:
        club = self._clubs.leaving.pop(name, None)
        if club is not None:
            club.abandon()

    def suspend(self) -> None:
        for each in self._clubs:
            each.suspend()

    def abandon(self) -> None:
        self._clubs.is_abandoned = True
        for each in self._clubs:
            each.abandon()

    def go_on(self) -> None:
        self._clubs.is_abandoned = False
        for each in list(self._clubs):
            each.go_on()

    def discard(self, name: str) -> None:
        club = self._clubs.pop(name)
        if club is not None:
            club.discard()
            club.house_bots.close()
            club.abandon()
            self._store.close_log(name)

    def lose(self) -> None:
        self._clubs.lost.set()

    def own_uses(self) -> Mapping[str, Any]:
        return {name: asdict(use) for name, use in self._clubs.own_uses().items()}
