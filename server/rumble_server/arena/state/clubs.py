"""The directory of clubs with their settings and quotas, and the administrator's token.

The directory is rebuilt from the facts in the log of main. The settings of every club come from the directory.
"""

import hmac
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from rumble_protocol.clubs import MAIN

from rumble_server.arena.state.names_and_keys import derive_secret, digest_of
from rumble_server.limits.quotas import NO_QUOTAS, Quotas
from rumble_server.tournament.club_facts import AdministratorSet, ClubChanged, ClubCreated, ClubRemoved, DirectoryFact


@dataclass(frozen=True, slots=True)
class ClubEntry:
    """A club in the directory; `since_ms` is the time in ms at which the club was created, or 0 for main."""

    name: str
    title: str = ""
    """Title for people; if it is empty, people see the club's name."""
    listed: bool = False
    """True if the public list of clubs has the club."""
    has_residents: bool = False
    """True if the club has residents, house bots that wait for challenges. For main, the server's configuration tells
    whether there are residents, whatever this value is."""
    quotas: Quotas = NO_QUOTAS
    since_ms: int = 0


class ClubDirectory:
    """Existing clubs by name. Main always exists, and comes first."""

    def __init__(self, of_main: Quotas = NO_QUOTAS) -> None:
        """`of_main` are the quotas of main until the administrator changes them."""
        self._of_main = of_main
        self.clear()

    def clear(self) -> None:
        """Forget everything, before all facts of main are applied again."""
        self._entries = {MAIN: ClubEntry(MAIN, listed=True, quotas=self._of_main)}
        self._removed: set[str] = set()
        self._administrator: AdministratorSet | None = None

    def apply(self, fact: DirectoryFact) -> None:
        match fact:
            case AdministratorSet():
                self._administrator = fact
            case ClubCreated():
                self._entries[fact.club] = ClubEntry(fact.club, fact.title, quotas=fact.quotas, since_ms=fact.at_ms)
            case ClubChanged():
                entry = self._entries.get(fact.club)
                if entry is not None:  # unknown if its creation is lost: the log's damage is reported elsewhere
                    self._entries[fact.club] = replace(
                        entry, title=fact.title, listed=fact.listed, has_residents=fact.house, quotas=fact.quotas
                    )
            case ClubRemoved():
                self._entries.pop(fact.club, None)
                self._removed.add(fact.club)
            case _:
                assert_never(fact)

    def get(self, name: str) -> ClubEntry | None:
        """Return the entry of an existing club; None for an unknown or removed club."""
        return self._entries.get(name)

    def was_removed(self, name: str) -> bool:
        """Return true if a club of this name was removed."""
        return name in self._removed

    def __iter__(self) -> Iterator[ClubEntry]:
        return iter(self._entries.values())

    @property
    def has_administrator(self) -> bool:
        return self._administrator is not None

    def is_administrator(self, token: str) -> bool:
        """Return true if `token` is the administrator's token."""
        fact = self._administrator
        return fact is not None and hmac.compare_digest(fact.digest, digest_of(token, fact.salt))

    def derive_secret(self, token: str) -> str:
        """Return a secret made by the server (see `make_secret`) that can replace the administrator's token `token`.

        If no administrator's token is set, return `token`.
        """
        return token if self._administrator is None else derive_secret(token, self._administrator.salt)
