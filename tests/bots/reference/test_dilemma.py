"""The strategies of Axelrod's tournaments, against given choices and against each other."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_bots.reference import make_reference_bot
from rumble_bots.reference.battle import battle, play
from rumble_engine.games.dilemma import GAME

CHOICES = st.text("CD", max_size=30)


def answers(name: str, others: str, seat: int = 0, seed: int = 0, noise: str = "") -> str:
    """Return a bot's choices against `others`; a round with `!` in `noise` turns the bot's choice around."""
    bot, state = make_reference_bot(name, seed=seed), GAME.initial({"noise": 1 if noise else 0})
    given = ""
    for other, turned in zip(others, noise or others, strict=True):
        given += bot.choose(state, seat=seat).move
        state = state.play(" ".join([given[-1], other] if seat == 0 else [other, given[-1]]))
        if noise:
            state = state.play(str(seat) if turned == "!" else "-")
    return given + bot.choose(state, seat=seat).move


@pytest.mark.parametrize("seat", [0, 1])
@given(others=CHOICES)
def test_strategies_without_lots_follow_their_rule(seat: int, others: str) -> None:
    rounds = range(len(others) + 1)
    assert answers("tit-for-tat", others, seat) == "C" + others
    assert answers("tit-for-two-tats", others, seat) == "".join("CD"[others[:n].endswith("DD")] for n in rounds)
    assert answers("friedman", others, seat) == "".join("CD"["D" in others[:n]] for n in rounds)


def share(name: str, others: str, noise: str = "") -> float:
    """Return the share of cooperation after `others`."""
    return sum(answers(name, others, seed=seed, noise=noise)[-1] == "C" for seed in range(400)) / 400


def test_joss_repeats_defection_and_most_cooperation() -> None:
    assert share("joss", "D") == 0
    assert share("joss", "C") == pytest.approx(0.9, abs=0.05)
    assert share("joss", "") == pytest.approx(0.9, abs=0.05)


def test_grofman_looks_whether_both_chose_alike() -> None:
    assert share("grofman", "C") == 1
    assert share("grofman", "D") == pytest.approx(2 / 7, abs=0.07)
    assert share("grofman", "D", noise="!") == 1


def test_a_bot_asked_again_answers_the_same_and_a_new_match_begins_anew() -> None:
    bot, state = make_reference_bot("friedman"), GAME.initial()
    later = state.play("C D")
    assert [bot.choose(each, seat=0).move for each in (state, later, later, state, state.play("C C"))] == list("CDDCC")


def test_rounds_that_a_bot_did_not_see_count_as_cooperation() -> None:
    state = GAME.initial()
    for ply in ("C D", "C C", "C D"):
        state = state.play(ply)
    assert make_reference_bot("tit-for-two-tats").choose(state, seat=0).move == "C"
    assert make_reference_bot("friedman").choose(state, seat=0).move == "D"


def test_the_friendly_ones_cooperate_to_the_end() -> None:
    friendly = ("tit-for-tat", "tit-for-two-tats", "friedman", "grofman", "heuristic")
    for name in friendly:
        bots = [make_reference_bot(name), make_reference_bot(Random(name).choice(friendly))]
        assert play(bots, GAME).payoffs == (300, 300)


def test_mcts_gains_more_than_random() -> None:
    bots = [make_reference_bot("mcts", iterations=40), make_reference_bot("random")]
    outcome = play(bots, GAME, settings={"rounds": 30})
    assert outcome.payoffs is not None
    assert outcome.payoffs[0] > outcome.payoffs[1] + 20
    assert battle("tit-for-tat", "friedman", GAME, 2).draws == 2
