"""The ports (interfaces) through which the web reads a club: the club's play, and its event log.

The arena implements `ClubPlay`, and the event log implements `DurableLog`. The web changes a club by commands
(`arena.commands`) and by house bots (`arena.house`) alone.
"""

from typing import Protocol

from rumble_server.arena.bots.player import Players
from rumble_server.arena.logins.refused import RefusedBots
from rumble_server.arena.ports import Clock
from rumble_server.arena.state.display_names import DisplayNames
from rumble_server.arena.state.host_tokens import HostTokens
from rumble_server.arena.state.names_and_keys import Names
from rumble_server.arena.state.tournaments import Tournaments
from rumble_server.limits.bans import Ban, Bans
from rumble_server.limits.guesses import Guesses
from rumble_server.match.progress import Progress


class ClubPlay(Protocol):
    """The play of a club. The web changes nothing of it but the counts of wrong secrets."""

    clock: Clock
    names: Names
    display_names: DisplayNames
    players: Players
    tournaments: Tournaments
    host_tokens: HostTokens
    refused_bots: RefusedBots
    bans: Bans
    guesses: Guesses

    @property
    def running_count(self) -> int:
        """Number of running matches."""

    @property
    def used_bytes(self) -> int:
        """Bytes of the club's facts on disk at the last count."""

    @property
    def waiting_for_disk(self) -> int:
        """Number of sessions with frames that wait for the disk."""

    def ban_of(self, address: str) -> Ban | None:
        """Return the ban of an address; None without a ban."""

    def is_connected(self, name: str) -> bool:
        """Return true if a session of the bot of this name is logged in."""

    def live_progress(self, match_id: str) -> Progress | None:
        """Return the progress of a running match; None if no match of this id is running."""


class DurableLog(Protocol):
    """The event log of a club."""

    @property
    def durable(self) -> int:
        """Number of the newest fact on disk; all older facts are on disk, too."""

    @property
    def last(self) -> int:
        """Number of the newest appended fact."""

    @property
    def trouble(self) -> str | None:
        """Reason why the log cannot be written at present; None while the log can be written."""

    def flush_soon(self) -> None:
        """Write the batch sooner than usual, because a reader waits for the batch."""

    async def wait(self, number: int) -> None:
        """Wait until the fact with this number is on disk."""
