"""Joint moves: states in which several seats move at the same time.

Each mover chooses without knowing the choices of the others, and all choices take effect together, in no order. For
replays, logs and openings, a joint move is one ply, with one code and one text. The text has a word for each seat,
and a seat that does not move has `-`: `up left - down`. In a game whose rules say what a fall does (`can_fall`), a
mover that falls out instead of moving has `-`, too. Therefore the texts of the plies are enough to replay a match.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import product
from typing import ClassVar, Self, final

from rumble_engine.errors import UnreadableMove
from rumble_engine.game import State
from rumble_engine.texts import shown

IDLE = "-"
"""The word that stands for a seat in the text of a joint move if the seat does not move."""


class JointState(State):
    """A position of a game with joint moves. Plies of chance (`is_chance`) may come between joint moves.

    A subclass defines the moves of each seat. From these moves, this class makes the codes and texts of whole plies.
    """

    __slots__ = ()

    moves_each: ClassVar[int]
    """Number of different moves of a seat. The codes of a seat's moves are below this number."""

    @property
    @abstractmethod
    def seats(self) -> int:
        """The number of seats in the match."""

    @property
    @abstractmethod
    def movers(self) -> tuple[int, ...]:
        """The seats to move now, in ascending order. Empty after the end, and where chance decides."""

    @abstractmethod
    def codes_for(self, seat: int) -> Sequence[int]:
        """Return the codes of a mover's legal moves, in the game's natural order."""

    @abstractmethod
    def text_for(self, seat: int, code: int) -> str:
        """Return the move `code` of a seat in the game's notation: a word without spaces, and not `-` alone."""

    @abstractmethod
    def code_for(self, seat: int, text: str) -> int:
        """Return the code of a mover's legal move written as `text`. Raises the errors of `State.code_of`."""

    @abstractmethod
    def after_all(self, moves: Mapping[int, int]) -> Self:
        """Return the state after a joint move. `moves` has the code of each mover's move, by seat.

        The codes must be legal; no check is made. If `can_fall`, a mover without a code has fallen out. Even all movers
        may have fallen out.
        """

    @property
    def is_chance(self) -> bool:
        """True if chance decides the next ply."""
        return not self.movers and self.outcome is None

    def after_chance(self, code: int) -> Self:
        """Return the state after the outcome of chance with this code."""
        raise NotImplementedError

    def chance_text(self, code: int) -> str:
        """Return the text of the outcome of chance with this code."""
        raise NotImplementedError

    def chance_code(self, text: str) -> int:
        """Return the code of the outcome of chance written as `text`. Raises UnreadableMove."""
        for code, _ in self.chances():
            if self.chance_text(code) == text:
                return code
        raise UnreadableMove(f"{shown(text)} is not what chance can bring here")

    # --- Whole plies ---

    @property
    def to_move(self) -> int:
        """The lowest of the seats to move; 0 if no seat moves."""
        return next(iter(self.movers), 0)

    @final
    def joint(self, moves: Mapping[int, int]) -> int:
        """Return the code of a joint move. `moves` has the code of each mover's move, by seat."""
        return sum((code + 1) * (self.moves_each + 1) ** seat for seat, code in moves.items())

    @final
    def split(self, code: int) -> dict[int, int]:
        """Split the code of a joint move: return the code of each mover's move, by seat."""
        base = self.moves_each + 1
        return {seat: code // base**seat % base - 1 for seat in range(self.seats) if code // base**seat % base}

    @final
    def joint_text(self, moves: Mapping[int, int]) -> str:
        """Return the text of a joint move. `moves` has the code of each mover's move, by seat."""
        return " ".join([self.text_for(seat, moves[seat]) if seat in moves else IDLE for seat in range(self.seats)])

    def parts(self, text: str) -> list[tuple[int | None, str]]:
        """Split a joint move into words, each with its seat. A ply of chance is one word, with None as its seat."""
        if self.is_chance:
            return [(None, text)]
        return [(seat, word) for seat, word in enumerate(text.split(" ")) if word != IDLE]

    def codes(self) -> Sequence[int]:
        """Return the codes of all plies without a fall. The list may be very long, so referees use `codes_for`."""
        if self.outcome is not None:
            return ()
        if self.is_chance:
            return [code for code, _ in self.chances()]
        every = product(*(self.codes_for(seat) for seat in self.movers))
        return [self.joint(dict(zip(self.movers, codes, strict=True))) for codes in every]

    def after(self, code: int) -> Self:
        """Return the state after a ply: a joint move, or an outcome of chance."""
        return self.after_chance(code) if self.is_chance else self.after_all(self.split(code))

    def text_of(self, code: int) -> str:
        """Return the text of a ply: a word for each seat, or the outcome of chance."""
        return self.chance_text(code) if self.is_chance else self.joint_text(self.split(code))

    def code_of(self, text: str) -> int:
        """Return the code of the legal ply written as `text`. Raises UnreadableMove, AmbiguousMove or IllegalMove."""
        if self.is_chance:
            return self.chance_code(text)
        words = text.split(" ")
        if len(words) != self.seats:
            raise UnreadableMove(f"{shown(text)} is not a word for each of {self.seats} seats")
        self.refuse_after_end(shown(text))
        movers = self.movers
        moves = {}
        for seat, word in enumerate(words):
            if seat in movers and not (word == IDLE and self.can_fall):
                moves[seat] = self.code_for(seat, word)
            elif word != IDLE:
                raise UnreadableMove(f"{shown(text)}: seat {seat} does not move, so its word is {IDLE}")
        return self.joint(moves)
