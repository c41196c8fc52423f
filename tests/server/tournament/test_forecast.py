import pytest
from rumble_protocol.fields import TimeControl
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.forecast import LONGEST_MS, MOST_PLIES, forecast, usual_plies
from rumble_server.tournament.formats import FORMATS
from rumble_server.tournament.pairs.plan import Plan


def config(**given: object) -> TournamentConfig:
    return TournamentConfig.model_validate({"name": "any", "game": "tictactoe", **given})


@pytest.mark.parametrize("bots", [2, 3, 8, 9])
@pytest.mark.parametrize("given", [{}, {"cycles": 3}, {"legs": 1, "cycles": 2}, {"format": "gauntlet", "cycles": 2}])
def test_a_forecast_tells_the_matches_that_the_schedule_pairs(bots: int, given: dict[str, object]) -> None:
    wanted = config(**given)
    schedule = wanted.make_schedule(bots)
    rounds, matches = 0, 0
    while (task := schedule.prepare({})) is not None:
        paired = task()
        schedule.add(paired)
        rounds, matches = rounds + 1, matches + len(paired.pairings) * wanted.legs
    told = forecast(wanted, bots)
    assert (told.matches, told.in_a_row) == (matches, rounds * wanted.legs)
    assert told.most_matches == told.matches


def test_a_gauntlet_of_many_challengers_waits_for_the_larger_side() -> None:
    assert FORMATS["gauntlet"].schedule(Plan(10, challengers=7)).number_of_rounds == 7


def test_rounds_that_follow_results() -> None:
    assert forecast(config(format="swiss", rounds=5), 20).in_a_row == 5 * 2
    told = forecast(config(format="knockout", replays=2), 9)
    assert (told.matches, told.most_matches, told.in_a_row) == (16, 48, 8)


def test_time_is_that_of_both_clocks() -> None:
    clock = TimeControl(move_ms=1000, bank_ms=60_000, increment_ms=500)
    told = forecast(config(time_control=clock, format="knockout", replays=1, legs=1), 8)
    a_match = told.plies * 1500 + 2 * 60_000
    assert told.longest_ms == 3 * 2 * a_match
    assert told.quick_ms == round(0.1 * 3 * a_match)


def test_the_largest_tournament_is_told() -> None:
    clock = TimeControl(move_ms=86_400_000)
    told = forecast(config(game="othello", settings={"size": 12}, cycles=1000, legs=1000, time_control=clock), 4096)
    assert told.longest_ms == LONGEST_MS


def test_a_field_that_cannot_play_is_refused() -> None:
    with pytest.raises(ValueError, match="a gauntlet of 4 has 1 to 3 challengers, not 5"):
        forecast(config(format="gauntlet", challengers=5), 4)


def test_a_match_is_as_long_as_random_play() -> None:
    assert 5 <= usual_plies("tictactoe", {}) <= 9
    assert 30 <= usual_plies("othello", {}) <= 62 < usual_plies("chess", {}) <= MOST_PLIES
    assert usual_plies("snakes", {"turns": 3}, 8) == 5, "three joint moves, with a chance after each but the last"
