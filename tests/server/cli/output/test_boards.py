"""Boards on a terminal: every game's, with and without colours."""

import io
import re
from dataclasses import asdict

import pytest
from rich.console import Console
from rich.text import Text
from rumble_engine import State, game_names, get_game
from rumble_server.cli.output.boards import SEATS, board_of, draw_board, draws

GAMES = [name for name in game_names() if ":" not in name]


def shown(console: Console, game: str, *moves: str) -> str:
    kind = get_game(game)
    state = kind.initial(kind.complete({}))
    for move in moves:
        state = state.play(move)
    console.print(board_of(console, kind, state.view(), moves[-1] if moves else None))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def terminal(*, no_color: bool = False) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, color_system="256", width=100, no_color=no_color)


def uncoloured(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_the_last_move_is_between_brackets_and_seats_have_colours() -> None:
    text = shown(terminal(), "connect4", "d", "e", "d")
    assert uncoloured(text).splitlines()[-3:] == [
        "2 . . .[X]. . .",
        "1 . . . X O . .",
        "  a b c d e f g",
    ]
    assert re.search(r"38;5;33mX", text)
    assert re.search(r"38;5;166mO", text)


def test_a_row_that_wins_is_between_brackets() -> None:
    text = shown(terminal(no_color=True), "tictactoe", "0", "3", "1", "4", "2")
    assert "38;5" not in text
    assert uncoloured(text).splitlines() == ["[X|X|X]", " O O 5", " 6 7 8"]


def test_hexagons_slant() -> None:
    lines = uncoloured(shown(terminal(), "hex", "b3")).splitlines()
    assert lines[2] == "   3 .[X]. . . . . . . . ."
    assert lines[-1] == "              a b c d e f g h i j k"


def drawn_view(game: str, state: State, last: str | None = None) -> Text:
    drawing = get_game(game).drawing(state.view(), last)
    assert drawing is not None
    return draw_board(asdict(drawing))


def test_labels_replace_marks_and_stand_above_and_below() -> None:
    state = get_game("backgammon").parse("a-----L----------------j-B O 65 8")
    lines = drawn_view("backgammon", state, "65").plain.splitlines()
    assert (lines[0].split()[0], lines[-1].split()[0]) == ("13", "12")
    assert lines[5] == "   .   .   .   .   .   .   .   .   .   .   .  10   .   ."
    assert lines[6].startswith("   .   .[  6|  5]")
    assert lines[7].split()[7] == "12"


def test_each_of_eight_seats_has_its_style_and_its_letter() -> None:
    text = drawn_view("snakes", get_game("snakes").initial_for(8))
    spans = [span for span in text.spans if span.style in SEATS.values()]
    styles = {text.plain[span.start : span.end].strip(): span.style for span in spans}
    assert {mark for mark in styles if mark.isupper()} == set("ABCDEFGH")
    assert len(set(styles.values())) == 8


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_board_in_which_each_piece_is_seen(game: str) -> None:
    kind = get_game(game)
    state, moves = kind.initial(kind.complete({})), list[str]()
    for _ in range(1 + state.is_chance):
        moves.append(state.text_of(state.draw(0)) if state.is_chance else state.legal_moves[-1])
        state = state.play(moves[-1])
    text = uncoloured(shown(terminal(), game, *moves))
    drawing = kind.drawing(state.view(), moves[-1])
    assert drawing is not None
    for mark, piece in drawing.pieces.items():
        assert text.count(piece.label or mark) >= drawing.board.count(mark)
    assert ("[" in text) is bool(drawing.last)
    assert drawing.last or game == "poker"


def test_a_pipe_and_a_dumb_terminal_get_the_diagram(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = Console(file=io.StringIO(), width=100)
    assert not draws(pipe)
    assert shown(pipe, "tictactoe", "4").startswith(" 0 | 1 | 2")
    monkeypatch.setenv("TERM", "dumb")
    assert not draws(Console(file=io.StringIO(), force_terminal=True))


def test_characters_that_would_steer_a_terminal_are_shown_as_escapes() -> None:
    cell = {"surface": "grid", "columns": 1, "board": "X", "pieces": {"X": {"seat": 0}}, "last": []}
    labels = {"column_labels": ["\x1b[2J"], "row_labels": ["\x9b"], "names": ["\x1b[31m"]}
    text = draw_board(cell | labels).plain
    assert "\x1b" not in text
    assert "\x9b" not in text
