"""The administrator's commands on clubs and on the administrator's token. Each raises CommandRefused if refused."""

from dataclasses import replace

from rumble_protocol.clubs import MAIN
from rumble_protocol.codes import ErrorCode

from rumble_server.arena.arena import Arena
from rumble_server.arena.recorder import transactional
from rumble_server.arena.state.clubs import ClubEntry
from rumble_server.arena.state.names_and_keys import digest_of
from rumble_server.limits.quotas import Quotas
from rumble_server.tournament.club_facts import AdministratorSet, ClubChanged, ClubCreated, ClubRemoved
from rumble_server.tournament.errors import CommandRefused


class Administrator:
    """The commands of a server's administrator. They act on the arena of the club main."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena

    @transactional
    def set_token(self, token: str) -> None:
        """Make `token` the administrator's token. The former token is no longer valid."""
        salt = self.arena.claims.new_salt()
        self.arena.recorder.record(AdministratorSet(salt, digest_of(token, salt), self.arena.clock.now_ms()))

    @transactional
    def create(self, name: str, title: str, quotas: Quotas, *, listed: bool = False, house: bool = False) -> ClubEntry:
        """Create a club; `name` must fit the pattern of clubs' names."""
        clubs = self.arena.clubs
        if clubs.get(name) is not None:
            raise CommandRefused(ErrorCode.UNAVAILABLE, f"there is a club {name} already")
        if clubs.was_removed(name):
            raise CommandRefused(ErrorCode.UNAVAILABLE, f"a club {name} was removed, and its name is not given again")
        self.arena.recorder.record(ClubCreated(name, title, quotas, self.arena.clock.now_ms()))
        return self.change(name, listed=listed, house=house)

    @transactional
    def change(
        self,
        name: str,
        *,
        title: str | None = None,
        listed: bool | None = None,
        house: bool | None = None,
        quotas: Quotas | None = None,
    ) -> ClubEntry:
        """Change the given values of a club, and return the new entry.

        Raises CommandRefused if main is to become unlisted, or if `house` is given for main. Main is always listed,
        and the server's configuration names main's residents (house bots that wait for challenges).
        """
        current = self.entry(name)
        if name == MAIN and (listed is False or house is not None):
            raise CommandRefused(ErrorCode.UNAVAILABLE, "main is always listed, and has the house bots of --house")
        changes = {"title": title, "listed": listed, "has_residents": house, "quotas": quotas}
        new = replace(current, **{key: value for key, value in changes.items() if value is not None})  # type: ignore[arg-type]
        if new != current:
            now_ms = self.arena.clock.now_ms()
            self.arena.recorder.record(ClubChanged(name, new.title, new.listed, new.has_residents, new.quotas, now_ms))
        return new

    @transactional
    def remove(self, name: str) -> None:
        """Remove a club for good."""
        self.entry(name)
        if name == MAIN:
            raise CommandRefused(ErrorCode.UNAVAILABLE, "main cannot be removed")
        self.arena.recorder.record(ClubRemoved(name, self.arena.clock.now_ms()))

    def entry(self, name: str) -> ClubEntry:
        """Return a club's entry in the directory. Raises CommandRefused if the club does not exist."""
        entry = self.arena.clubs.get(name)
        if entry is None:
            raise CommandRefused(ErrorCode.UNAVAILABLE, f"there is no club {name!r}")
        return entry
