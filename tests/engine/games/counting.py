"""Counts, values and random matches, shared by the tests of several games."""

from random import Random
from typing import TypeVar

from rumble_engine import Game, State

AnyState = TypeVar("AnyState", bound=State)


def perft(state: State, depth: int) -> int:
    """Count the ways to play `depth` plies."""
    if depth == 1:
        return len(state.codes())
    return sum(perft(state.after(code), depth - 1) for code in state.codes())


def played(state: AnyState, moves: str) -> AnyState:
    """Return the state after `moves`, written with spaces between; only the last move may end the game."""
    for move in moves.split():
        assert state.outcome is None
        state = state.play(move)
    return state


def ended(state: State) -> tuple[int | None, str]:
    """Return the winner of a finished game, and the reason."""
    assert state.outcome is not None
    assert not state.codes()
    assert not state.legal_moves
    return state.outcome.winner, state.outcome.reason


def value(state: State, known: dict[object, int]) -> int:
    """Return the value for the seat to move with the best play of both: 1, 0 or -1."""
    key = state.canonical()
    if key not in known:
        if state.outcome is not None:
            known[key] = round(2 * state.outcome.scores[state.to_move] - 1)
        else:
            best = -1
            for code in state.codes():
                best = max(best, -value(state.after(code), known))
                if best == 1:
                    break
            known[key] = best
    return known[key]


def random_states(game: Game, seed: int, settings: dict[str, object] | None = None) -> list[State]:
    """Return the states of one random match, in order."""
    random, states = Random(seed), [game.initial(settings)]
    while codes := states[-1].codes():
        states.append(states[-1].after(random.choice(codes)))
    return states
