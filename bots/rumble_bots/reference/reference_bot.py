"""The base class of the reference bots. A bot chooses a move from a state, or from a seat's knowledge."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar, Self, final

from rumble_engine import Game, NotSampled, State

from rumble_bots.reference.errors import CannotPlay, NoMove


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen move, with the bot's knowledge about the move."""

    move: str
    score: float | None = None
    """Value of the move for the mover, from -1 (lost) to 1 (won), known or estimated; None if the bot has no values."""
    nodes: int | None = None
    """Number of positions that were searched; None without a search."""
    note: str = ""
    """A remark for people."""
    depth: int | None = field(default=None, compare=False)
    """Number of plies that were searched ahead; None if not counted."""
    line: Sequence[str] = field(default=(), compare=False)
    """The moves that the bot expects, beginning with the chosen move; empty if the bot expects none."""


@dataclass(frozen=True, slots=True)
class Sight:
    """The knowledge of a seat to move in a hidden game."""

    game: Game
    view: Mapping[str, Any]
    """The view of this seat."""
    seat: int
    legal: Sequence[str]
    """The legal moves of this seat."""

    @classmethod
    def of(cls, game: Game, state: State, seat: int) -> Self:
        return cls(game, state.view(seat), seat, [state.text_for(seat, code) for code in state.codes_for(seat)])

    def sample(self, random: Random) -> State:
        """Return a random state that agrees with the view. Raises CannotPlay if the game cannot make such a state."""
        try:
            return self.game.sample(self.view, random)
        except NotSampled as error:
            raise CannotPlay(str(error)) from error


class ReferenceBot(ABC):
    """A bot without a network.

    Between moves, a bot whose `remembers` is false keeps only its random generator and caches.
    """

    about: ClassVar[str] = ""
    """The bot's way of playing, as a line for opponents."""
    options: ClassVar[tuple[str, ...]] = ()
    """Names of the keyword arguments of the constructor."""
    games: ClassVar[Sequence[str] | None] = None
    """Games that the bot plays with any settings; None means any game."""
    remembers: ClassVar[bool] = False
    """True if the bot remembers a match, so that each match needs its own bot."""

    def __init__(self, random: Random) -> None:
        self.random = random

    @classmethod
    def obstacle(cls, state: State) -> str:
        """Return a sentence that says why the bot cannot play the game of `state`.

        If the bot can play the game, return an empty text.
        """
        return ""

    @classmethod
    @final
    def can_play(cls, state: State) -> bool:
        return not cls.obstacle(state)

    @final
    def choose(self, state: State, budget_ms: int | None = None, seat: int | None = None) -> Choice:
        """Choose a legal move for `seat` (None: the first seat to move) within `budget_ms` (None: no clock).

        Raises NoMove if the seat has no move now. Raises CannotPlay if the bot does not play the game.
        """
        if reason := self.obstacle(state):
            raise CannotPlay(reason)
        seat = state.to_move if seat is None else seat
        if seat not in state.movers:
            reason = f"seat {seat} does not move" if state.outcome is None else "the game is over"
            raise NoMove(f"there is no move to choose: {reason}")
        return self.pick(state, seat, budget_ms)

    @final
    def choose_in(self, game: Game, state: State, seat: int | None = None) -> Choice:
        """Choose like `choose`, without a clock. In a hidden game, the bot gets only the seat's knowledge (`Sight`)."""
        seat = state.to_move if seat is None else seat
        if not game.hides or seat not in state.movers:
            return self.choose(state, seat=seat)
        return self.choose_seeing(Sight.of(game, state, seat))

    def choose_seeing(self, sight: Sight, budget_ms: int | None = None) -> Choice:
        """Choose a legal move in a hidden game. Raises CannotPlay.

        The base class calls `choose` with a random state that agrees with `sight`.
        """
        return self.choose(sight.sample(self.random), budget_ms, sight.seat)

    @abstractmethod
    def pick(self, state: State, seat: int, budget_ms: int | None) -> Choice:
        """Choose a legal move of `seat`, which must be in `state.movers`."""


class Picker(ReferenceBot):
    """A bot that chooses at random among its `candidates`, each with the same probability."""

    @staticmethod
    @abstractmethod
    def candidates(state: State, seat: int) -> Sequence[int]:
        """Return the codes of the moves among which the bot chooses: one move or more."""

    def pick(self, state: State, seat: int, budget_ms: int | None) -> Choice:
        return Choice(state.text_for(seat, self.random.choice(self.candidates(state, seat))))
