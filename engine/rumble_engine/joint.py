"""Joint moves: states in which several seats move at the same time.

Each mover chooses without knowing the choices of the others, and all choices take effect together, in no order. To
replays, logs and openings a joint move is one ply, with one code and one text. The text has a word for each seat, and
`-` for a seat that does not move: `up left - down`. So a game has no two words of moves with a space or a dash alone.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import product
from typing import ClassVar, Self, final

from rumble_engine.errors import UnreadableMove
from rumble_engine.game import State
from rumble_engine.texts import shown

IDLE = "-"
"""The word of a seat that does not move."""


class JointState(State):
    """A position of a game of joint moves. Chance may decide between two of them (`chances`).

    A subclass gives the moves of each seat. The codes and texts of whole plies, which `State` asks for, follow.
    """

    __slots__ = ()

    moves_each: ClassVar[int]
    """The number of different moves of a seat; the codes of a seat are below it."""

    @property
    @abstractmethod
    def seats(self) -> int:
        """The number of seats in the match."""

    @property
    @abstractmethod
    def movers(self) -> tuple[int, ...]:
        """The seats to move now, in ascending order: none after the end, and none where chance decides."""

    @abstractmethod
    def codes_for(self, seat: int) -> Sequence[int]:
        """Return the codes of a mover's legal moves, in the game's natural order."""

    @abstractmethod
    def text_for(self, seat: int, code: int) -> str:
        """Return the move `code` of a seat in the game's notation, a word without spaces."""

    @abstractmethod
    def code_for(self, seat: int, text: str) -> int:
        """Return the code of a mover's legal move written `text`. Raises as `code_of` does."""

    @abstractmethod
    def after_all(self, moves: Mapping[int, int]) -> Self:
        """Return the state after a joint move: the codes of all movers by seat, unchecked."""

    def after_chance(self, code: int) -> Self:
        """Return the state after chance brought about `code`, an item of `chances()`."""
        raise NotImplementedError

    def chance_text(self, code: int) -> str:
        """Return what chance brought about in the game's notation."""
        raise NotImplementedError

    # --- a whole ply ---

    @property
    def to_move(self) -> int:
        """The first of the seats to move; 0 where none moves."""
        return next(iter(self.movers), 0)

    @final
    def joint(self, moves: Mapping[int, int]) -> int:
        """Return the code of a joint move, from the codes of the movers by seat."""
        return sum((code + 1) * (self.moves_each + 1) ** seat for seat, code in moves.items())

    @final
    def split(self, code: int) -> dict[int, int]:
        """Return the codes of the movers by seat, from the code of a joint move."""
        base = self.moves_each + 1
        return {seat: code // base**seat % base - 1 for seat in range(self.seats) if code // base**seat % base}

    def codes(self) -> Sequence[int]:
        """Return the codes of all plies. There may be many: a referee asks for `codes_for`."""
        if self.outcome is not None:
            return ()
        if chances := self.chances():
            return [code for code, _ in chances]
        every = product(*(self.codes_for(seat) for seat in self.movers))
        return [self.joint(dict(zip(self.movers, codes, strict=True))) for codes in every]

    def after(self, code: int) -> Self:
        """Return the state after a ply: a joint move, or what chance brought about."""
        return self.after_chance(code) if self.chances() else self.after_all(self.split(code))

    def text_of(self, code: int) -> str:
        """Return the text of a ply: a word for each seat, or what chance brought about."""
        if self.chances():
            return self.chance_text(code)
        moves = self.split(code)
        return " ".join(self.text_for(seat, moves[seat]) if seat in moves else IDLE for seat in range(self.seats))

    def code_of(self, text: str) -> int:
        """Return the code of the legal ply written `text`. Raises UnreadableMove, AmbiguousMove or IllegalMove."""
        chances = self.chances()
        for code, _ in chances:
            if self.chance_text(code) == text:
                return code
        words = text.split(" ")
        if chances or len(words) != self.seats:
            raise UnreadableMove(f"{shown(text)} is no ply of this game")
        self.refuse_after_end(text)
        movers = self.movers
        for seat, word in enumerate(words):
            if (word == IDLE) is (seat in movers):
                raise UnreadableMove(f"{shown(text)}: {IDLE} stands for the seats that do not move, {movers} move")
        return self.joint({seat: self.code_for(seat, words[seat]) for seat in movers})
