"""What a reference bot is: it looks at a state and chooses a move."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar, final

from rumble_engine import State

from rumble_bots.reference.errors import NoMove


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen move and what the bot knows about it."""

    move: str
    score: float | None = None
    """The value for the mover, from -1 (lost) to 1 (won), if the bot knows or guesses one."""
    nodes: int | None = None
    """Positions looked at, if it searched."""
    note: str = ""
    """A remark for a person."""


class ReferenceBot(ABC):
    """A bot without a network. The only state it keeps is its random numbers and what it remembers to be faster."""

    about: ClassVar[str] = ""
    """How it plays, in a line for who is to play against it."""
    options: ClassVar[tuple[str, ...]] = ()
    """Names of the keyword arguments that its constructor takes."""
    games: ClassVar[Sequence[str] | None] = None
    """The games it plays whatever their settings; None: any."""

    def __init__(self, random: Random) -> None:
        self.random = random

    @classmethod
    def can_play(cls, state: State) -> bool:
        """Whether the bot plays the game that `state` is of."""
        return True

    @final
    def choose(self, state: State, budget_ms: int | None = None) -> Choice:
        """A legal move in `state`, for whichever seat is to move, within `budget_ms` milliseconds (None: no clock).

        Raises NoMove after the end of the game.
        """
        codes = state.codes()
        if not codes:
            raise NoMove("there is no move to choose: the game is over")
        return self.pick(state, codes, budget_ms)

    @abstractmethod
    def pick(self, state: State, codes: Sequence[int], budget_ms: int | None) -> Choice:
        """One of `codes`, the legal moves of `state`, of which there is at least one."""


class Picker(ReferenceBot):
    """A bot whose rule leaves some moves, among which chance decides, each as likely as the others."""

    @staticmethod
    @abstractmethod
    def candidates(state: State) -> Sequence[int]:
        """The codes that the rule leaves; at least one where there is a legal move."""

    def pick(self, state: State, codes: Sequence[int], budget_ms: int | None) -> Choice:
        """Any of the candidates."""
        return Choice(state.text_of(self.random.choice(self.candidates(state))))
