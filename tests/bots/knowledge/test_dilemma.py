"""Rules of thumb for the dilemma."""

from rumble_bots.knowledge.dilemma import best, judge, tries
from rumble_engine.games.dilemma import GAME


def test_the_last_choice_of_the_other_is_repeated() -> None:
    state = GAME.initial()
    assert [*best(state, 0), *best(state, 1)] == [0, 0]
    state = state.play("D C")
    assert [*best(state, 0), *best(state, 1)] == [0, 1]
    assert list(tries(state, 0)) == [0, 1]


def test_a_lead_is_worth_more_than_a_tie_and_a_larger_lead_more() -> None:
    state = GAME.initial()
    values = []
    for _ in range(3):
        one, other = judge(state)
        assert one + other == 1
        values.append(one)
        state = state.play("D C")
    assert 0.5 == values[0] < values[1] < values[2] < 1
