"""The rules that every game of Rumble keeps, with its default settings and with others."""

import pickle
from typing import Any

import pytest
from rumble_engine import BadPosition, BadSettings, Game
from rumble_engine.conformance import check_game
from rumble_engine.games import breakthrough, checkers, chess, connect4, hex, minichess, mnk, othello

from tests.engine.shipped import GAMES, PLAIN
from tests.needs import long_or

from .counting import random_states

FORMS: list[tuple[Game, dict[str, Any], int]] = [
    (connect4.GAME, {}, 60),
    (connect4.GAME, {"columns": 5, "rows": 5}, 60),
    (connect4.GAME, {"columns": 4, "rows": 4, "connect": 3}, 60),
    (connect4.GAME, {"columns": 12, "rows": 4, "connect": 12}, 60),
    (mnk.GAME, {}, 1),
    (mnk.GAME, {"columns": 3, "rows": 3, "connect": 3}, 20),
    (mnk.GAME, {"columns": 7, "rows": 4, "connect": 4, "line": "exact"}, 10),
    (othello.GAME, {}, 4),
    (othello.GAME, {"size": 4}, 20),
    (othello.GAME, {"size": 12}, 1),
    (breakthrough.GAME, {}, 4),
    (breakthrough.GAME, {"columns": 2, "rows": 4}, 20),
    (breakthrough.GAME, {"columns": 12, "rows": 12}, 1),
    (hex.GAME, {}, 1),
    (hex.GAME, {"size": 2}, 10),
    (hex.GAME, {"size": 5, "swap": False}, 10),
    (checkers.GAME, {}, 4),
    (checkers.GAME, {"repetitions": 0, "quiet_moves": 5}, 5),
    (minichess.GAME, {}, 20),
    (minichess.GAME, {"promotion": "win", "stalemate": "loss", "quiet_plies": 6}, 20),
    (chess.GAME, {}, 1),
]


@pytest.mark.parametrize(("game", "settings", "playouts"), FORMS)
def test_every_game_passes_the_conformance_kit(game: Game, settings: dict[str, Any], playouts: int) -> None:
    count = long_or(-(-playouts // 4), playouts)
    assert check_game(game, settings=settings, playouts=count, seed=1).playouts == count


@pytest.mark.parametrize("game", [game for game in GAMES if not game.hides], ids=lambda game: game.name)
def test_states_survive_pickling(game: Game) -> None:
    states = random_states(game, 2)[:60]
    for state in (states[0], states[len(states) // 2], states[-1]):
        twin = pickle.loads(pickle.dumps(state))
        assert (twin, list(twin.codes()), twin.view()) == (state, list(state.codes()), state.view())


@pytest.mark.parametrize("game", PLAIN, ids=lambda game: game.name)
class TestEveryGame:
    def test_the_board_is_one_text_and_every_field_has_one_type(self, game: Game) -> None:
        kinds: dict[str, type] = {"board": str, "to_move": int, "size": int, "columns": int, "rows": int, "since": list}
        for state in random_states(game, 1)[:60]:
            view = state.view()
            assert isinstance(view["board"], str)
            assert all(type(value) is kinds.get(field, type(value)) for field, value in view.items())
            assert view.get("to_move", state.to_move) == state.to_move

    def test_seats_are_called_as_their_pieces_are_drawn(self, game: Game) -> None:
        drawing = game.drawing(game.initial().view())
        assert drawing is not None
        for piece in drawing.pieces.values():
            assert piece.seat is not None
            assert piece.name.split()[0].lower() == game.seat_names[piece.seat].lower()

    @pytest.mark.parametrize("board", [None, 7, [], "", "?", "\ud800" * 64])
    def test_views_without_a_proper_board_are_refused(self, game: Game, board: object) -> None:
        view = game.initial().view()
        changed: dict[str, object] = {field: board for field in ("board", "fen") if field in view}
        with pytest.raises(BadPosition):
            game.load({**view, **changed})

    def test_fields_of_the_wrong_type_are_refused(self, game: Game) -> None:
        view = game.initial().view()
        needed = {setting.name for setting in game.settings} | {"since", "quiet"}
        if "fen" not in view:
            needed.add("to_move")
        for field in needed & set(view):
            wrongs: list[Any] = [None, [1], {}, -1, 10**9, "?"]
            for wrong in wrongs:
                with pytest.raises(BadPosition):
                    game.load({**view, field: wrong})

    @pytest.mark.parametrize("text", ["", " ", "/", "X", ". X", "8/8/8/8/8/8/8/8 w - - 0 1", "." * 64, "/" * 99])
    def test_texts_that_are_no_position_are_refused(self, game: Game, text: str) -> None:
        with pytest.raises((BadPosition, BadSettings)):
            game.parse(text)

    def test_the_estimate_of_the_start_is_balanced(self, game: Game) -> None:
        assert -0.5 < game.initial().estimate() < 0.5
