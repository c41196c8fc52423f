import math
import time
from itertools import permutations
from random import Random

import pytest
from rumble_engine import Termination
from rumble_server.results.ratings import ELO, Ratings
from rumble_server.results.result import Result

from tests.server.results.events import beats, rate

Game = tuple[str, str, float]


def results_of(games: list[Game]) -> list[Result]:
    return [Result((first, second), (score, 1 - score)) for first, second, score in games]


def series(first: str, second: str, wins: int, draws: int, losses: int) -> list[Game]:
    """Return games of two bots with evenly split seats."""
    scores = [1.0] * wins + [0.5] * draws + [0.0] * losses
    return [(first, second, s) if n % 2 else (second, first, 1 - s) for n, s in enumerate(scores)]


def rating_by_name(ratings: Ratings) -> dict[str, float]:
    out = {}
    for line in ratings.lines:
        assert line.rating is not None
        assert math.isfinite(line.rating)
        out[line.name] = line.rating
    return out


HSK = series("H", "S", 18, 9, 3) + series("S", "K", 18, 9, 3) + series("H", "K", 24, 6, 0)


def test_three_bots_with_known_ratings() -> None:
    ratings = rate(results_of(HSK), prior="none", first_move=False)
    assert [line.name for line in ratings.lines] == ["H", "S", "K"]
    assert rating_by_name(ratings) == pytest.approx({"H": 190.85, "S": 0, "K": -190.85}, abs=0.005)
    assert not ratings.is_prior_used
    assert not ratings.notes


def test_a_prior_is_not_used_where_none_is_needed() -> None:
    with_first_move = rate(results_of(HSK))
    assert not with_first_move.is_prior_used
    assert with_first_move.first_move is not None
    assert rating_by_name(with_first_move) == pytest.approx({"H": 190.85, "S": 0, "K": -190.85}, abs=1)
    assert "Bradley-Terry" in with_first_move.model
    assert "no prior" in with_first_move.model


def test_intervals_hold_the_truth_and_are_aware_of_draws() -> None:
    """Simulate a field with known strengths: about 95 of 100 intervals hold them, with many draws and with none."""
    strengths = {"A": 0.5, "B": 0.0, "C": -0.5}
    widths = {}
    for often in (0.0, 0.8):
        random = Random(11)
        held = total = 0
        width = 0.0
        for _ in range(60):
            games: list[Game] = []
            for first, second in list(permutations(strengths, 2)) * 20:
                chance = 1 / (1 + math.exp(-(strengths[first] - strengths[second])))
                drawn = often * 4 * chance * (1 - chance) * min(chance, 1 - chance) * 2
                u = random.random()
                games.append((first, second, 0.5 if u < drawn else float(u < chance + drawn / 2)))
            for line in rate(results_of(games)).lines:
                assert line.interval is not None
                held += line.interval[0] <= ELO * strengths[line.name] <= line.interval[1]
                total += 1
                width += line.interval[1] - line.interval[0]
        assert 0.90 <= held / total <= 0.99
        widths[often] = width / total
    assert widths[0.8] < 0.8 * widths[0.0]


def test_superiority() -> None:
    ratings = rate(results_of(HSK))
    chance = ratings.superiority("H", "K")
    assert chance is not None
    assert chance > 0.999
    assert ratings.superiority("K", "H") == pytest.approx(1 - chance)
    assert ratings.superiority("S", "S") == 0.5
    assert ratings.superiority("H", "nobody") is None
    even = rate(results_of(series("A", "B", 5, 10, 5)))
    assert even.superiority("A", "B") == pytest.approx(0.5)


def test_no_matches_at_all() -> None:
    ratings = rate([])
    assert ratings.lines == ()
    assert ratings.notes == ("There are no ratings: no match was played.",)
    waiting = rate([], field=["A", "B"])
    assert [(line.name, line.rating, line.matches) for line in waiting.lines] == [("A", None, 0), ("B", None, 0)]
    assert waiting.superiority("A", "B") is None


def test_a_single_match() -> None:
    ratings = rate(beats("A>B"))
    # 1.5 to 0.5, with the virtual draw
    assert rating_by_name(ratings) == pytest.approx({"A": 95.42, "B": -95.42}, abs=0.01)
    assert ratings.is_prior_used
    assert ratings.prior_reason == "A lost no point and B won no point"
    assert any("first-move" in note for note in ratings.notes)
    drawn = rate(beats("A=B"))
    assert rating_by_name(drawn) == {"A": 0, "B": 0}
    assert not drawn.is_prior_used


def test_all_draws() -> None:
    ratings = rate(beats("A=B B=C C=A B=A C=B A=C"))
    assert rating_by_name(ratings) == pytest.approx(dict.fromkeys("ABC", 0), abs=1e-6)
    assert ratings.first_move == pytest.approx(0, abs=1e-6)
    assert any("Every match was drawn" in note for note in ratings.notes)
    for line in ratings.lines:
        assert line.interval is not None
        assert line.interval[0] < -1 < 1 < line.interval[1]


def test_a_field_that_has_not_met() -> None:
    ratings = rate(beats("A>B B>A A>B C>D D>C C>D"))
    rated = rating_by_name(ratings)
    assert ratings.is_prior_used
    assert ratings.prior_reason == "the field falls into 2 groups that have not met"
    assert rated["A"] > rated["B"]
    assert rated["A"] == pytest.approx(rated["C"])
    assert any("within a group only" in note for note in ratings.notes)


def test_the_first_seat_wins_everything() -> None:
    """Each bot scored against each other bot, but the first seat alone explains all results: its term has no bound."""
    ratings = rate(beats("A>B B>A A>C C>A B>C C>B"))
    assert rating_by_name(ratings) == pytest.approx(dict.fromkeys("ABC", 0), abs=1e-6)
    assert ratings.is_prior_used
    assert "first-move" in ratings.prior_reason
    assert ratings.first_move is not None
    assert 200 < ratings.first_move < 2000
    second = rate([Result(result.seats, (0.0, 1.0)) for result in beats("A>B B>A A>C C>A B>C C>B")])
    assert second.is_prior_used
    assert second.first_move == pytest.approx(-ratings.first_move)


def test_a_first_move_term_without_bound_is_found_round_a_cycle_too() -> None:
    """No pair met in both seats, so no single pair shows that the term has no bound."""
    ratings = rate(beats("A>B B>C C>D D>A A>C"))
    assert ratings.is_prior_used
    assert "first-move" in ratings.prior_reason
    # Wins by the second seat along the same cycle give the term a bound.
    bounded = rate(
        [
            *beats("A>B B>C C>D D>A A>C"),
            *(Result(seats, (0.0, 1.0)) for seats in [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")]),
        ]
    )
    assert not bounded.is_prior_used


def test_without_a_prior_there_may_be_no_ratings() -> None:
    ratings = rate(beats("A>B B>A A>C B>C"), prior="none")
    assert [line.rating for line in ratings.lines] == [None, None, None]
    assert any("no ratings without a prior: C won no point" in note for note in ratings.notes)
    with pytest.raises(ValueError, match="prior"):
        rate([], prior="some")  # type: ignore[arg-type]


def test_forfeits_say_nothing_about_strength() -> None:
    results = results_of(HSK)
    forfeits = [Result(("H", "K"), (0.0, 1.0), Termination.NO_SHOW, (0,))] * 9
    ratings = rate([*results, *forfeits, Result(("H", "Z"), (1.0, 0.0), Termination.NO_SHOW, (1,))])
    rated = {line.name: line.rating for line in ratings.lines}
    assert rated.pop("Z") is None
    assert rated == pytest.approx(rating_by_name(rate(results)))
    assert "10 matches lost by no_show are left out." in ratings.notes


def test_a_hundred_bots_are_rated_in_a_moment() -> None:
    """The budget is 100 ms; the test fails only if the budget is exceeded by far."""
    random = Random(1)
    names = [f"b{number}" for number in range(100)]
    results = results_of([(a, b, random.choice([1.0, 0.5, 0.0])) for a, b in permutations(names, 2)])
    rate(results[:10])
    began = time.thread_time()
    assert len(rate(results).lines) == 100
    assert time.thread_time() - began < 1


def test_json() -> None:
    document = rate(results_of(HSK), first_move=False).as_json()
    assert document["ratings"][0]["name"] == "H"
    assert document["ratings"][0]["rating"] == 190.85
    assert document["ratings"][0]["interval"][0] < 190.85 < document["ratings"][0]["interval"][1]
    assert document["superiority"]["H"]["K"] > 0.99
