"""Forecast of a tournament's number of matches and approximate duration. Pure, except for random playouts."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from statistics import median_low

from rumble_engine import SettingValue, State, get_game
from rumble_engine.chance import BITS

from rumble_server.tournament.config import TournamentConfig

QUICK = 0.1
"""Share of the thinking time that a quick bot is assumed to use."""
PLAYOUTS = 5
"""Number of random matches from which the length of a match is estimated, as the median."""
LONGEST_MS = 2**53 - 1
"""Greatest duration in ms that is forecast: the largest integer of the protocol."""
MOST_PLIES = 1000
"""Maximum number of plies of a random match; a longer match is cut off."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast for bots that each play one match at a time."""

    matches: int
    """Number of matches if no pairing of a knockout is tied."""
    most_matches: int
    """Number of matches if every pairing of a knockout is tied, and played again as often as allowed."""
    in_a_row: int
    """Number of steps in which all matches can be played, with at most one match of each bot in a step."""
    plies: int
    """Assumed number of plies of a match."""
    quick_ms: int
    """Duration in ms if bots use the `QUICK` share of their time, and no pairing is tied."""
    longest_ms: int
    """Duration in ms if bots use all their time, and every pairing of a knockout is tied."""


def forecast(config: TournamentConfig, bots: int) -> Forecast:
    """Return the forecast for `bots` bots. Raises ValueError if the tournament cannot be played with so many bots."""
    schedule = config.make_schedule(bots)
    times = 1 + config.replays if schedule.has_bracket else 1
    matches, in_a_row = schedule.matches_total({}), schedule.number_of_rounds * config.legs
    plies, control = usual_plies(config.game, config.settings, config.match_seats), config.time_control
    all_ms = in_a_row * (plies * (control.move_ms + control.increment_ms) + 2 * control.bank_ms)
    return Forecast(matches, matches * times, in_a_row, plies, _bounded_ms(all_ms * QUICK), _bounded_ms(all_ms * times))


def _bounded_ms(ms: float) -> int:
    return min(round(ms), LONGEST_MS)


def usual_plies(game: str, settings: Mapping[str, SettingValue], seats: int = 2) -> int:
    """Return the median number of plies of some random matches. The first call may take a second in some games."""
    return _usual_plies(game, tuple(sorted(settings.items())), seats)


@lru_cache(maxsize=256)
def _usual_plies(game: str, settings: tuple[tuple[str, SettingValue], ...], seats: int) -> int:
    lengths = []
    for seed in range(PLAYOUTS):
        random, state, plies = Random(seed), get_game(game).initial_for(seats, dict(settings), seed), 0
        while state.outcome is None and plies < MOST_PLIES:
            state, plies = _after_random_ply(state, random), plies + 1
        lengths.append(plies)
    return median_low(lengths)


def _after_random_ply(state: State, random: Random) -> State:
    if state.is_chance:
        return state.after(state.draw(random.getrandbits(BITS)))
    return state.after_all({seat: random.choice(state.codes_for(seat)) for seat in state.movers})
