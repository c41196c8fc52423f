"""Challenges: each is an unlisted, unrated tournament of a single match between connected bots.

The challenges from an address or against a bot are bounded, so that they fill neither the room of bots nor the shared
disk.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from random import Random
from typing import Any, NoReturn

from pydantic import ValidationError
from rumble_engine import Game, UnknownGame, get_game
from rumble_protocol.bot_messages import Challenge
from rumble_protocol.codes import ErrorCode
from rumble_protocol.fields import TimeControl

from rumble_server.arena.bots.player import Player
from rumble_server.arena.bots.session import BotSession
from rumble_server.arena.recorder import Recorder
from rumble_server.arena.state.names_and_keys import is_house_name
from rumble_server.arena.tournaments.lifecycle import Lifecycle
from rumble_server.limits.admission import Admission
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.tournament import Tournament

TOO_MANY = "too many challenges are open here; try again later"
GAVE_WAY = "all places for challenges were taken, most of them from your address"
LONGEST_MS = 3_600_000
"""Maximum in ms for each of `move_ms`, `bank_ms` and `increment_ms` in a challenge, so that a match with a silent bot
ends."""


class Challenges:
    """The open challenges of a club.

    Each challenge is counted for a holder: an address or a tournament.
    """

    def __init__(self, recorder: Recorder, lifecycle: Lifecycle, random: Random, admission: Admission) -> None:
        self._recorder = recorder
        self._lifecycle = lifecycle
        self._random = random
        self._admission = admission
        self._holders: dict[str, str] = {}
        """Holder of each challenge made in this run, by the challenge's tournament id (see `_holder_for`). A challenge
        stays here until its end is on disk, because its bytes are charged to the holder."""

    def still_open(self) -> dict[str, Tournament]:
        """Return the challenges that are not over, by tournament id."""
        tournaments = self._recorder.tournaments.values()
        return {each.id: each for each in tournaments if each.challenger is not None and not each.is_over}

    def challenge(self, player: Player, session: BotSession, challenge: Challenge) -> None:
        """Create and begin the tournament of the challenge that a player sent by a session. Raises CommandRefused."""
        open_now = self.still_open()
        own = next((each.id for each in open_now.values() if each.challenger == player.name), None)
        if own is not None:
            raise CommandRefused(ErrorCode.UNAVAILABLE, f"your challenge {own} is still open")
        others = self._opponents(player, challenge)
        for each in (player, *others):
            if not each.has_room_for_challenge(challenge.game) and each.pending_tournament is not None:
                message = f"{each.name} has matches to play in {each.pending_tournament}, and no place beside them"
                raise CommandRefused(ErrorCode.UNAVAILABLE, message)
        holder = self._holder_for(player, session)
        holders = {each: self._holders.get(each, "") for each in open_now}
        config = challenge_config(challenge, player.name, others, seed=self._random.getrandbits(32))
        for other in others:
            at_other = open_now.keys() & other.tournaments.keys()
            self._check_bounds(session, other, at_other, holder, holders)
            self._check_bytes(session, other, holder)
            if not other.accepts_game(config.game):
                raise CommandRefused(ErrorCode.UNAVAILABLE, f"{other.name} does not play {config.game}")
            self._check_time_limits(session, other, len(at_other), config.time_control)
        self._recorder.allowance.check_creation()  # before another challenge gives way
        if len(open_now) >= self._admission.bounds.open_challenges and not self._make_room(holder, holders):
            self._refuse(session, others[0], TOO_MANY)
        tournament = self._lifecycle.create(config, challenger=player.name)
        seats = [other.name for other in others]
        seats.insert(self._random.randrange(len(seats) + 1) if challenge.seat is None else challenge.seat, player.name)
        self._holders[tournament.id] = holder
        for each in (player, *others):
            self._lifecycle.join(each, tournament)
        self._lifecycle.begin(tournament, tuple(seats))

    def _opponents(self, player: Player, challenge: Challenge) -> list[Player]:
        """Return the opponents in the order of their seats. Each seat for which no bot is named gets a free house bot.

        Raises CommandRefused.
        """
        names = [challenge.against, *(challenge.others or ())]
        named = [self._opponent(player, name) for name in names if name is not None]
        if len(set(named)) < len(named):
            raise CommandRefused(ErrorCode.BAD_SETTINGS, "a challenge names each opponent once")
        house = (
            each
            for each in self._recorder.players
            if is_house_name(each.name)
            and each not in (player, *named)
            and each.accepts_challenges
            and each.accepts_game(challenge.game)
            and each.has_room_for_challenge(challenge.game)
        )
        opponents, by_name = [], iter(named)
        for name in names:
            other = next(house, None) if name is None else next(by_name)
            if other is None:
                _game_of(challenge)
                raise CommandRefused(ErrorCode.UNAVAILABLE, "no further house bot is free for a seat at your table")
            opponents.append(other)
        return opponents

    def _opponent(self, player: Player, name: str) -> Player:
        other = self._recorder.players.get(name)
        if other is None or not other.is_connected:
            raise CommandRefused(ErrorCode.UNKNOWN_BOT, f"no bot {name!r} is connected")
        if other is player or not other.accepts_challenges:
            raise CommandRefused(ErrorCode.UNKNOWN_BOT, f"{other.name} takes no challenge from {player.name}")
        return other

    def _check_time_limits(self, session: BotSession, other: Player, at_other: int, control: TimeControl) -> None:
        """Raise CommandRefused for a challenge with long time limits, if `other` has many open challenges already."""
        bounds = self._admission.bounds
        longest_ms = max(control.move_ms + control.bank_ms, control.increment_ms)
        if at_other >= bounds.unhurried_challenges and longest_ms > bounds.hurried_challenge_ms:
            message = f"many challenge {other.name}: at the moment only with at most {bounds.hurried_challenge_ms} ms"
            self._refuse(session, other, f"{message} in `move_ms` and `bank_ms`")

    def _check_bounds(
        self, session: BotSession, other: Player, at_other: Set[str], holder: str, holders: Mapping[str, str]
    ) -> None:
        bounds, own = self._admission.bounds, {each for each in holders if holders[each] == holder}
        if len(own) >= bounds.challenges_per_address:
            self._refuse(session, other, TOO_MANY)
        most = bounds.challenges_per_address_at_one_bot
        if holder != session.address:  # a class: it may have all challenges except the share of an address
            most = max(most, bounds.open_challenges_at_one_bot - most)
        if len(at_other) >= bounds.open_challenges_at_one_bot or len(own & at_other) >= most:
            self._refuse(session, other, f"too many challenge {other.name}; try again later")

    def _make_room(self, asker: str, holders: Mapping[str, str]) -> bool:
        """Cancel a challenge to make room for the holder `asker`. Return whether a challenge was cancelled.

        The holder with the most challenges loses the oldest, if it has at least two more than `asker`.
        """
        shares = Counter(holders.values())
        ((greediest, most),) = shares.most_common(1)
        if most <= shares[asker] + 1:
            return False
        oldest = next(each for each in holders if holders[each] == greediest)
        self._lifecycle.end(self._recorder.tournaments[oldest], cancelled=True, reason=GAVE_WAY)
        return True

    def _check_bytes(self, session: BotSession, other: Player, holder: str) -> None:
        if not self._admission.challenge_bytes.allows(holder, self._recorder.clock.now_ms()):
            self._admission.refusals.count("challenge_bytes", session.address, other.name)
            most = self._admission.bounds.challenge_bytes_per_day
            whose = "your address" if holder == session.address else "your tournament"
            message = f"challenges from {whose} have written {most} bytes in a day, as much as they may"
            raise CommandRefused(ErrorCode.QUOTA, f"{message}; try again later")

    def spend(self, sizes: Mapping[str, int]) -> None:
        """Charge bytes on disk to the holders of challenges. `sizes` maps tournament ids to numbers of new bytes."""
        for tournament_id in self._holders.keys() & sizes.keys():
            holder, now_ms = self._holders[tournament_id], self._recorder.clock.now_ms()
            self._admission.challenge_bytes.spend(holder, now_ms, sizes[tournament_id])
            tournament = self._recorder.tournaments.get(tournament_id)
            if tournament is None or (tournament.is_over and self._recorder.is_durable(tournament)):
                del self._holders[tournament_id]

    def _holder_for(self, player: Player, session: BotSession) -> str:
        """Return the holder for whom a challenge is counted.

        The holder is a tournament that the challenger joined by an invitation or a join code, or else the challenger's
        address.
        """
        for tournament in player.tournaments.values():
            is_by_code = tournament.field[player.name].by_code
            if tournament.challenger is None and (tournament.invite is not None or is_by_code):
                return f"tournament {self._admission.prefix}{tournament.id}"
        return session.address

    def _refuse(self, session: BotSession, other: Player, message: str) -> NoReturn:
        self._admission.refusals.count("challenges", session.address, other.name)
        raise CommandRefused(ErrorCode.UNAVAILABLE, message)


def challenge_config(challenge: Challenge, challenger: str, others: Sequence[Player], *, seed: int) -> TournamentConfig:
    """Return the configuration of a challenge. Raises CommandRefused with `unknown_game` or `bad_settings`.

    For more than two seats, the format is a Swiss with one round. The round is a single match.
    """
    game = _game_of(challenge)
    seats = len(others) + 1
    if challenge.seat is not None and challenge.seat >= seats:
        raise CommandRefused(ErrorCode.BAD_SETTINGS, f"{game.name} has the seats 0 to {seats - 1}")
    control = challenge.time_control
    if control is not None and max(control.move_ms, control.bank_ms, control.increment_ms) > LONGEST_MS:
        raise CommandRefused(ErrorCode.BAD_SETTINGS, f"a challenge's clock has at most {LONGEST_MS} ms in each part")
    given: dict[str, Any] = {} if control is None else {"time_control": control}
    if seats > 2:
        given |= {"format": "swiss", "rounds": 1}
    try:
        return TournamentConfig(
            name=f"challenge {challenger} {others[0].name}",
            game=game.name,
            settings=challenge.settings or {},
            seats=seats,
            legs=1,
            seed=seed,
            rated=False,
            listed=False,
            **given,
        )
    except ValidationError as error:
        problem = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise CommandRefused(ErrorCode.BAD_SETTINGS, problem) from None


def _game_of(challenge: Challenge) -> Game:
    """Return the game of a challenge. Raises CommandRefused."""
    try:
        return get_game(challenge.game)
    except UnknownGame as error:
        raise CommandRefused(ErrorCode.UNKNOWN_GAME, str(error)) from None
