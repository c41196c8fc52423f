"""The base class of the reference bots, which choose a move in a state."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar, final

from rumble_engine import State

from rumble_bots.reference.errors import NoMove


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen move, and the bot's knowledge about the move."""

    move: str
    score: float | None = None
    """The value for the mover, from -1 (lost) to 1 (won), known or guessed; None for a bot without values."""
    nodes: int | None = None
    """Number of positions looked at; None without a search."""
    note: str = ""
    """A remark for a person."""
    depth: int | None = field(default=None, compare=False)
    """Number of plies looked ahead; None if not counted."""
    line: Sequence[str] = field(default=(), compare=False)
    """The moves that the bot expects, its own first; empty if the bot expects only its own."""


class ReferenceBot(ABC):
    """A bot without a network. The bot keeps no state but its random numbers and caches."""

    about: ClassVar[str] = ""
    """The bot's way of playing, in a line for opponents."""
    options: ClassVar[tuple[str, ...]] = ()
    """Names of the constructor's keyword arguments."""
    games: ClassVar[Sequence[str] | None] = None
    """The games that the bot plays with all settings; None means any game."""

    def __init__(self, random: Random) -> None:
        self.random = random

    @classmethod
    def can_play(cls, state: State) -> bool:
        """Return whether the bot plays the game of `state`, with its settings."""
        return True

    @final
    def choose(self, state: State, budget_ms: int | None = None) -> Choice:
        """Choose a legal move for the seat to move, within `budget_ms` (None: no clock). Raises NoMove at the end."""
        codes = state.codes()
        if not codes:
            raise NoMove("there is no move to choose: the game is over")
        return self.pick(state, codes, budget_ms)

    @abstractmethod
    def pick(self, state: State, codes: Sequence[int], budget_ms: int | None) -> Choice:
        """Choose one of `codes`, the legal moves of `state`. `codes` is never empty."""


class Picker(ReferenceBot):
    """A bot that picks at random, with equal chances, among the candidates of its rule."""

    @staticmethod
    @abstractmethod
    def candidates(state: State) -> Sequence[int]:
        """Return the codes of the moves that the bot's rule allows: at least one if there is a legal move."""

    def pick(self, state: State, codes: Sequence[int], budget_ms: int | None) -> Choice:
        return Choice(state.text_of(self.random.choice(self.candidates(state))))
