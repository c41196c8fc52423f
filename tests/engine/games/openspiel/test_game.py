"""The adapter to OpenSpiel, and Rumble's games compared with OpenSpiel's along random matches.

Without OpenSpiel the tests are skipped. RUMBLE_MATCHES=1000 makes them play 1,000 matches a game.
"""

import os
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from chess import Board
from rumble_engine import BadPosition, BadSettings, Game, IllegalMove, UnknownGame, UnreadableMove, get_game
from rumble_engine.conformance import check_game
from rumble_engine.games import breakthrough, checkers, chess, connect4, hex, mnk, othello, tictactoe

from tests.needs import long_or

pytest.importorskip("pyspiel", reason="needs the extra openspiel")
import pyspiel
from rumble_engine.games.openspiel import FAMILY, openspiel_game
from rumble_engine.games.openspiel.catalogue import EXCLUDED
from rumble_engine.games.openspiel.terms import LASTING

MATCHES = int(os.environ.get("RUMBLE_MATCHES", long_or("4", "12")))


SMALL: list[tuple[str, dict[str, Any]]] = [
    ("go", {"board_size": 5}),
    ("breakthrough", {"columns": 4, "rows": 5}),
    ("nim", {"pile_sizes": "1;2;3"}),
    ("nine_mens_morris", {}),
    ("y", {}),
    ("hex", {"board_size": 4}),
]


@pytest.mark.parametrize(("name", "settings"), SMALL, ids=[name for name, _ in SMALL])
def test_games_pass_the_conformance_kit(name: str, settings: dict[str, Any]) -> None:
    assert check_game(openspiel_game(f"openspiel:{name}"), settings=settings, playouts=2).plies > 2


def test_go_on_nine_by_nine() -> None:
    game = get_game("openspiel:go")
    state = game.initial({"board_size": 9, "komi": "5.5"})
    assert len(state.legal_moves) == 82
    state = state.play("B d4")
    view = state.view()
    assert (view["board_size"], view["komi"], view["to_move"]) == (9, "5.5", 1)
    assert game.load(view) == state == game.parse(state.text(), {"board_size": 9, "komi": "5.5"})
    state = state.play("W PASS").play("B PASS")
    assert state.outcome is not None
    assert state.outcome.winner == 0
    with pytest.raises(IllegalMove, match="the game is over"):
        state.play("W d4")


@pytest.mark.parametrize("name", [*sorted(LASTING), "amazons", "ultimate_tic_tac_toe"])
def test_moves_and_actions_are_those_of_openspiel(name: str) -> None:
    """Compare along random matches; some games keep the texts of moves from one match to the next."""
    random = Random(9)
    for _ in range(max(MATCHES // 4, 1)):
        state, theirs = openspiel_game(f"openspiel:{name}").initial(), pyspiel.load_game(name).new_initial_state()
        while state.outcome is None:
            legal, player = theirs.legal_actions(), theirs.current_player()
            assert (list(state.codes()), state.to_move) == (legal, player)
            assert state.legal_moves == [theirs.action_to_string(player, action) for action in legal]
            action = random.choice(legal)
            assert state.code_of(state.text_of(action)) == action
            state = state.after(action)
            theirs.apply_action(action)
            assert state.view()["actions"] == theirs.history()
        assert theirs.is_terminal()


def test_every_other_game_of_two_and_more_seats_is_offered() -> None:
    kinds = [kind for kind in pyspiel.registered_games() if kind.default_loadable and kind.max_num_players >= 2]
    assert FAMILY.names() == sorted(f"openspiel:{kind.short_name}" for kind in kinds if kind.short_name not in EXCLUDED)
    for name in FAMILY.names():
        game = openspiel_game(name)
        assert game.name == name
        assert game.describe()["title"].endswith("(OpenSpiel)")


def test_refusals() -> None:
    game = openspiel_game("openspiel:go")
    for text, error in (("", UnreadableMove), ("B\n", UnreadableMove), ("x" * 99, UnreadableMove), ("D4", IllegalMove)):
        with pytest.raises(error):
            game.initial().play(text)
    for settings in ({"board_size": 1}, {"board_size": 20}, {"komi": "1,x=2"}, {"players": 2}, {"board_size": "9"}):
        with pytest.raises(BadSettings):
            game.initial(settings)
    for view in ({"actions": ["1"]}, {"actions": [-1]}, {"actions": [0, 0]}, {"board_size": 99}, {"board_size": 1}):
        with pytest.raises(BadPosition):
            game.load({**game.initial().view(), **view})
    with pytest.raises(BadPosition):
        game.parse("1 1")
    with pytest.raises(UnknownGame, match="unknown game 'openspiel:poker'; of OpenSpiel there are: openspiel:amazons"):
        get_game("openspiel:poker")
    with pytest.raises(UnknownGame, match="'openspiel' is a family of games; write one as openspiel:go"):
        get_game("openspiel")


Names = Callable[[int, str], str]
"""Writes Rumble's move, given the seat and the text, in OpenSpiel's notation."""


def turned_rows(rows: int) -> Names:
    """Return a function that writes squares with rows counted from the opposite edge."""

    def name(seat: int, move: str) -> str:
        return "".join(sign if sign.isalpha() else str(rows + 1 - int(sign)) for sign in move)

    return name


def from_top(rows: int, form: str) -> Names:
    """Return a function that writes a square by its row and column, both counted from 0 at the top left."""

    def name(seat: int, move: str) -> str:
        row, column = rows - int(move[1:]), ord(move[0]) - ord("a")
        return form.format(mark="xo"[seat], row=row, column=column)

    return name


# Rumble's game and settings, OpenSpiel's game and parameters, and the function that translates moves.
PAIRS: list[tuple[Game, dict[str, Any], str, dict[str, Any], Names]] = [
    (tictactoe.GAME, {}, "tic_tac_toe", {}, lambda seat, move: f"{'xo'[seat]}({int(move) // 3},{int(move) % 3})"),
    (connect4.GAME, {}, "connect_four", {}, lambda seat, move: f"{'xo'[seat]}{'abcdefg'.index(move)}"),
    (breakthrough.GAME, {}, "breakthrough", {}, turned_rows(8)),
    (breakthrough.GAME, {"columns": 5, "rows": 6}, "breakthrough", {"columns": 5, "rows": 6}, turned_rows(6)),
    (othello.GAME, {}, "othello", {}, lambda seat, move: move),
    (hex.GAME, {"swap": False}, "hex", {}, lambda seat, move: move),
    (hex.GAME, {"size": 5, "swap": False}, "hex", {"board_size": 5}, lambda seat, move: move),
    (mnk.GAME, {}, "gomoku", {}, from_top(15, "{row},{column}")),
    (
        mnk.GAME,
        {"columns": 9, "rows": 7, "connect": 4},
        "mnk",
        {"m": 9, "n": 7, "k": 4},
        from_top(7, "{mark}({row},{column})"),
    ),
]


@pytest.mark.parametrize(("ours", "settings", "name", "parameters", "named"), PAIRS)
def test_our_moves_and_outcomes_are_those_of_openspiel(
    ours: Game, settings: dict[str, Any], name: str, parameters: dict[str, Any], named: Names
) -> None:
    random, theirs = Random(6), openspiel_game(f"openspiel:{name}")
    for _ in range(MATCHES):
        state, other = ours.initial(settings), theirs.initial(parameters)
        while state.outcome is None:
            moves = {named(state.to_move, move): move for move in state.legal_moves}
            assert moves.keys() == {move.removesuffix("*") for move in other.legal_moves}
            picked = random.choice(list(other.legal_moves))
            state, other = state.play(moves[picked.removesuffix("*")]), other.play(picked)
        assert other.outcome is not None
        assert other.outcome.scores == state.outcome.scores


def square(text: str) -> str:
    """Return OpenSpiel's name of a square of Rumble's; OpenSpiel letters the columns from the other side."""
    number = int(text) - 1
    row, column = number // 4, number % 4 * 2 + 1 - number // 4 % 2
    return f"{'hgfedcba'[column]}{row + 1}"


def whole_moves(state: Any) -> dict[str, Any]:
    """Return the states after each whole move of OpenSpiel's checkers, by the squares that the move touches.

    In OpenSpiel each jump is a ply of its own, so the jumps of a side in a row are joined.
    """
    found: dict[str, Any] = {}
    for step in state.legal_moves:
        after = state.play(step)
        if after.to_move == state.to_move and after.outcome is None:
            found |= {step[:2] + way: end for way, end in whole_moves(after).items() if way.startswith(step[2:4])}
        else:
            found[step[:4]] = after
    return found


def test_checkers_moves_are_those_of_openspiel() -> None:
    """Compare up to OpenSpiel's own draw, which comes after 40 plies without a capture."""
    random, theirs = Random(7), openspiel_game("openspiel:checkers")
    for _ in range(MATCHES):
        state, other = checkers.GAME.initial({"repetitions": 0}), theirs.initial()
        while other.outcome is None:
            moves = {"".join(square(s) for s in move.replace("x", "-").split("-")): move for move in state.legal_moves}
            others = whole_moves(other)
            assert moves.keys() == others.keys()
            picked = random.choice(sorted(moves))
            state, other = state.play(moves[picked]), others[picked]
        assert state.outcome is None or state.outcome.scores == other.outcome.scores
        assert state.outcome is not None or other.outcome.winner is None


def test_chess_moves_are_those_of_openspiel() -> None:
    random, theirs = Random(8), openspiel_game("openspiel:chess")
    for _ in range(long_or(1, 3)):
        state, other = chess.GAME.initial({"claims": "none"}), theirs.initial()
        while state.outcome is None and other.outcome is None:
            board = Board(state.view()["fen"])
            moves = {board.san(board.parse_uci(move)).rstrip("+#"): move for move in state.legal_moves}
            others = {move.rstrip("+#"): move for move in other.legal_moves}
            assert moves.keys() == others.keys()
            picked = random.choice(sorted(moves))
            state, other = state.play(moves[picked]), other.play(others[picked])
