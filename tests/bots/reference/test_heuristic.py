from rumble_bots.reference import Heuristic, Winner

from tests.bots.reference.positions import CONNECT4, TICTACTOE, at, moves


def test_the_example_of_the_exercise() -> None:
    """Rows `X O .`, `. O .`, `X . .`: X wins at (1, 0). With a further X, O is to move and wins at (2, 1)."""
    for bot in (Winner, Heuristic):
        assert moves(at("XO..O.X.."), bot.candidates(at("XO..O.X.."), 0)) == ["3"]
        assert moves(at("XO..O.X.X"), bot.candidates(at("XO..O.X.X"), 0)) == ["7"]


def test_heuristic_blocks() -> None:
    state = at("XX..O....")
    assert moves(state, Heuristic.candidates(state, state.to_move)) == ["2"]


def test_heuristic_blocks_one_of_two() -> None:
    """X threatens 3 and 4: either is better than neither."""
    state = at("XOX...X.O")
    assert moves(state, Heuristic.candidates(state, state.to_move)) == ["3", "4"]


def test_heuristic_plays_anything_where_nothing_presses() -> None:
    state = TICTACTOE.initial()
    assert list(Heuristic.candidates(state, state.to_move)) == list(range(9))


def test_heuristic_does_not_lift_the_opponent_to_a_win() -> None:
    """A stone of X in column e would let O complete the row above."""
    state = CONNECT4.parse("......./......./......./......./XOOO.../XXOX...")
    assert moves(state, Heuristic.candidates(state, state.to_move)) == ["a", "b", "c", "d", "f", "g"]
