"""The repeated dilemma: payoffs, noise, positions that cannot be."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rumble_engine import BadPosition, BadSettings, Outcome, Termination, UnreadableMove
from rumble_engine.conformance import check_game
from rumble_engine.games.dilemma import GAME


def test_the_payoffs_are_axelrods() -> None:
    """The matrix of R. Axelrod, The Evolution of Cooperation (1984), chapter 1."""
    state = GAME.initial()
    assert {move: state.play(move).payoffs for move in state.legal_moves} == {
        "C C": (3, 3),
        "C D": (0, 5),
        "D C": (5, 0),
        "D D": (1, 1),
    }


def test_tit_for_tat_loses_one_round_to_a_defector() -> None:
    state, answer = GAME.initial({"rounds": 200}), "C"
    for _ in range(200):
        state = state.play(f"{answer} D")
        answer = state.last[1]
    assert state.outcome == Outcome((0.0, 1.0), Termination.NORMAL, "199 to 204 after 200 rounds", (2, 1), (199, 204))


def test_a_view_does_not_grow() -> None:
    state = GAME.initial({"rounds": 10_000})
    sizes = []
    for _ in range(2_000):
        state = state.play("C D")
        sizes.append(len(str(state.view())))
    assert max(sizes) - min(sizes) <= len("2000" + "10000") * 2


@given(st.lists(st.integers(-3, 3), min_size=4, max_size=4), st.sampled_from([0, 30]), st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_falling_out_never_pays_in_any_matrix(payoffs: list[int], noise: int, seed: int) -> None:
    matrix = dict(zip(("reward", "temptation", "sucker", "punishment"), payoffs, strict=True))
    assert check_game(GAME, settings={"rounds": 4, "noise": noise, **matrix}, playouts=2, seed=seed).playouts == 2


def test_a_fall_in_chicken_leaves_the_other_seat_its_best_answer() -> None:
    chicken = {"rounds": 3, "reward": 0, "temptation": 1, "sucker": -1, "punishment": -10}
    assert GAME.initial(chicken).play("C C").play("D -").payoffs == (-2, -20)


@pytest.mark.parametrize("ply", ["- -", "C -", "- D"])
def test_a_fall_in_the_first_round_leads_to_a_position(ply: str) -> None:
    state = GAME.initial().play(ply)
    assert state.outcome
    assert GAME.load(state.view()) == GAME.parse(state.text()) == state


@pytest.mark.parametrize("text", ["", "1 3 3 CC", "1 3 3 CC - -", "1 6 3 CC -", "0 0 0 CC -", "1 3 3 - -", "1 3 3 CX -",
                                  "1 3 3 CC CC", "101 3 3 CC -", "01 3 3 CC -", "-1 0 0 - -"])  # fmt: skip
def test_positions_that_cannot_be(text: str) -> None:
    with pytest.raises(BadPosition):
        GAME.parse(text)


def test_a_view_that_cannot_be() -> None:
    view = GAME.initial({"noise": 5}).play("C D").view()
    assert GAME.load(view).view() == view
    for wrong in ({"payoffs": [0]}, {"payoffs": "00"}, {"chosen": 1}, {"round": True}, {"noise": 0}, {"last": "XY"}):
        with pytest.raises(BadPosition):
            GAME.load({**view, **wrong})
    with pytest.raises(BadSettings):
        GAME.initial({"noise": 51})
    with pytest.raises(UnreadableMove, match="cooperates"):
        GAME.initial().code_for(0, "c")


def test_the_diagram() -> None:
    assert GAME.initial().play("D C").diagram() == "round 1 of 100\nFirst       5 D\nSecond      0 C"
