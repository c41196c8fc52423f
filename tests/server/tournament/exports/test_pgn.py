import io
from functools import reduce
from typing import Any

import chess.pgn
import pytest
from rumble_engine import State, get_game
from rumble_server.tournament.exports import pgn

from tests.server.tournament.exports.documents import exported, played, tournament


def test_pgn() -> None:
    games = pgn.write(exported()).split("\n\n[")
    assert len(games) == 3
    assert games[0] == "\n".join(
        [
            '[Event "The \\"Friday\\" rumble"]',
            '[Site "?"]',
            '[Date "2025.11.21"]',
            '[Round "1.1.1.1"]',
            '[White "B"]',
            '[Black "C"]',
            '[Result "1-0"]',
            '[Attempt "1"]',
            '[Game "tictactoe"]',
            '[MatchId "friday.1.1.1.1"]',
            '[PlyCount "3"]',
            '[Reason "three in a row"]',
            '[Termination "normal"]',
            '[TerminationCode "normal"]',
            '[TimeControl "?"]',
            "",
            "1. 4 0 2. 8 1-0",
        ]
    )
    assert games[1].endswith("1/2-1/2")
    assert '[Termination "abandoned"]' in games[2]
    assert games[2].endswith("\n\n0-1\n")


def test_chess_is_in_san_and_wrapped() -> None:
    moves = ["e2e4", "e7e5", "g1f3", "b8c6"]
    for ply in range(60):
        state = reduce(State.play, moves, get_game("chess").initial())
        moves.append(state.legal_moves[7 * ply % len(state.legal_moves)])
    control = {"move_ms": 0, "bank_ms": 60_000, "increment_ms": 500}
    told = tournament(game="chess", time_control=control, started_at_ms=None)
    match = played("t.1.1.1.1", ["A", "B"], [0.0, 0.0], moves=moves)
    text = pgn.write(exported(tournament=told, matches=[match]))
    assert '[Game "' not in text
    assert '[Date "????.??.??"]' in text
    assert '[TimeControl "60+0.5"]' in text
    assert "\n1. e4 e5 2. Nf3 Nc6 3. " in text
    assert text.endswith(" *\n")
    assert max(map(len, text.splitlines())) <= 80
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert game.errors == []
    assert [move.uci() for move in game.mainline_moves()] == moves


@pytest.mark.parametrize(
    ("game", "settings", "moves"),
    [("othello", {}, ["d3", "c3"]), ("openspiel:go", {"board_size": 9}, ["B d3", "W c3"])],
)
def test_white_is_the_second_bot_where_black_moves_first(game: str, settings: dict[str, Any], moves: list[str]) -> None:
    if game.startswith("openspiel"):
        pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    match = played("t.1.1.1.1", ["First", "Second"], [0.0, 1.0], moves=moves)
    text = pgn.write(exported(tournament=tournament(game=game, settings=settings), matches=[match]))
    assert '[White "Second"]\n[Black "First"]\n[Result "1-0"]' in text
    assert text.endswith(f"1. {' '.join(moves)} 1-0\n")


@pytest.mark.parametrize("game", ["chess", "tictactoe", "a game that is not installed"])
def test_white_is_the_first_bot_elsewhere(game: str) -> None:
    match = played("t.1.1.1.1", ["First", "Second"], [0.0, 1.0], moves=[])
    text = pgn.write(exported(tournament=tournament(game=game), matches=[match]))
    assert '[White "First"]\n[Black "Second"]\n[Result "0-1"]' in text


def test_settings_are_told() -> None:
    told = tournament(game="connect4", settings={"columns": 5})
    text = pgn.write(exported(tournament=told, matches=[played("t.1.1.1.1", ["A", "B"], [1.0, 0.0], moves=["a"])]))
    assert '[Settings "{\\"columns\\": 5}"]' in text


def test_comments_tell_the_thoughts_of_the_bots() -> None:
    infos = [{"score": 0.35, "depth": 12, "time_ms": 1200, "pv": ["e2e4", "}"]}, None, {"nodes": 7}, {"depth": 2}]
    moves = ["e2e4", "e7e5", "g1f3", "b8c6"]
    match = played("t.1.1.1.1", ["A", "B"], [1.0, 0.0], moves=moves, infos=infos)
    text = pgn.write(exported(tournament=tournament(game="chess"), matches=[match]))
    assert "1. e4 {+0.35/12 1.2s, pv e2e4 )} 1... e5 2. Nf3 {7 nodes} 2... Nc6 {depth 2} 1-0" in text.replace("\n", " ")
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert [node.comment for node in game.mainline()] == ["+0.35/12 1.2s, pv e2e4 )", "", "7 nodes", "depth 2"]


def test_no_matches() -> None:
    assert pgn.write(exported(matches=[], standings=[])) == ""
