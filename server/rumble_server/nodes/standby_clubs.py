"""The clubs of a server without a node address.

During a standby, such a server serves nobody. Afterwards it leads every club.
"""

from rumble_protocol.clubs import MAIN

from rumble_server.clubs.club import Club, StoredClub
from rumble_server.nodes.led_clubs import LedClubs
from rumble_server.store.log.read_ahead import RebuiltAhead

MAIN_LOST = "another node leads main"


class StandbyClubs(LedClubs):
    """The clubs of a server that leads every club. A `LoneLoader` loads the clubs, and reads a club with `acquire`."""

    async def acquire(self, name: str) -> StoredClub:
        """Wait until this node leads a club, and read the club. Raises StoreError."""
        return await self._read(name, await self._node.acquire(name), RebuiltAhead())

    # --- LeaseCommands ---

    async def _load(self, name: str, _epoch: int) -> None:
        if self._clubs.get_loaded(MAIN) is None:
            return  # after a standby, `LoneLoader.start` loads main, and then the other clubs
        if await self._clubs.load(name) is None:
            self._node.release(name)

    def _on_load_failed(self, name: str, epoch: int) -> None:
        """Do nothing: the next request for the club loads the club again."""

    def close_handed_over(self, name: str) -> None:
        has_gone = name in self._clubs.stopped_clubs
        super().close_handed_over(name)
        if has_gone and name == MAIN:
            self._end(MAIN_LOST)

    def discard(self, name: str) -> None:
        has_gone = self._clubs.get_loaded(name) is not None
        super().discard(name)
        if has_gone and name == MAIN:  # without main, this server leads no club at all
            self._clubs.for_each(Club.discard, "could not be discarded")
            self._end(MAIN_LOST)
