"""What is written to the event log about a tournament, beside the facts of its matches."""

from dataclasses import dataclass
from typing import Literal, get_args

from rumble_server.match.facts import MatchFact, MatchOver, MatchStarted
from rumble_server.match.match_id import tournament_id_of
from rumble_server.quotas import Quotas
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.pairing import Pairing


@dataclass(frozen=True, slots=True)
class TournamentCreated:
    """A tournament exists, in its lobby. `challenger`: the bot that asked for it, if it is a challenge."""

    tournament: str
    config: TournamentConfig
    at_ms: int
    challenger: str | None = None


@dataclass(frozen=True, slots=True)
class BotJoined:
    """A bot is in the field. `house`: the reference bot that plays, if the organiser added it as a house bot."""

    tournament: str
    bot: str
    at_ms: int
    house: str | None = None


@dataclass(frozen=True, slots=True)
class BotLeft:
    """A bot left for good, or was removed by the organiser."""

    tournament: str
    bot: str
    removed: bool
    at_ms: int


@dataclass(frozen=True, slots=True)
class BotAbsent:
    """What is left of a bot's budget for being absent when its matches are due."""

    tournament: str
    bot: str
    absent_left_ms: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class BotBenched:
    """A bot failed too often: its matches are lost as `no_show` until `benched` is False again."""

    tournament: str
    bot: str
    benched: bool
    reason: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class TournamentStarted:
    """The field is numbered: `bots[i]` has number i + 1 in the schedule. Every pair plays these openings, in order."""

    tournament: str
    bots: tuple[str, ...]
    openings: tuple[tuple[str, ...], ...]
    at_ms: int


@dataclass(frozen=True, slots=True)
class RoundPaired:
    """Pairings that follow from results (Swiss, knockout), and the bots with a bye; by number, from 0."""

    tournament: str
    pairings: tuple[Pairing, ...]
    byes: tuple[int, ...]
    at_ms: int
    half_byes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class HalfByeGiven:
    """The organiser leaves a bot out of a round of a Swiss, counted from 1: it gets half a point in it."""

    tournament: str
    bot: str
    round: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class HalfByeTaken:
    """The organiser takes a half-point bye back before its round is paired."""

    tournament: str
    bot: str
    round: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class TournamentPaused:
    """Running matches finish; none starts."""

    tournament: str
    reason: str
    by: Literal["host", "disk"]
    at_ms: int


@dataclass(frozen=True, slots=True)
class TournamentResumed:
    """Matches start again."""

    tournament: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class TournamentEnded:
    """It is over: `finished` (all was played, or the organiser ended it: the standings count) or `cancelled`."""

    tournament: str
    status: Literal["finished", "cancelled"]
    reason: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class ResultVoided:
    """The organiser has a finished match played again: its result no longer counts, the next attempt's will."""

    match: str
    attempt: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class NameUsed:
    """A name was used for the first time, or given a key by the organiser.

    It is claimed with a key (its salt and SHA-256, in hex), or open (None).
    """

    name: str
    salt: str | None
    digest: str | None
    at_ms: int


@dataclass(frozen=True, slots=True)
class NameReset:
    """The organiser had a name's key forgotten: the next login of the name claims it anew."""

    name: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class InviteChanged:
    """From now on bots join with this code; None: without any."""

    tournament: str
    invite: str | None
    at_ms: int


@dataclass(frozen=True, slots=True)
class Banned:
    """The organiser keeps out a network (of one address or more) or a name, until a time, or (None) until it is lifted.

    A newer ban of the same takes its place.
    """

    what: str
    by_name: bool
    until_ms: int | None
    reason: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class BanLifted:
    """The organiser lets a network or a name in again."""

    what: str
    by_name: bool
    at_ms: int


@dataclass(frozen=True, slots=True)
class HostTokenSet:
    """A token of hosts is valid from now on, in the place of an older one of its name: its salt and SHA-256, in hex."""

    name: str
    salt: str
    digest: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class HostTokenRemoved:
    """A token of hosts is not valid any more."""

    name: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class AdministratorSet:
    """The administrator has this token from now on, in the place of the older one: its salt and SHA-256, in hex."""

    salt: str
    digest: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class ClubCreated:
    """A club is there. The facts about clubs are facts about main."""

    club: str
    title: str
    quotas: Quotas
    at_ms: int


@dataclass(frozen=True, slots=True)
class ClubChanged:
    """A club is from now on as told here: `listed` among the clubs for everyone, and with residents if `house`."""

    club: str
    title: str
    listed: bool
    house: bool
    quotas: Quotas
    at_ms: int


@dataclass(frozen=True, slots=True)
class ClubRemoved:
    """A club is gone; its name is never given again."""

    club: str
    at_ms: int


NameFact = NameUsed | NameReset
HostFact = HostTokenSet | HostTokenRemoved
BanFact = Banned | BanLifted
ClubFact = AdministratorSet | ClubCreated | ClubChanged | ClubRemoved
ServerFact = NameFact | HostFact | BanFact | ClubFact
"""The facts about a club as a whole; those about clubs are in main alone."""

TournamentFact = (
    TournamentCreated
    | BotJoined
    | BotLeft
    | BotAbsent
    | BotBenched
    | InviteChanged
    | TournamentStarted
    | RoundPaired
    | HalfByeGiven
    | HalfByeTaken
    | TournamentPaused
    | TournamentResumed
    | TournamentEnded
    | ResultVoided
    | MatchStarted
    | MatchOver
)
"""The facts that rebuild a tournament; other facts of a match rebuild only that match."""
LogFact = ServerFact | TournamentFact | MatchFact
"""Everything that is written to the event log."""


_ABOUT_A_MATCH = frozenset((*get_args(MatchFact), ResultVoided))
_ABOUT_THE_SERVER = frozenset(get_args(ServerFact))


def tournament_of(fact: LogFact) -> str:
    """Return the id of the tournament a fact is about; empty for the facts about the server."""
    kind = type(fact)
    if kind in _ABOUT_A_MATCH:
        return tournament_id_of(fact.match)  # type: ignore[union-attr]  # by its type it has a match
    return "" if kind in _ABOUT_THE_SERVER else fact.tournament  # type: ignore[union-attr]  # and these a tournament
