"""Positions for the tests of the reference bots."""

from rumble_bots.reference import REFERENCE_BOTS
from rumble_engine import State, get_game

TICTACTOE = get_game("tictactoe")
CONNECT4 = get_game("connect4")
LADDER = [name for name, player in REFERENCE_BOTS.items() if player.can_play(TICTACTOE.initial())]
"""The bots that play tic-tac-toe."""


def at(text: str) -> State:
    return TICTACTOE.parse(text)


def moves(state: State, codes: object) -> list[str]:
    assert isinstance(codes, tuple)
    return [state.text_of(code) for code in codes]
