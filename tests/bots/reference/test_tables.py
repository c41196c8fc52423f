"""The table in the package equals its generator's output, and is right."""

from importlib.resources import files

from rumble_bots.reference.perfect import read_table
from rumble_bots.reference.tables import table_text
from rumble_engine import State, get_game

GAME = get_game("tictactoe")


def test_the_table_in_the_package_is_up_to_date() -> None:
    assert table_text(GAME).encode() == files("rumble_bots").joinpath("data", "tictactoe.json").read_bytes()


def test_each_value_is_the_best_of_the_next_values_and_its_move_reaches_the_best() -> None:
    def value_for_opponent(state: State) -> float:
        if state.outcome is not None:
            return 2 * state.outcome.scores[state.to_move] - 1
        score = read_table("tictactoe")[state.text()].score
        assert score is not None
        return score

    for text, choice in read_table("tictactoe").items():
        state = GAME.parse(text)
        values = {move: -value_for_opponent(state.play(move)) for move in state.legal_moves}
        assert choice.score == max(values.values()) == values[choice.move]
