"""The facts about a club as a whole, and the versions of its bots, that are written to the event log."""

from dataclasses import dataclass
from typing import Literal

from rumble_server.limits.quotas import Quotas

SourceLanguage = Literal["python", "javascript"]
"""Languages of bots that are written in the browser."""


@dataclass(frozen=True, slots=True)
class NameUsed:
    """A name was used for the first time, or got a new key from the organiser or by a slip.

    A name with a key has the key's salt and salted SHA-256, in hex. An open name has None for both.
    """

    name: str
    salt: str | None
    digest: str | None
    at_ms: int


@dataclass(frozen=True, slots=True)
class NameReset:
    """The organiser made the server forget a name's key: the next login claims the name anew."""

    name: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class SlipMade:
    """A pupil got a slip with a one-time code, in place of any older slip.

    The code's salt and salted SHA-256 are in hex.
    """

    name: str
    tournament: str
    salt: str
    digest: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class SlipVoided:
    """A pupil's slip was used, or the host made it invalid."""

    name: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class VersionSaved:
    """A bot's owner saved a version of the bot's source. The log keeps each bot's versions apart from all other facts.

    In the same commit, the bot's versions in rows before the row `oldest` are deleted. This frees `freed_bytes` bytes.
    """

    bot: str
    number: int
    """Number of the version, from 1 for each owner of the name."""
    language: SourceLanguage
    source: str
    at_ms: int
    oldest: int = 0
    freed_bytes: int = 0


@dataclass(frozen=True, slots=True)
class DisplayNamed:
    """A bot's name got a display name, which people see in place of the name."""

    name: str
    display: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Banned:
    """The organiser banned a network (of one or more addresses) or a name, until the time `until_ms`.

    If `until_ms` is None, the ban holds until it is lifted. A newer ban replaces an older ban of the same network or
    name.
    """

    what: str
    by_name: bool
    until_ms: int | None
    reason: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class BanLifted:
    """The organiser lifted the ban of a network or a name."""

    what: str
    by_name: bool
    at_ms: int


@dataclass(frozen=True, slots=True)
class HostTokenSet:
    """A host token became valid, in place of any older token of the same name.

    The token's salt and salted SHA-256 are in hex.
    """

    name: str
    salt: str
    digest: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class HostTokenRemoved:
    """A host token is no longer valid."""

    name: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class HostTokensRemoved:
    """No host token is valid any more, because a damaged row of the log may have recorded the removal of a token.

    `rows` are the numbers of the damaged rows.
    """

    rows: tuple[int, ...]
    at_ms: int


@dataclass(frozen=True, slots=True)
class AdministratorSet:
    """The administrator's token was set, in place of any older token. Its salt and its salted SHA-256 are in hex."""

    salt: str
    digest: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class ClubCreated:
    """A club was created. Only the log of main has facts about clubs."""

    club: str
    title: str
    quotas: Quotas
    at_ms: int


@dataclass(frozen=True, slots=True)
class ClubChanged:
    """A club changed. If `listed` is true, the club is in the public list of clubs.

    If `house` is true, the club has residents: house bots that can always be challenged.
    """

    club: str
    title: str
    listed: bool
    house: bool
    quotas: Quotas
    at_ms: int


@dataclass(frozen=True, slots=True)
class ClubRemoved:
    """A club was removed; its name is never given again."""

    club: str
    at_ms: int


NameFact = NameUsed | NameReset
SlipFact = SlipMade | SlipVoided
HostFact = HostTokenSet | HostTokenRemoved | HostTokensRemoved
BanFact = Banned | BanLifted
DirectoryFact = AdministratorSet | ClubCreated | ClubChanged | ClubRemoved
ClubFact = SlipFact | NameFact | DisplayNamed | HostFact | BanFact | DirectoryFact
"""Facts about a club as a whole. Facts of the types in `DirectoryFact` are only in the log of main."""
