"""Exact chances in tic-tac-toe, over the whole tree: no match is played, and no move is drawn by lot."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

from rumble_bots.reference import Picker, ReferenceBot
from rumble_engine import State, get_game

Policy = Callable[[State], Sequence[int]]
"""The moves that a bot may make in a state, all equally likely."""

Chances = tuple[Fraction, Fraction, Fraction]
"""The chances of a win, a draw and a loss."""


def policy_of(bot: ReferenceBot) -> Policy:
    if isinstance(bot, Picker):
        return lambda state: bot.candidates(state, state.to_move)
    return cache(lambda state: [state.code_of(bot.choose(state).move)])


@cache
def chances(first: Policy, second: Policy) -> Chances:
    """Return the chances of the bot that moves first."""

    @cache
    def below(state: State) -> Chances:
        if state.outcome is not None:
            winner = state.outcome.winner
            return Fraction(winner == 0), Fraction(winner is None), Fraction(winner == 1)
        codes = (first, second)[state.to_move](state)
        parts = [below(state.after(code)) for code in codes]
        return sum_of(parts, 0), sum_of(parts, 1), sum_of(parts, 2)

    return below(get_game("tictactoe").initial())


def sum_of(parts: list[Chances], index: int) -> Fraction:
    return sum((part[index] for part in parts), Fraction()) / len(parts)


def both_seats(one: Policy, other: Policy) -> tuple[Chances, Chances]:
    """Return the chances of `one`, moving first and moving second."""
    win, draw, loss = chances(other, one)
    return chances(one, other), (loss, draw, win)
