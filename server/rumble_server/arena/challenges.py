"""A challenge is an unlisted, unrated tournament of one match."""

from typing import Any

from pydantic import ValidationError
from rumble_engine import UnknownGame, get_game
from rumble_protocol.bot_messages import Challenge
from rumble_protocol.codes import ErrorCode

from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.errors import TournamentError

LONGEST_MS = 3_600_000
"""A clock's most for a move and in the bank: whoever is challenged cannot leave, and only the clock ends a silence."""


def challenge_config(challenge: Challenge, first: str, second: str, *, seed: int) -> TournamentConfig:
    """The tournament of one challenge. Raises TournamentError with `unknown_game` or `bad_settings`."""
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
