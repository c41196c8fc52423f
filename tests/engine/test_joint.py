"""Joint moves: one ply of several seats, as a code and as a text; and how the conformance kit finds broken games."""

from typing import Any

import pytest
from rumble_engine import BadSettings, ConformanceError, Game, IllegalMove, NotListed, Outcome, UnreadableMove
from rumble_engine.conformance import check_game
from rumble_engine.games import connect4, snakes
from rumble_engine.games.dilemma import GAME, TURNED, DilemmaState
from rumble_engine.games.snakes import SnakesState

NOISY = {"rounds": 5, "noise": 10}


def test_a_joint_move_is_one_ply_with_a_word_for_each_seat() -> None:
    state = GAME.initial()
    assert list(state.legal_moves) == ["C C", "C D", "D C", "D D"]
    assert state.play("D C").payoffs == (5, 0)
    assert state.split(state.code_of("D C")) == {0: 1, 1: 0}
    assert (state.movers, state.to_move) == ((0, 1), 0)


def test_a_seat_that_is_out_has_a_dash() -> None:
    state: SnakesState = snakes.GAME.initial_for(3, {"rules": "constrictor"}, 4)
    while len(state.movers) == 3:
        state = state.after_all(dict.fromkeys(state.movers, 0))
    (out,) = (seat for seat in range(3) if seat not in state.movers)
    words = ["-" if seat == out else "up" for seat in range(3)]
    assert state.text_of(state.code_of(" ".join(words))) == " ".join(words)
    for wrong in (["up"] * 3, ["-", "-", "no"], words[:2], [*words, "up"]):
        with pytest.raises(UnreadableMove):
            state.code_of(" ".join(wrong))


def test_a_mover_that_fell_out_has_a_dash_where_the_rules_know_falls() -> None:
    state = GAME.initial({"rounds": 10}).play("D C")
    fallen = state.after_all({1: 0})
    assert state.play("- C") == fallen
    assert (state.joint_text({1: 0}), fallen.payoffs, fallen.movers) == ("- C", (5, 0 + 9 * 5), ())
    assert state.play("- -").payoffs == (5, 0)
    assert fallen.outcome is not None
    assert fallen.outcome.with_falls({0: 1}).places == (2, 1)


def test_a_game_in_turn_answers_as_a_game_of_joint_moves() -> None:
    state = connect4.GAME.initial()
    (seat,) = state.movers
    code = state.code_for(seat, "d")
    assert (state.codes_for(seat), state.text_for(seat, code)) == (state.codes(), "d")
    assert state.after_all({seat: code}) == state.play(state.joint_text({seat: code})) == state.play("d")
    assert (state.is_chance, state.can_fall, state.chances()) == (False, False, ())
    with pytest.raises(ValueError, match="no outcome of chance"):
        state.draw(0)


def test_chance_is_a_ply_of_its_own() -> None:
    state = GAME.initial(NOISY).play("C D")
    assert (state.movers, state.outcome, list(state.legal_moves)) == ((), None, ["-", "0", "1", "01"])
    assert [weight for _, weight in state.chances()] == pytest.approx([0.81, 0.09, 0.09, 0.01])
    assert [state.play(text).last for text in state.legal_moves] == ["CD", "DD", "CC", "DC"]
    with pytest.raises(UnreadableMove):
        state.code_of("C C")


def test_after_the_end_nobody_moves() -> None:
    state = GAME.initial({"rounds": 1}).play("C C")
    assert (state.movers, list(state.codes()), state.chances()) == ((), [], ())
    with pytest.raises(IllegalMove, match="over"):
        state.code_of("C C")
    with pytest.raises(IllegalMove, match="over"):
        state.code_for(0, "C")


@pytest.mark.parametrize("seats", [1, 3])
def test_a_game_of_two_seats_has_no_others(seats: int) -> None:
    with pytest.raises(BadSettings, match="has 2 seats"):
        GAME.initial_for(seats)


def in_order(self: DilemmaState, moves: dict[int, int]) -> Any:
    return DilemmaState.after_all(self, moves if next(iter(moves)) == 0 else {0: moves[1], 1: moves[0]})


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({"after_all": in_order}, "in another order"),
        ({"chances": lambda self: [(0, 0.5)] if self.chosen else ()}, "do not sum to 1"),
        ({"chances": lambda self: [(0, 1.5), (1, -0.5)] if self.chosen else ()}, "has no probability"),
        ({"chances": lambda self: [(0, 1.0), (0, 0.0)][: bool(self.chosen)] * 2}, "do not sum to 1"),
        ({"chances": lambda self: DilemmaState.chances(self) or [(0, 1.0)]}, "is_chance is false"),
        ({"draw": lambda self, number: 4}, "does not list"),
        ({"is_chance": True}, "not just one of"),
        ({"text_for": lambda self, seat, code: ["C", "C", "D", "D"][code + seat]}, "two moves of one text"),
        ({"text_for": lambda self, seat, code: ("C", "-")[code]}, "no word"),
        ({"codes_for": lambda self, seat: (0, 2)}, "IndexError"),
        ({"codes_for": lambda self, seat: ()}, "has no move"),
        ({"code_for": lambda self, seat, text: int(text != "C")}, "does not raise MoveError"),
        ({"chance_text": lambda self, code: "-"}, "have one text"),
        ({"movers": property(lambda self: (1, 0) if not self.chosen else ())}, "ascending"),
        ({"_ended": lambda self, stayed: self._played("CC")}, "that is out"),
        ({"_ended": lambda self, stayed: DilemmaState._ended(self, stayed) if stayed else self}, "goes on after all"),
        ({"_ended": lambda self, stayed: DilemmaState._ended(self, (0, 1))}, "by falling out"),
        ({"finished": (0,)}, "has finished is to move"),
        ({"view": lambda self, seat=None: {**DilemmaState.view(self), "you": seat}}, "hides is false"),
    ],
)  # fmt: skip
def test_the_conformance_kit_finds_a_broken_game_of_joint_moves(members: dict[str, Any], problem: str) -> None:
    state_class = type("Broken", (DilemmaState,), {"__slots__": (), **members})

    def initial(self: Game, settings: Any = None, seed: int = 0) -> DilemmaState:
        state: DilemmaState = state_class(GAME.initial(settings, seed).rules, 0, (0, 0), "", "")
        return state

    game = type("BrokenGame", (type(GAME),), {"initial": initial})()
    with pytest.raises(ConformanceError, match=problem):
        check_game(game, settings=NOISY, playouts=20)


def test_a_game_of_joint_moves_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(GAME), "in_turn", True)
    with pytest.raises(ConformanceError, match="in_turn is true"):
        check_game(GAME, playouts=1)


def test_the_parts_of_a_ply_have_their_seats() -> None:
    state = GAME.initial(NOISY)
    assert state.parts("C D") == [(0, "C"), (1, "D")]
    assert state.play("C D").parts("-") == [(None, "-")]
    assert connect4.GAME.initial().play("d").parts("c") == [(1, "c")]


def test_a_view_must_not_grow_during_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    view = DilemmaState.view
    monkeypatch.setattr(DilemmaState, "view", lambda self, seat=None: {**view(self), "history": ["CD"] * self.round})
    with pytest.raises(ConformanceError, match="views grow"):
        check_game(GAME, settings={"rounds": 250}, playouts=1)


def test_outcomes_of_chance_may_be_too_many_to_list(monkeypatch: pytest.MonkeyPatch) -> None:
    def chances(self: DilemmaState) -> tuple[()]:
        if self.chosen:
            raise NotListed("too many")
        return ()

    def chance_code(self: DilemmaState, text: str) -> int:
        if text not in TURNED:
            raise UnreadableMove("no such noise")
        return TURNED.index(text)

    monkeypatch.setattr(DilemmaState, "chances", chances)
    monkeypatch.setattr(DilemmaState, "chance_code", chance_code)
    monkeypatch.setattr(DilemmaState, "draw", lambda self, number: number % 4)
    assert check_game(GAME, settings=NOISY, playouts=5).playouts == 5


@pytest.mark.parametrize(
    ("outcome", "problem"),
    [
        (Outcome((1.0, 0.0), reason="wrong", places=(2, 1)), "are not those of"),
        (Outcome((1.0, 0.0), reason="wrong", places=(1, 2), payoffs=(0, 1)), "do not follow from the payoffs"),
        (Outcome((1.0, 1.0), reason="wrong"), "do not sum to 1"),
        (Outcome((1.0, 0.0), reason="wrong", places=(1, 2)), "`pays` does not tell"),
    ],
)
def test_an_outcome_must_agree_with_itself(outcome: Outcome, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DilemmaState, "outcome", property(lambda self: None if self.round < 3 else outcome))
    with pytest.raises(ConformanceError, match=problem):
        check_game(GAME, settings={"rounds": 3}, playouts=5)
