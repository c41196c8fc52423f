"""Tic-tac-toe: published counts, texts and errors."""

import pickle
from functools import cache
from itertools import product

import pytest
from rumble_engine import BadPosition, BadSettings, IllegalMove, UnreadableMove
from rumble_engine.games.tictactoe import GAME, TicTacToeState

from tests.engine.games.counting import ended, played


@cache
def positions() -> list[TicTacToeState]:
    """Return every position that play can reach."""
    found = {GAME.initial()}
    edge = list(found)
    while edge:
        edge = [
            later for later in {state.after(code) for state in edge for code in state.codes()} if later not in found
        ]
        found.update(edge)
    return sorted(found, key=lambda state: (state.x, state.o))


def count(state: TicTacToeState) -> tuple[int, int]:
    """Count the games from `state` on, and the nodes of their tree, `state` included."""
    games, nodes = 0, 1
    for code in state.codes():
        more_games, more_nodes = count(state.after(code))
        games += more_games
        nodes += more_nodes
    return games or 1, nodes


def test_published_counts() -> None:
    assert count(GAME.initial()) == (255_168, 549_946)
    assert len(positions()) == 5_478
    assert len({state.canonical() for state in positions()}) == 765


def test_ends_of_games() -> None:
    """958 final positions: 626 won by X, 316 by O, 16 drawn."""
    winners = [state.outcome.winner for state in positions() if state.outcome]
    assert (winners.count(0), winners.count(1), winners.count(None)) == (626, 316, 16)


def test_parse_accepts_exactly_the_positions_of_play() -> None:
    read = set()
    for squares in product("XO.", repeat=9):
        try:
            read.add(GAME.parse("".join(squares)))
        except BadPosition:
            continue
    assert read == set(positions())


def test_every_position_comes_back_from_text_view_and_pickle() -> None:
    for state in positions():
        assert GAME.parse(state.text()) == GAME.load(state.view()) == pickle.loads(pickle.dumps(state)) == state
        assert state.to_move == (state.text().count("X") > state.text().count("O"))
        assert list(state.legal_moves) == [state.text_of(code) for code in state.codes()]
        assert -1 < state.estimate() < 1


def test_ends() -> None:
    assert ended(played(GAME.initial(), "0 4 7 2 1 6")) == (1, "three in a row")
    assert ended(GAME.parse("XOXXXOOXO")) == (None, "board full")


def test_diagram() -> None:
    assert GAME.parse("X...O....").diagram() == " X | 1 | 2 \n---+---+---\n 3 | O | 5 \n---+---+---\n 6 | 7 | 8 "


def test_estimate_counts_open_lines() -> None:
    assert GAME.parse("....X....").estimate() == -4 / 9
    assert GAME.parse("X...O....").estimate() == (4 - 5) / 9


@pytest.mark.parametrize(
    "text", ["", " ", "9", "-1", "00", "0 ", " 0", "4\n", "１", "٣", "½", "four", "1.0", "x" * 100_000]
)
def test_only_the_exact_notation_counts(text: str) -> None:
    with pytest.raises(UnreadableMove, match="is not a move: squares are numbered 0 to 8, row by row"):
        GAME.initial().play(text)


def test_moves_that_are_not_allowed() -> None:
    with pytest.raises(IllegalMove, match="square 4 is taken"):
        GAME.initial().play("4").play("4")
    with pytest.raises(IllegalMove, match=r"8 is not allowed: the game is over \(three in a row\)"):
        GAME.parse("XXXOO....").play("8")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "'' is not nine of X, O and . row by row"),
        ("X...o....", "is not nine of"),
        ("XX.......", "X moves first"),
        ("XXXOOO...", "play went on after three in a row"),
    ],
)
def test_positions_that_cannot_occur(text: str, problem: str) -> None:
    with pytest.raises(BadPosition, match=problem):
        GAME.parse(text)


def test_there_are_no_settings() -> None:
    assert GAME.initial({}) == GAME.initial(None, seed=7)
    for action in (GAME.initial, lambda given: GAME.parse("." * 9, given)):
        with pytest.raises(BadSettings):
            action({"size": 3})
