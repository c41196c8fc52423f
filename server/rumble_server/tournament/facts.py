"""The facts about a tournament that are written to the event log, and the union of all facts of the log.

`match/facts.py` has the facts of matches, and `club_facts.py` the facts about a club as a whole.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from rumble_server.match.facts import MatchFact, MatchOver, MatchStarted
from rumble_server.match.match_id import tournament_id_of
from rumble_server.tournament.club_facts import ClubFact, VersionSaved
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.formats import AnyRound
from rumble_server.tournament.pairs.plan import Pairing, Round
from rumble_server.tournament.tables.plan import Seating, TableRound


@dataclass(frozen=True, slots=True)
class TournamentCreated:
    """A tournament was created, and is in its lobby. `challenger` is the bot that made a challenge, else None.

    If the host chose an invitation code, the server also made a secret, `made_invite`; otherwise `made_invite` is None.
    Bots can join by the code or by the secret. `follows` is the id of the ended tournament whose pupils are moved to
    this tournament, else None.
    """

    tournament: str
    config: TournamentConfig
    at_ms: int
    challenger: str | None = None
    made_invite: str | None = None
    follows: str | None = None


@dataclass(frozen=True, slots=True)
class ConfigChanged:
    """The host changed the configuration. In the lobby any part can change, later only `listed`."""

    tournament: str
    config: TournamentConfig
    at_ms: int


@dataclass(frozen=True, slots=True)
class RosterChanged:
    """The host changed the list of the pupils whom the host expects. `names` is the whole new list."""

    tournament: str
    names: tuple[str, ...]
    at_ms: int


@dataclass(frozen=True, slots=True)
class BotJoined:
    """A bot joined the field. `house` is the reference bot that plays, if the organiser added a house bot.

    `by_code` is true for a pupil, who came by a join code. `display_name` is the name for people, if the bot has one.
    """

    tournament: str
    bot: str
    at_ms: int
    house: str | None = None
    by_code: bool = False
    display_name: str | None = None


@dataclass(frozen=True, slots=True)
class BotLeft:
    """A bot left for good, or was removed by the organiser."""

    tournament: str
    bot: str
    removed: bool
    at_ms: int


@dataclass(frozen=True, slots=True)
class BotAbsent:
    """A bot's absent budget changed to `absent_left_ms`: the time for which due matches wait for the bot."""

    tournament: str
    bot: str
    absent_left_ms: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class BotBenched:
    """A bot was benched for failing too often, or may play again. A benched bot loses its due matches as `no_show`.

    `version` is the version that the bot's newest login named.
    """

    tournament: str
    bot: str
    benched: bool
    reason: str
    at_ms: int
    version: str | None = None


@dataclass(frozen=True, slots=True)
class TournamentStarted:
    """The tournament started: `bots[i]` has number i + 1 in the schedule. Every pair plays the `openings` in order."""

    tournament: str
    bots: tuple[str, ...]
    openings: tuple[tuple[str, ...], ...]
    at_ms: int


@dataclass(frozen=True, slots=True)
class RoundPaired:
    """A round was paired from results (Swiss, knockout). In the pairings and byes, bots are numbers from 0."""

    tournament: str
    pairings: tuple[Pairing, ...]
    byes: tuple[int, ...]
    at_ms: int
    half_byes: tuple[int, ...] = ()

    @property
    def as_round(self) -> Round:
        return Round(self.pairings, self.byes, self.half_byes)


@dataclass(frozen=True, slots=True)
class TablesSeated:
    """The tables of a round, or of all rounds, were made. In the seatings and byes, bots are numbers from 0."""

    tournament: str
    seatings: tuple[Seating, ...]
    byes: tuple[int, ...]
    at_ms: int

    @property
    def as_round(self) -> TableRound:
        return TableRound(self.seatings, self.byes)


@dataclass(frozen=True, slots=True)
class HalfByeGiven:
    """The organiser gave a bot a half-point bye in a round of a Swiss. `round` is counted from 1."""

    tournament: str
    bot: str
    round: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class HalfByeTaken:
    """The organiser took back a bot's half-point bye, before the round was paired."""

    tournament: str
    bot: str
    round: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class TournamentPaused:
    """The tournament was paused: running matches finish, and no match starts."""

    tournament: str
    reason: str
    by: Literal["host", "disk"]
    at_ms: int


@dataclass(frozen=True, slots=True)
class TournamentResumed:
    """The tournament was resumed: matches start again."""

    tournament: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class TournamentEnded:
    """The tournament ended: `finished` (all played, or ended by the organiser; the standings count) or `cancelled`."""

    tournament: str
    status: Literal["finished", "cancelled"]
    reason: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class ResultVoided:
    """The organiser voided a result: the match is played again, and the next attempt's result counts."""

    match: str
    attempt: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class InviteChanged:
    """Bots join with the code `invite` from now on; None for no code.

    `made_invite` has the same meaning as in `TournamentCreated`.
    """

    tournament: str
    invite: str | None
    at_ms: int
    made_invite: str | None = None


@dataclass(frozen=True, slots=True)
class JoinCodeChanged:
    """Pupils join with the code `code` in a browser from now on; None if the host has closed the door."""

    tournament: str
    code: str | None
    at_ms: int


RoundFact = RoundPaired | TablesSeated

TournamentFact = (
    TournamentCreated
    | ConfigChanged
    | RosterChanged
    | BotJoined
    | BotLeft
    | BotAbsent
    | BotBenched
    | InviteChanged
    | JoinCodeChanged
    | TournamentStarted
    | RoundPaired
    | TablesSeated
    | HalfByeGiven
    | HalfByeTaken
    | TournamentPaused
    | TournamentResumed
    | TournamentEnded
    | ResultVoided
    | MatchStarted
    | MatchOver
)
"""Facts from which a tournament is rebuilt. The other facts of a match are needed only to rebuild the match."""
LogFact = ClubFact | TournamentFact | MatchFact | VersionSaved
"""All facts of the event log."""


def fact_of_round(tournament: str, new_round: AnyRound, at_ms: int) -> RoundFact:
    """Return the fact that a round was made."""
    if isinstance(new_round, TableRound):
        return TablesSeated(tournament, new_round.seatings, new_round.byes, at_ms)
    return RoundPaired(tournament, new_round.pairings, new_round.byes, at_ms, new_round.half_byes)


_ABOUT_A_MATCH = frozenset((*get_args(MatchFact), ResultVoided))
_ABOUT_THE_CLUB = frozenset(get_args(ClubFact))


VERSIONS = "@"
"""First character of each key that `versions_of` returns. Rows with versions of a bot have such a key in place of a
tournament's id. No tournament's id begins with this character."""


def versions_of(bot: str) -> str:
    """Return the key of the rows with a bot's versions."""
    return VERSIONS + bot.casefold()


def tournament_of(fact: LogFact) -> str:
    """Return the id of the tournament that a fact is about; empty for facts about a club as a whole.

    For a `VersionSaved`, return the key that `versions_of` returns for the bot.
    """
    kind = type(fact)
    if kind is VersionSaved:
        return versions_of(fact.bot)  # type: ignore[union-attr]
    if kind in _ABOUT_A_MATCH:
        return tournament_id_of(fact.match)  # type: ignore[union-attr]  # this kind has a match
    return "" if kind in _ABOUT_THE_CLUB else fact.tournament  # type: ignore[union-attr]  # and these a tournament
