"""How many matches a tournament would have, and about how long they would take. Pure, but for random playouts."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from statistics import median_low

from rumble_engine import SettingValue, get_game

from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.formats import make_schedule

QUICK = 0.1
"""The share of its time that a quick bot is taken to use."""
PLAYOUTS = 5
"""How many random matches tell how long a match of a game is: the median counts."""
LONGEST_MS = 2**53 - 1
"""Longest time that is told, in ms: the largest integer of the protocol."""
MOST_PLIES = 1000
"""Maximum number of plies of such a match: a longer one is taken to be over."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a tournament would come to if every bot plays one match at a time."""

    matches: int
    """How many there are, without ties that a knockout plays again."""
    most_matches: int
    """How many there are if it plays every tie again as often as it may."""
    in_a_row: int
    """How many of the `matches` are one after another."""
    plies: int
    """How many plies a match is taken to have."""
    quick_ms: int
    """How long it takes if bots use the `QUICK` share of their time, and no tie is played again."""
    longest_ms: int
    """How long it takes if bots use all their time, and every tie is played again."""


def forecast(config: TournamentConfig, bots: int) -> Forecast:
    """Forecast a tournament with this many bots. Raises ValueError if it cannot be played with them."""
    schedule = make_schedule(config.format, config.plan(bots))
    times = 1 + config.replays if schedule.has_bracket else 1
    matches, in_a_row = schedule.matches_total({}), schedule.rounds_in_all * config.legs
    plies, control = usual_plies(config.game, config.settings), config.time_control
    all_ms = in_a_row * (plies * (control.move_ms + control.increment_ms) + 2 * control.bank_ms)
    return Forecast(matches, matches * times, in_a_row, plies, _told(all_ms * QUICK), _told(all_ms * times))


def _told(ms: float) -> int:
    return min(round(ms), LONGEST_MS)


def usual_plies(game: str, settings: Mapping[str, SettingValue]) -> int:
    """Return how many plies a random match of a game has. This may take a second in some games; it is kept."""
    return _usual_plies(game, tuple(sorted(settings.items())))


@lru_cache(maxsize=256)
def _usual_plies(game: str, settings: tuple[tuple[str, SettingValue], ...]) -> int:
    lengths = []
    for seed in range(PLAYOUTS):
        random, state, plies = Random(seed), get_game(game).initial(dict(settings), seed), 0
        while state.outcome is None and plies < MOST_PLIES:
            state, plies = state.after(random.choice(state.codes())), plies + 1
        lengths.append(plies)
    return median_low(lengths)
