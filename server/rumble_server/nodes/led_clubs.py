"""The clubs that this process leads by a lease, and the commands of the lease for these clubs.

`standby_clubs.py` has the part for a server that leads every club, `node_clubs.py` the part for one of several nodes.
This module has the part that both share.
"""

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, cast

from rumble_server.clubs.club import Club, StoredClub, read_club
from rumble_server.clubs.registry import ClubRegistry
from rumble_server.nodes.node import AGAIN_S, EXPELLED, Node
from rumble_server.store.errors import StoreError
from rumble_server.store.log.read_ahead import RebuiltAhead
from rumble_server.store.postgres.store import PostgresStore

log = logging.getLogger(__name__)


class LedClubs:
    """The clubs that a process leads by the lease of its node. A subclass is the port `LeaseCommands`."""

    def __init__(self, clubs: ClubRegistry, node: Node) -> None:
        """Carry out the commands of the lease of `node` from now on.

        If a club of `clubs` is unloaded, `node` gives up the club.
        """
        self._clubs, self._node, self._lease = clubs, node, node.lease
        self._work: dict[str, asyncio.Task[None]] = {}
        """The task that loads or hands over a club, keyed by club."""
        self._store = cast(PostgresStore, clubs.shared.store)
        clubs.on_unloaded.append(node.release)
        node.lease.serve(self)

    async def _read(self, name: str, epoch: int, ahead: RebuiltAhead) -> StoredClub:
        """Read a club that this node leads under `epoch`, except for facts that `ahead` has read.

        Raises StoreError, also if this node does not lead the club under `epoch` any more after the reading.
        """

        def read() -> StoredClub:  # bots wait for a new leader, so no time is spent on opening a connection
            self._store.open_led_log(name, epoch)
            return read_club(self._store, name, self._clubs.reading.reader().of(name), ahead)

        stored = await self._clubs.reading.run(read)
        if self._lease.clubs.get(name) != epoch:  # the lease was over, or the club was taken, during the reading
            if name not in self._lease.clubs:
                self._store.close_log(name)
            raise StoreError(f"another node leads the club {name}")
        stored.log.on_fenced.append(
            lambda: self._node.call_lease(lambda _now_ms: self._lease.on_lead_lost(name, epoch))
        )
        return stored

    def _begin(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Start a task for a club, and cancel any earlier task for the club."""
        self._end_work(name)
        self._work[name] = self._node.begin(work)

    def _end_work(self, name: str) -> None:
        work = self._work.pop(name, None)
        if work is not None:
            work.cancel()

    # --- LeaseCommands ---

    def start_leading(self, name: str, epoch: int) -> None:
        log.info("leading %s under epoch %d", name, epoch)
        self._begin(name, self._load_with_retries(name, epoch))

    async def _load_with_retries(self, name: str, epoch: int) -> None:
        """Load a club. If the database fails, try again as long as this node leads the club under this epoch.

        After any other error, give the club up.
        """
        while self._lease.clubs.get(name) == epoch:
            try:
                await self._load(name, epoch)
            except StoreError as error:
                log.error("club %s cannot be loaded yet: %s", name, error)
                await asyncio.sleep(AGAIN_S)
            except Exception:
                log.exception("club %s cannot be loaded here", name)
                self._on_load_failed(name, epoch)
                return
            else:
                self._node.call_lease(partial(self._lease.on_listening, name, epoch))
                return

    async def _load(self, name: str, epoch: int) -> None:
        """Load a club that this node leads under `epoch`, and let the club's bots in. Raises StoreError."""
        raise NotImplementedError

    def _on_load_failed(self, name: str, epoch: int) -> None:
        """Give up a club that cannot be loaded here."""
        raise NotImplementedError

    def read_ahead(self, name: str) -> None:
        self._node.begin(self._read_ahead(name))

    async def _read_ahead(self, name: str) -> None:
        failed = False
        try:
            await self._rebuild(name)
        except Exception as error:
            log.warning("club %s cannot be read ahead: %s", name, error, exc_info=not isinstance(error, StoreError))
            failed = True
        self._node.call_lease(partial(self._lease.hand_overs.on_read_ahead, name, failed=failed))

    async def _rebuild(self, name: str) -> None:
        """Rebuild the tournaments of a club that another node still leads, before a hand-over. Raises StoreError."""

    def hand_over(self, name: str) -> None:
        log.info("handing over %s", name)
        self._begin(name, self._hand_over(name))

    async def _hand_over(self, name: str) -> None:
        club = self._clubs.get_loaded(name)
        if club is not None:
            await self._stop(club)
        self._node.call_lease(partial(self._lease.hand_overs.on_stopped, name))

    async def _stop(self, club: Club) -> None:
        """Stop a club, and wait until its facts are on disk. The bots stay connected."""
        club.run_steps("could not be stopped in order", club.stop, club.house_bots.close)
        with suppress(StoreError):  # raised if another node leads the club, so that this node has nothing left to write
            await club.log.wait(club.log.last)
        if self._clubs.get_loaded(club.name) is club:  # the club may have been discarded during the wait
            self._clubs.pop(club.name)
            club.run_steps("could not be discarded", club.discard)
            self._store.close_log(club.name)
            self._clubs.stopped_clubs[club.name] = club

    def close_handed_over(self, name: str) -> None:
        club = self._clubs.stopped_clubs.pop(name, None)
        if club is not None:
            club.run_steps("could not be abandoned", club.disconnect_all)

    def suspend(self) -> None:
        self._clubs.for_each(Club.suspend, "could not be suspended")

    def disconnect_all(self) -> None:
        self._clubs.refuses_bots = True
        self._clubs.for_each(Club.disconnect_all, "could not be abandoned")

    def resume(self) -> None:
        self._clubs.refuses_bots = False
        self._clubs.for_each(Club.resume, "could not go on")

    def discard(self, name: str) -> None:
        log.warning("another node leads %s", name)
        self._end_work(name)
        club = self._clubs.get_loaded(name)
        self._clubs.forget(name)
        if club is not None:
            # This node may lead the club again before the next commit, under another epoch. The log is fenced after
            # this command of the lease, because a fenced log calls the lease.
            asyncio.get_running_loop().call_soon(club.log.fence)

    def end_node(self) -> None:
        log.error(EXPELLED)
        self._end(EXPELLED)

    def _end(self, reason: str) -> None:
        """End this process, which can lead no club any more. Who waits for a club gets an error with the reason."""
        self._node.end_reason = reason
        self._clubs.must_end.set()
