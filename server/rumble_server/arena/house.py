"""Which house bots there are to be: those that are always there to be challenged, and those a host adds to a field.

A house bot plays under a name of its own, claimed with a key of the server's. One that was added to a tournament is
in it from that moment, by a fact of the log; it is connected until the tournament is over, also after a restart.
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rumble_protocol.codes import ErrorCode

from rumble_server.arena.arena import Arena
from rumble_server.arena.ports import House, HouseBot
from rumble_server.tournament.errors import TournamentError
from rumble_server.tournament.facts import BotJoined, BotLeft, LogFact, TournamentEnded
from rumble_server.tournament.tournament import OVER, Tournament

PREFIX = "house-"
"""Names that begin so are for bots of the house alone."""
MOST_ADDED = 32
"""So many house bots play in tournaments at a time, on the whole server: each is a process."""


@dataclass(frozen=True, slots=True)
class _Added:
    """A house bot in the field of a tournament that is not over."""

    name: str
    player: str
    tournament: str


@dataclass(slots=True)
class Housekeeper:
    """Adds house bots to tournaments, and has the `house` keep those that are needed. `secret` makes their keys."""

    arena: Arena
    secret: str
    house: House | None = None
    residents: Sequence[str] = ()
    """The reference bots that are always there to be challenged."""
    _added: dict[str, _Added] = field(default_factory=dict)
    """By name in lower case."""

    def __post_init__(self) -> None:
        self.arena.may_claim = self._may_claim

    def open(self) -> None:
        """After a start: the bots of the tournaments that are not over, and the residents."""
        for tournament in self.arena.tournaments.values():
            if tournament.status not in OVER:
                for entrant in tournament.field.values():
                    if entrant.house is not None and not entrant.withdrawn:
                        added = _Added(entrant.bot, entrant.house, tournament.id)
                        self._added[entrant.bot.casefold()] = added
        self._keep()

    def take(self, facts: Iterable[LogFact]) -> None:
        """Facts that are on disk now: a bot that was added is started, one that is not needed any more ends."""
        changed = False
        for fact in facts:
            if isinstance(fact, BotJoined) and fact.house is not None:
                changed = True
            elif isinstance(fact, BotLeft | TournamentEnded):
                gone = [
                    name
                    for name, added in self._added.items()
                    if added.tournament == fact.tournament
                    and (isinstance(fact, TournamentEnded) or added.name == fact.bot)
                ]
                for name in gone:
                    del self._added[name]
                    changed = True
        if changed:
            self._keep()

    def _keep(self) -> None:
        if self.house is not None:
            self.house.keep(self.bots())

    def bots(self) -> list[HouseBot]:
        """The house bots that are to be connected now."""
        residents = {resident_name(player): player for player in self.residents}
        return [
            *(
                HouseBot(name, self._key(name), player, challenges=True)
                for name, player in residents.items()
                if self._may_use(name)
            ),
            *(
                HouseBot(each.name, self._key(each.name), each.player, challenges=False)
                for each in self._added.values()
            ),
        ]

    def names_lost(self) -> list[str]:
        """The names of residents that somebody else uses: these bots are left out."""
        return [name for name in map(resident_name, self.residents) if not self._may_use(name)]

    def ladder(self) -> Mapping[str, str]:
        """All reference bots, the weakest first, each with a line about it."""
        return {} if self.house is None else self.house.ladder()

    def players(self, tournament: Tournament) -> Mapping[str, str]:
        """The reference bots that can be added to a tournament, each with a line about it."""
        return {} if self.house is None else self.house.players(tournament.config.game, tournament.config.settings)

    @property
    def room(self) -> int:
        """How many more house bots can be added."""
        return 0 if self.house is None else MOST_ADDED - len(self._added)

    def add(self, tournament_id: str, player: str, name: str | None = None, count: int = 1) -> int:
        """The host adds house bots to a tournament: `name`, or `name-1` and so on. Raises TournamentError.

        Gives the number to wait for before that is told.
        """
        arena = self.arena
        tournament = arena.tournament(tournament_id)
        players = self.players(tournament)
        if self.house is None:
            raise TournamentError(ErrorCode.UNAVAILABLE, "this server runs no house bots")
        if player not in players:
            known = ", ".join(players) or "none"
            game = tournament.config.game
            raise TournamentError(
                ErrorCode.UNKNOWN_BOT, f"there is no house bot {player!r} for {game}; there are: {known}"
            )
        if count > self.room:
            raise TournamentError(
                ErrorCode.UNAVAILABLE, f"at most {MOST_ADDED} house bots play at a time; there is room for {self.room}"
            )
        names = self._names(tournament, player, name, count)
        number = 0
        for each in names:
            joined = tournament.join(each, arena.clock.now_ms(), tournament.invite)
            if joined is None:
                raise TournamentError(ErrorCode.UNAVAILABLE, f"{each} is in {tournament.id} already")
            entrant = arena.admit(each, self._key(each), keyless_allowed=False)[0]
            self._added[each.casefold()] = _Added(entrant.name, player, tournament.id)
            number = arena.enter(entrant, tournament, replace(joined, bot=entrant.name, house=player))
        arena.settle()
        return number

    def _names(self, tournament: Tournament, player: str, name: str | None, count: int) -> list[str]:
        if name is not None and count == 1:
            if not self._is_free(name, tournament):
                raise TournamentError(ErrorCode.UNAVAILABLE, f"the name {name} is taken; choose another")
            return [name]
        base = name or f"{PREFIX}{player}"
        names: list[str] = []
        number = 0
        while len(names) < count:
            number += 1
            if self._is_free(f"{base}-{number}", tournament):
                names.append(f"{base}-{number}")
        return names

    def _is_free(self, name: str, tournament: Tournament) -> bool:
        in_use = {name.casefold() for name in (*self._added, *map(resident_name, self.residents), *tournament.field)}
        return name.casefold() not in in_use and self._may_use(name)

    def _may_claim(self, name: str, key: str | None) -> bool:
        """Nobody else takes a name that looks like one of the house, and is challenged in its place."""
        return not name.casefold().startswith(PREFIX) or key == self._key(name)

    def _may_use(self, name: str) -> bool:
        names = self.arena.names
        return names.get(name) is None or names.owns(name, self._key(name))

    def _key(self, name: str) -> str:
        return hmac.new(self.secret.encode(), name.casefold().encode(), hashlib.sha256).hexdigest()


def resident_name(player: str) -> str:
    """Under which name a reference bot, or a function of a file, is there to be challenged."""
    return f"{PREFIX}{player.rpartition(':')[2].strip('_')}"
