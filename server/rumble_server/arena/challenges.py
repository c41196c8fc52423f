"""Challenges: each is an unlisted, unrated tournament of one match between two bots that are connected."""

from random import Random
from typing import Any

from pydantic import ValidationError
from rumble_engine import UnknownGame, get_game
from rumble_protocol.bot_messages import Challenge
from rumble_protocol.codes import ErrorCode

from rumble_server.arena.lifecycle import Lifecycle
from rumble_server.arena.player import Player
from rumble_server.arena.recorder import Recorder
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.errors import TournamentError
from rumble_server.tournament.tournament import OVER

LONGEST_MS = 3_600_000
"""Maximum of each part of a challenge's clock, in ms: only the clock ends a match with a bot that is silent."""
MOST_CHALLENGES, MOST_AT_ONE_BOT = 256, 64
"""Challenges open at a time, on the whole server and with one bot. One more is `unavailable`: they take memory."""


class Challenges:
    """The challenges of this run."""

    def __init__(self, recorder: Recorder, lifecycle: Lifecycle, random: Random) -> None:
        self._recorder = recorder
        self._lifecycle = lifecycle
        self._random = random
        self._challengers: dict[str, str] = {}

    def open(self) -> dict[str, str]:
        """Return the challenges that are not over: by tournament id, the name of the challenger."""
        tournaments = self._recorder.tournaments
        over = [each for each in self._challengers if each not in tournaments or tournaments[each].status in OVER]
        for tournament_id in over:
            del self._challengers[tournament_id]
        return self._challengers

    def challenge(self, player: Player, challenge: Challenge) -> None:
        """Begin one unlisted, unrated match against another bot. Raises TournamentError."""
        open_now = self.open()
        own = next((each for each, challenger in open_now.items() if challenger == player.name), None)
        if own is not None:
            raise TournamentError(ErrorCode.UNAVAILABLE, f"your challenge {own} is still open")
        other = self._recorder.players.get(challenge.against)
        if other is None or other.session is None:
            raise TournamentError(ErrorCode.UNKNOWN_BOT, f"no bot {challenge.against!r} is connected")
        if other is player or not other.session.challenges:
            raise TournamentError(ErrorCode.UNKNOWN_BOT, f"{other.name} takes no challenge from {player.name}")
        if len(open_now) >= MOST_CHALLENGES:
            raise TournamentError(ErrorCode.UNAVAILABLE, "too many challenges are open here; try again later")
        if len(open_now.keys() & other.tournaments.keys()) >= MOST_AT_ONE_BOT:
            raise TournamentError(ErrorCode.UNAVAILABLE, f"too many challenge {other.name}; try again later")
        config = challenge_config(challenge, player.name, other.name, seed=self._random.getrandbits(32))
        if not other.plays(config.game):
            raise TournamentError(ErrorCode.UNAVAILABLE, f"{other.name} does not play {config.game}")
        tournament = self._lifecycle.create(config, player.name)
        seat = self._random.randrange(2) if challenge.seat is None else challenge.seat
        self._challengers[tournament.id] = player.name
        for each in (player, other):
            self._lifecycle.join(each, tournament)
        self._lifecycle.begin(tournament, (player.name, other.name) if seat == 0 else (other.name, player.name))


def challenge_config(challenge: Challenge, first: str, second: str, *, seed: int) -> TournamentConfig:
    """Configure the tournament of a challenge. Raises TournamentError with `unknown_game` or `bad_settings`."""
    try:
        game = get_game(challenge.game)
    except UnknownGame as error:
        raise TournamentError(ErrorCode.UNKNOWN_GAME, str(error)) from None
    if challenge.seat is not None and challenge.seat >= game.seats:
        raise TournamentError(ErrorCode.BAD_SETTINGS, f"{game.name} has the seats 0 to {game.seats - 1}")
    control = challenge.time_control
    if control is not None and max(control.move_ms, control.bank_ms, control.increment_ms) > LONGEST_MS:
        raise TournamentError(ErrorCode.BAD_SETTINGS, f"a challenge's clock has at most {LONGEST_MS} ms in each part")
    given: dict[str, Any] = {} if control is None else {"time_control": control}
    try:
        return TournamentConfig(
            name=f"challenge {first} {second}",
            game=game.name,
            settings=challenge.settings or {},
            legs=1,
            seed=seed,
            rated=False,
            listed=False,
            **given,
        )
    except ValidationError as error:
        problem = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise TournamentError(ErrorCode.BAD_SETTINGS, problem) from None
