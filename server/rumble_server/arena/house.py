"""House bots: residents, which can always be challenged, and bots added to a tournament's field by a host.

The server claims a name for each house bot, with a key of the server's own. Each added bot is recorded in the log. So
the bot stays connected until its tournament is over, even after a restart of the server.
"""

import hmac
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rumble_protocol.clubs import MAIN
from rumble_protocol.codes import ErrorCode
from rumble_protocol.secret import RANDOM_BYTES, make_secret

from rumble_server.arena.arena import Arena
from rumble_server.arena.ports import HouseBot, HouseRunner
from rumble_server.arena.recorder import transactional
from rumble_server.arena.state.names_and_keys import HOUSE_PREFIX, is_house_name
from rumble_server.tournament import commands
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.facts import BotJoined, BotLeft, LogFact, TournamentEnded
from rumble_server.tournament.tournament import Tournament

WATCHED_FACTS = frozenset((BotJoined, BotLeft, TournamentEnded))
"""Types of facts after which `HouseBots.on_durable` may start or end house bots."""
MOST_ADDED = 32
"""Maximum number of added house bots on the server. Each bot is a process of its own. A further bot is refused."""


@dataclass(frozen=True, slots=True)
class _Added:
    """A house bot in the field of an open tournament."""

    name: str
    reference_bot: str
    tournament_id: str


class HouseKeys:
    """Keys of house bots' names, made from a secret of the server."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()

    def key(self, name: str) -> str:
        """Return the key of a house bot's name."""
        return make_secret(hmac.digest(self._secret, name.casefold().encode(), "sha256")[:RANDOM_BYTES])

    def may_claim(self, name: str, key: str | None) -> bool:
        """Return true if a login with this key may claim a new name. For a name of a house bot, only the key from
        `HouseKeys.key` is accepted.
        """
        return not is_house_name(name) or hmac.compare_digest((key or "").encode(), self.key(name).encode())


class HouseBots:
    """The house bots of a club: the residents and the added bots. The `runner` keeps them connected."""

    def __init__(
        self,
        arena: Arena,
        keys: HouseKeys,
        runner: HouseRunner | None = None,
        residents: Sequence[str] = (),
        club: str = MAIN,
        added_in_other_clubs: Callable[[], int] = lambda: 0,
    ) -> None:
        """`residents` are the reference bots that can be challenged at any time.

        `added_in_other_clubs` returns the number of added bots in the server's other clubs.
        """
        self.arena = arena
        self._club = club
        self._added_in_other_clubs = added_in_other_clubs
        self._keys = keys
        self._runner = runner
        self._residents = {resident_name(bot): bot for bot in residents}
        self._added: dict[str, _Added] = {}
        """Added bots by name in lower case."""

    def open(self) -> None:
        """Connect the residents and the added bots of open tournaments, after a start."""
        for tournament in self.arena.tournaments.values():
            if not tournament.is_over:
                for entrant in tournament.field.values():
                    if entrant.reference_bot is not None and not entrant.withdrawn:
                        self._added[entrant.bot.casefold()] = _Added(entrant.bot, entrant.reference_bot, tournament.id)
        self._update_runner()

    def change_residents(self, residents: Sequence[str]) -> None:
        """Make these reference bots the only residents."""
        self._residents = {resident_name(bot): bot for bot in residents}
        self._update_runner()

    def close(self) -> None:
        """Disconnect all house bots of the club."""
        if self._runner is not None:
            self._runner.set_bots(self._club, [])

    def on_durable(self, batch: Iterable[tuple[int, LogFact]]) -> None:
        """Start newly added bots, and end bots that are no longer needed.

        `batch` has the facts newly on disk, each with its number.
        """
        changed = False
        for fact in [fact for _, fact in batch if type(fact) in WATCHED_FACTS]:
            if isinstance(fact, BotJoined) and fact.house is not None:
                changed = True
            elif isinstance(fact, BotLeft | TournamentEnded):
                left_names = [
                    name
                    for name, added in self._added.items()
                    if added.tournament_id == fact.tournament
                    and (isinstance(fact, TournamentEnded) or added.name == fact.bot)
                ]
                for name in left_names:
                    del self._added[name]
                    changed = True
        if changed:
            self._update_runner()

    def _update_runner(self) -> None:
        if self._runner is not None:
            self._runner.set_bots(self._club, self.bots())

    def bots(self) -> list[HouseBot]:
        """Return the house bots that should be connected now."""
        residents = [(name, bot, True) for name, bot in self._residents.items() if self._may_use(name)]
        added = [(each.name, each.reference_bot, False) for each in self._added.values()]
        bots = [*residents, *added]
        return [HouseBot(name, self._keys.key(name), bot, is_resident) for name, bot, is_resident in bots]

    def residents_with_taken_name(self) -> list[str]:
        """Return the names of residents that do not play, because other bots use these names."""
        return [name for name in self._residents if not self._may_use(name)]

    def ladder(self) -> Mapping[str, str]:
        """Return a line of text about each reference bot, by its name, the weakest bot first."""
        return {} if self._runner is None else self._runner.ladder()

    def reference_bots(self, config: TournamentConfig) -> Mapping[str, str]:
        """Return the reference bots for a tournament with `config`, as a dict from the bot's name to a line of text."""
        return {} if self._runner is None else self._runner.reference_bots(config.game, config.settings)

    @property
    def added(self) -> int:
        """Number of house bots in open tournaments."""
        return len(self._added)

    @property
    def room(self) -> int:
        """Number of house bots that can still be added."""
        if self._runner is None:
            return 0
        return self.arena.allowance.house_room(MOST_ADDED - self._added_in_other_clubs(), self.added)

    @transactional
    def add(self, tournament_id: str, reference_bot: str, name: str | None = None, count: int = 1) -> None:
        """Add `count` house bots to a tournament. Raises CommandRefused.

        A single bot is called `name`, if `name` is given. Several bots are called `name-1`, `name-2` and so on. Without
        `name`, the numbered names begin with `house-` and the name of the reference bot.
        """
        arena = self.arena
        tournament = arena.tournaments.find(tournament_id)
        bots = self.reference_bots(tournament.config)
        if self._runner is None:
            raise CommandRefused(ErrorCode.UNAVAILABLE, "this server runs no house bots")
        if reference_bot not in bots:
            message = f"there is no house bot {reference_bot!r} for {tournament.config.game}"
            raise CommandRefused(ErrorCode.UNKNOWN_BOT, f"{message}; there are: {', '.join(bots) or 'none'}")
        if count > self.room:
            quota = arena.allowance.quotas.house_bots
            is_of_club = quota is not None and self.added + count > quota
            most, code = (quota, ErrorCode.QUOTA) if is_of_club else (MOST_ADDED, ErrorCode.UNAVAILABLE)
            where = "in this club" if is_of_club else "on this server"
            message = f"at most {most} house bots play at a time {where}; there is room for {self.room}"
            raise CommandRefused(code, message)
        checked, new = [], 0
        for each in self._names(tournament, reference_bot, name, count):
            joined = commands.join(tournament, each, arena.clock.now_ms(), tournament.invite, joining=count)
            if joined is None:
                raise CommandRefused(ErrorCode.UNAVAILABLE, f"{each} is in {tournament.id} already")
            claim, used = arena.claims.judge(each, self._keys.key(each))
            if used is not None:
                arena.claims.check_quota(each, others=new)
                new += not is_house_name(each)
            checked.append((joined, claim, used))
        for joined, claim, used in checked:  # after the checks of all bots: a refused command adds no bot
            player = arena.claims.record_claim(claim, used)
            self._added[player.name.casefold()] = _Added(player.name, reference_bot, tournament.id)
            arena.lifecycle.record_entry(player, tournament, replace(joined, bot=player.name, house=reference_bot))

    def _names(self, tournament: Tournament, reference_bot: str, name: str | None, count: int) -> list[str]:
        if name is not None and count == 1:
            if not self._is_free(name, tournament):
                raise CommandRefused(ErrorCode.UNAVAILABLE, f"the name {name} is taken; choose another")
            return [name]
        numbered = (f"{name or HOUSE_PREFIX + reference_bot}-{number}" for number in itertools.count(1))
        return list(itertools.islice((each for each in numbered if self._is_free(each, tournament)), count))

    def _is_free(self, name: str, tournament: Tournament) -> bool:
        in_use = {name.casefold() for name in (*self._added, *self._residents, *tournament.field)}
        return name.casefold() not in in_use and self._may_use(name)

    def _may_use(self, name: str) -> bool:
        names = self.arena.names
        return names.get(name) is None or names.owns(name, self._keys.key(name))


def resident_name(reference_bot: str) -> str:
    """Return the name of the resident that plays a reference bot. For a bot given as `FILE:FUNCTION`, the name contains
    only `FUNCTION`.
    """
    return f"{HOUSE_PREFIX}{reference_bot.rpartition(':')[2].strip('_')}"
