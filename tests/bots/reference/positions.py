"""Positions for the tests of the reference bots."""

from rumble_engine import State, get_game

TICTACTOE = get_game("tictactoe")
CONNECT4 = get_game("connect4")


def at(text: str) -> State:
    return TICTACTOE.parse(text)


def moves(state: State, codes: object) -> list[str]:
    assert isinstance(codes, tuple)
    return [state.text_of(code) for code in codes]
