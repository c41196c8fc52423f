"""Battles: thousands of matches, their tallies and intervals."""

from collections.abc import Mapping, Sequence
from itertools import product
from random import Random

import pytest
from numpy.random import default_rng
from rumble_bots.reference import Choice, ReferenceBot
from rumble_bots.reference.battle import COUNTED, BattleResult, Pair, battle, opened, play, wilson
from rumble_engine import BadSettings, MoveError, State, get_game
from rumble_engine.games import backgammon, snakes

TICTACTOE = get_game("tictactoe")


def tally(result: BattleResult) -> tuple[int, int, int]:
    return result.wins, result.draws, result.losses


def intervals(result: BattleResult) -> dict[str, tuple[float, float]]:
    assert result.intervals is not None, result.doubt
    return result.intervals


def test_the_rates_agree_with_the_exact_chances() -> None:
    """Winner against random: 66.76% of wins, both seats together (see reference/test_ladder.py)."""
    low, high = intervals(battle("winner", "random", TICTACTOE, 10_000, seed=11))["wins"]
    assert low < 0.6676 < high


def test_a_battle_depends_on_its_arguments_alone() -> None:
    one = battle("random", "winner", TICTACTOE, 200, seed=4)
    assert one == battle("random", "winner", TICTACTOE, 200, seed=4)
    assert one != battle("random", "winner", TICTACTOE, 200, seed=5)


class First(ReferenceBot):
    """Plays the first legal move, so against itself the first mover wins by 0, 2, 4, 6."""

    def pick(self, state: State, seat: int, budget_ms: int | None) -> Choice:
        return Choice(state.text_of(state.codes()[0]))


class Cheat(ReferenceBot):
    def pick(self, state: State, seat: int, budget_ms: int | None) -> Choice:
        return Choice("99")


def test_seats_alternate() -> None:
    assert tally(battle(First, First, TICTACTOE, 5)) == (3, 0, 2)


def test_the_matches_of_a_pair_have_the_same_dice() -> None:
    """Two equal bots without lots of their own win each roll of a pair once, and pairs differ."""

    class Leading(ReferenceBot):
        def pick(self, state: State, seat: int, budget_ms: int | None) -> Choice:
            return Choice(state.text_for(seat, state.codes_for(seat)[0]))

    result = battle(Leading, Leading, backgammon.GAME, 12, seed=1)
    assert set(result.pairs) <= {(0, 1), (1, 0)}
    assert result.games == 6 * 2
    assert tally(result) == (6, 0, 6)
    assert battle(Leading, Leading, backgammon.GAME, 12, seed=1) == result


def test_seats_that_move_together_are_asked_for_the_same_state() -> None:
    asked: list[tuple[State, int]] = []

    class Asked(ReferenceBot):
        def pick(self, state: State, seat: int, budget_ms: int | None) -> Choice:
            asked.append((state, seat))
            return Choice(state.text_for(seat, 0))

    outcome = play([Asked(Random(0))] * 4, snakes.GAME, settings={"turns": 1})
    assert asked == [(asked[0][0], seat) for seat in range(4)]
    assert outcome.places is not None


def test_settings_reach_the_game() -> None:
    tall = {"columns": 4, "rows": 4, "connect": 3}
    assert battle(First, First, get_game("connect4"), 2, settings=tall).matches == 2
    outcome = play([First(Random(0)), First(Random(0))], get_game("connect4"), settings=tall)
    assert outcome.reason == "3 in a row"


def test_random_openings_are_the_same_for_both_matches_of_a_pair() -> None:
    """Without an opening, these two bots without chance win by moving first."""
    assert tally(battle(First, First, TICTACTOE, 40, opening=3)) not in ((40, 0, 0), (20, 0, 20))
    start = TICTACTOE.initial()
    assert opened(start, 3, Random(7)) == opened(start, 3, Random(7)) != start
    assert opened(start, 99, Random(7)).outcome is None


def test_an_illegal_move_is_an_error() -> None:
    with pytest.raises(MoveError, match="'99' is not a move"):
        battle(Cheat, "random", TICTACTOE, 1)


def test_a_battle_has_two_seats(monkeypatch: pytest.MonkeyPatch) -> None:
    game = get_game("snakes")
    monkeypatch.setattr(type(game), "seats", 3)
    assert battle("random", "random", game, 2).matches == 2
    monkeypatch.setattr(type(game), "least_seats", 3)
    with pytest.raises(BadSettings, match="snakes has 3 to 8 seats, not 2"):
        battle("random", "random", game, 2)


def test_no_battle_without_a_match() -> None:
    with pytest.raises(ValueError, match="at least one match, not 0"):
        battle("random", "random", TICTACTOE, 0)


def test_describe() -> None:
    pairs = {(1.0, 1.0): 32, (1.0, 0.0): 16, (0.0, 0.0): 2}
    assert BattleResult(80, 0, 20, pairs, 99).describe().splitlines() == [
        "wins         80  80.00%  (95%: 70.87% to 86.80%)",
        "draws         0   0.00%  (95%: 0.00% to 7.13%)",
        "losses       20  20.00%  (95%: 13.20% to 29.13%)",
        "score        80  80.00%  (95%: 70.87% to 86.80%)",
        "99 different games",
    ]


def test_where_games_repeat_there_is_no_interval_but_the_reason() -> None:
    result = battle(First, First, TICTACTOE, 200)
    assert (tally(result), result.games, result.by_chance, result.intervals) == ((100, 0, 100), 2, False, None)
    assert result.describe().splitlines() == [
        "wins        100  50.00%",
        "draws         0   0.00%",
        "losses      100  50.00%",
        "score       100  50.00%",
        "2 different games",
        "no intervals: these bots leave nothing to chance, and 200 matches were 2 different games;"
        " the others repeat them. Longer random openings (--opening) make more of them",
    ]


def test_openings_make_games_differ_if_there_are_enough_of_them() -> None:
    assert battle(First, First, TICTACTOE, 200, opening=1).games == 18
    assert battle(First, First, TICTACTOE, 200, opening=1).intervals is None
    long = battle(First, First, get_game("connect4"), 200, opening=8)
    assert not long.by_chance
    assert long.games >= 195
    assert long.intervals is not None


def test_games_that_repeat_by_chance_are_independent() -> None:
    """Two heuristic bots often play the same game of tic-tac-toe, but each time by lot."""
    result = battle("heuristic", "heuristic", TICTACTOE, 4_000, seed=1)
    assert result.games < 0.9 * result.matches
    assert result.by_chance
    assert result.intervals is not None


def test_two_pairs_are_the_least() -> None:
    assert battle("random", "random", TICTACTOE, 3).doubt == "they need at least two pairs of matches"
    assert battle("random", "random", TICTACTOE, 4).intervals is not None


def test_a_last_match_without_its_pair_counts_in_the_rates_alone() -> None:
    five, four = (battle("random", "random", TICTACTOE, matches, seed=2) for matches in (5, 4))
    assert five.matches == 5
    assert five.pairs == four.pairs
    assert five.intervals == four.intervals
    assert sum(five.pentanomial) == 2


Chances = Mapping[Pair, float]
"""Probabilities of the scores of a pair."""


def chances(first: Sequence[float], second: Sequence[float]) -> Chances:
    """Return the chances of two matches that are each won, drawn or lost with these weights."""
    scores = (1.0, 0.5, 0.0)
    return {
        (scores[one], scores[other]): first[one] / sum(first) * second[other] / sum(second)
        for one, other in product(range(3), repeat=2)
    }


def mixed(*parts: tuple[float, Chances]) -> Chances:
    """Return the chances of openings that come with these weights."""
    total = sum(weight for weight, _ in parts)
    return {pair: sum(weight * part[pair] for weight, part in parts) / total for pair in parts[0][1]}


INDEPENDENT = chances((5, 3, 2), (5, 3, 2))
FIRST_MOVER_WINS_OFTEN = chances((7, 2, 1), (3, 2, 5))
DRAWISH_OPENINGS = mixed((0.6, chances((0, 1, 0), (0, 1, 0))), (0.4, chances((6, 0, 4), (6, 0, 4))))
"""Chances with openings of which three in five make both matches a draw."""
LOPSIDED_OPENINGS = mixed(
    *(
        (better * (1 - better), chances((better, 0.5, 1 - better), (1 - better, 0.5, better)))
        for better in (number / 1000 for number in range(1001))
    )
)
"""Chances with openings that favour a side, some more than others; each bot gets the better side once."""
FEW_DECISIONS = chances((6, 90, 4), (6, 90, 4))


def coverage(kind: Chances, pairs: int) -> list[float]:
    """Return how often the intervals of wins, draws and score cover the truth, in a thousand battles."""
    trials, covered = 1_000, [0, 0, 0]
    counted = [COUNTED[name] for name in ("wins", "draws", "score")]
    truth = [sum(chance * (count(a) + count(b)) / 2 for (a, b), chance in kind.items()) for count in counted]
    for counts in default_rng(17).multinomial(pairs, list(kind.values()), size=trials).tolist():
        played = {pair: times for pair, times in zip(kind, counts, strict=True) if times}
        found = intervals(BattleResult(2 * pairs, 0, 0, played, 2 * pairs))
        for place, name in enumerate(("wins", "draws", "score")):
            low, high = found[name]
            covered[place] += low <= truth[place] <= high
    return [times / trials for times in covered]


@pytest.mark.parametrize("pairs", [25, 100])
@pytest.mark.parametrize(
    "kind",
    [INDEPENDENT, FIRST_MOVER_WINS_OFTEN, DRAWISH_OPENINGS, LOPSIDED_OPENINGS],
    ids=["independent", "first mover wins often", "drawish openings", "lopsided openings"],
)
def test_intervals_cover_95_percent(kind: Chances, pairs: int) -> None:
    assert all(0.93 <= times <= 0.97 for times in coverage(kind, pairs))


def test_where_few_matches_are_decided_intervals_cover_rather_more() -> None:
    assert all(0.93 <= times <= 0.97 for times in coverage(FEW_DECISIONS, 100))
    assert all(times >= 0.93 for times in coverage(FEW_DECISIONS, 15))


@pytest.mark.parametrize(("wins", "draws"), [(85, 10), (90, 6), (95, 0), (96, 2), (1, 98)])
def test_skewed_results_and_ten_pairs_are_covered_about_as_well(wins: int, draws: int) -> None:
    """Compare coverage with docs/RULES.md: as low as 93% at 25 pairs, and up to 100% at 10 pairs."""
    weights = wins, draws, 100 - wins - draws
    skewed = chances(weights, weights)
    assert all(times >= 0.93 for times in coverage(skewed, 25))
    assert all(times >= 0.92 for times in coverage(skewed, 10))


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals_as_published(count: int, total: int, low: float, high: float) -> None:
    """Table I, method 3, of Robert G. Newcombe, Statistics in Medicine 17 (1998), 857-872."""
    assert list(wilson(count, total)) == pytest.approx([low, high], abs=5e-5)


def test_an_interval_stays_between_0_and_1() -> None:
    assert wilson(0, 10)[0] == 0
    assert wilson(10, 10)[1] == 1
