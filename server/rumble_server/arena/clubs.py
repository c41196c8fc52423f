"""The directory of clubs: which there are, and what each may use; and the administrator's token.

It is rebuilt from facts of main, which every other club's settings come from.
"""

import hmac
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rumble_protocol.clubs import MAIN

from rumble_server.arena.names import digest_of, exchanged
from rumble_server.quotas import NO_QUOTAS, Quotas
from rumble_server.tournament.facts import AdministratorSet, ClubChanged, ClubCreated, ClubFact


@dataclass(frozen=True, slots=True)
class ClubEntry:
    """A club as the directory has it; `since_ms` is when it was created, 0 for main."""

    name: str
    title: str = ""
    """What people read; empty: its name."""
    listed: bool = False
    """Whether everyone may see it in the list of clubs."""
    house: bool = False
    """Whether the residents of the house are there to be challenged; in main the configuration alone says so."""
    quotas: Quotas = NO_QUOTAS
    since_ms: int = 0


class ClubDirectory:
    """The clubs that there are, by name. Main is always there, and comes first."""

    def __init__(self, of_main: Quotas = NO_QUOTAS) -> None:
        """`of_main` are the quotas of main until the administrator gives it others."""
        self._entries = {MAIN: ClubEntry(MAIN, listed=True, quotas=of_main)}
        self._removed: set[str] = set()
        self._administrator: AdministratorSet | None = None

    def apply(self, fact: ClubFact) -> None:
        if isinstance(fact, AdministratorSet):
            self._administrator = fact
        elif isinstance(fact, ClubCreated):
            self._entries[fact.club] = ClubEntry(fact.club, fact.title, quotas=fact.quotas, since_ms=fact.at_ms)
        elif isinstance(fact, ClubChanged):
            known = self._entries.get(fact.club)
            if known is not None:  # else the fact of its creation is lost: the log's damage is told elsewhere
                self._entries[fact.club] = replace(
                    known, title=fact.title, listed=fact.listed, house=fact.house, quotas=fact.quotas
                )
        else:
            self._entries.pop(fact.club, None)
            self._removed.add(fact.club)

    def get(self, name: str) -> ClubEntry | None:
        """Return a club that is there."""
        return self._entries.get(name)

    def was_removed(self, name: str) -> bool:
        """Whether a club of this name is gone."""
        return name in self._removed

    def __iter__(self) -> Iterator[ClubEntry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def has_administrator(self) -> bool:
        """Whether there is an administrator's token."""
        return self._administrator is not None and self._administrator.digest != ""  # repair takes it back so

    def is_administrator(self, token: str) -> bool:
        """Whether this is the administrator's token."""
        known = self._administrator
        return known is not None and hmac.compare_digest(known.digest, digest_of(token, known.salt))

    def exchanged(self, token: str) -> str:
        """Return the made secret that does in the place of the administrator's token."""
        return token if self._administrator is None else exchanged(token, self._administrator.salt)
