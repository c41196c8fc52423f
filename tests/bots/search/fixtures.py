"""Shared by the tests of the searches: all positions, an oracle, a counted clock, a game with double moves."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from rumble_bots.reference.tables import positions
from rumble_engine import ALL, Outcome, State, get_game

from tests.engine.take import Pile

TICTACTOE = get_game("tictactoe")
CONNECT4 = get_game("connect4")
POSITIONS = sorted(positions(TICTACTOE.initial()), key=lambda state: state.text())
"""Every tic-tac-toe position with a legal move."""


@cache
def value_of(state: State) -> float:
    """Return the value for the seat to move, by an independent implementation: the winner of best play."""
    if state.outcome is not None:
        winner = state.outcome.winner
        return 0.0 if winner is None else 1.0 if winner == state.to_move else -1.0
    return max(values_of(state).values())


def values_of(state: State) -> dict[int, float]:
    """Return the value of each move for the seat to move."""
    later = {code: state.after(code) for code in state.codes()}
    return {
        code: value_of(after) if after.to_move == state.to_move else -value_of(after) for code, after in later.items()
    }


class CountedClock:
    """A clock that advances by the same step at each reading, and so counts nodes."""

    def __init__(self, step_ms: float = 0.01) -> None:
        self.step = step_ms / 1000
        self.now = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@dataclass(frozen=True, slots=True)
class Again(Pile):
    """Take one, two or three from a pile; taking two gives another move; taking the last loses."""

    @property
    def outcome(self) -> Outcome | None:
        return None if self.pile else Outcome.win(self.mover, "the other took the last")

    def codes(self) -> Sequence[int]:
        return range(1, min(self.pile, 3) + 1)

    def after(self, code: int) -> Self:
        mover = self.mover if code == 2 and self.pile > 2 else 1 - self.mover
        return type(self)(self.pile - code, mover)


@dataclass(frozen=True, slots=True)
class Three(Pile):
    """Three seats in turn take one or two from a pile; the seat that takes the last wins."""

    @property
    def seats(self) -> int:
        return 3

    @property
    def outcome(self) -> Outcome | None:
        return None if self.pile else Outcome.win((self.mover - 1) % 3, "took the last", seats=3)

    def codes(self) -> Sequence[int]:
        return range(1, min(self.pile, 2) + 1)

    def after(self, code: int) -> Self:
        return type(self)(self.pile - code, (self.mover + 1) % 3)


@dataclass(frozen=True, slots=True)
class Coin(State):
    """A game with a hidden coin: seat 0 stops at once, or goes on and guesses the side of the coin."""

    stop: float
    """The score of seat 0 after a stop."""
    coin: str = ""
    """`heads` or `tails`; empty before the throw."""
    moves: tuple[str, ...] = ()

    @property
    def to_move(self) -> int:
        return 0

    @property
    def is_chance(self) -> bool:
        return not self.coin

    def chances(self) -> Sequence[tuple[int, float]]:
        return () if self.coin else ((0, 0.5), (1, 0.5))

    @property
    def outcome(self) -> Outcome | None:
        if self.moves == ("stop",):
            return Outcome((self.stop, 1 - self.stop))
        return Outcome.win(int(self.moves[1] != self.coin), "guessed") if len(self.moves) == 2 else None

    def codes(self) -> Sequence[int]:
        return () if self.outcome else (0, 1)

    def after(self, code: int) -> Self:
        if not self.coin:
            return type(self)(self.stop, self.text_of(code))
        return type(self)(self.stop, self.coin, (*self.moves, self.text_of(code)))

    def text_of(self, code: int) -> str:
        return ("stop", "go")[code] if self.coin and not self.moves else ("heads", "tails")[code]

    def code_of(self, text: str) -> int:
        return int(text in ("go", "tails"))

    def seen(self, text: str, seat: int | None) -> str:
        return "?" if self.is_chance and seat != ALL else text

    def view(self, seat: int | None = None) -> dict[str, Any]:
        return {"moves": list(self.moves)}

    def text(self) -> str:
        return f"{self.coin} {self.moves}"

    def diagram(self) -> str:
        return self.text()
