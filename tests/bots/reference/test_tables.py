"""The table in the package equals its generator's output, and is right."""

from importlib.resources import files
from pathlib import Path

import pytest
from rumble_bots.reference import tables
from rumble_bots.reference.perfect import read_table
from rumble_bots.reference.tables import main, table_text
from rumble_engine import State, get_game

GAME = get_game("tictactoe")


def packaged() -> bytes:
    return files("rumble_bots").joinpath("data", "tictactoe.json").read_bytes()


def test_the_table_in_the_package_is_up_to_date(tmp_path: Path) -> None:
    main([str(tmp_path)])
    assert (tmp_path / "tictactoe.json").read_bytes() == packaged()


def test_making_the_table_again_gives_the_same_bytes() -> None:
    assert table_text(GAME).encode() == packaged()


def test_the_table_has_every_position_with_a_move_to_make() -> None:
    """The number of positions, 5,478, less the 958 final ones."""
    assert len(read_table("tictactoe")) == 4_520


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


def test_the_table_is_written_into_the_package_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    paths: list[Path] = []
    monkeypatch.setattr(tables, "write_table", lambda path, game: paths.append(path))
    main([])
    assert [path.read_bytes() for path in paths] == [packaged()]
