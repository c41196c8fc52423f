"""Nim, a template for a game of your own: take matches from one heap; taking the last match of all wins.

Setting: `last`, whether taking the last match `wins` (the default) or `loses`.

Moves: the heap's letter and the number of matches to take from it: `"b2"`.

View: `{"board": "3 4 5", "to_move": 0, "last": "wins"}`, the board as the heaps' sizes with spaces between. The
position's text is the sizes, and the seat to move after a colon: `"3 4 5: 0"`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rumble_engine import (
    BadPosition,
    BadSettings,
    Drawing,
    Game,
    IllegalMove,
    Outcome,
    Path,
    Piece,
    Setting,
    State,
    UnreadableMove,
)

START = (3, 4, 5)
LETTERS = "abc"
COLUMNS = max(START)
MATCH = Piece("match", None, "disc", "first")
CELLS = tuple(f"{letter}{number}" for letter in LETTERS for number in range(1, COLUMNS + 1))
"""The cells of the drawing: a row for each heap."""


@dataclass(frozen=True, slots=True)
class NimState(State):
    """A position. Frozen: hashable, equal by its fields, and immutable."""

    heaps: tuple[int, ...]
    mover: int
    last_wins: bool

    @property
    def to_move(self) -> int:
        return self.mover

    @property
    def outcome(self) -> Outcome | None:
        """The win, once no match is left, of the seat that took the last match, or of the other seat."""
        if any(self.heaps):
            return None
        taker = 1 - self.mover
        return Outcome.win(taker if self.last_wins else self.mover, "the last match is taken")

    def codes(self) -> Sequence[int]:
        """Return the legal moves; a code is ten times the heap's index, plus the number to take."""
        return [10 * heap + take for heap, size in enumerate(self.heaps) for take in range(1, size + 1)]

    def after(self, code: int) -> "NimState":
        taken_from, take = divmod(code, 10)
        heaps = tuple(size - take if heap == taken_from else size for heap, size in enumerate(self.heaps))
        return NimState(heaps, 1 - self.mover, self.last_wins)

    def text_of(self, code: int) -> str:
        return f"{LETTERS[code // 10]}{code % 10}"

    def code_of(self, text: str) -> int:
        """Return the code of a move: first check whether the text can be read, then whether the move is legal."""
        if len(text) != 2 or text[0] not in LETTERS or text[1] not in "12345":
            raise UnreadableMove("write the heap's letter, a to c, and the number to take, 1 to 5: b2")
        self.refuse_after_end(text)
        heap, take = LETTERS.index(text[0]), int(text[1])
        if take > self.heaps[heap]:
            raise IllegalMove(f"heap {text[0]} has only {self.heaps[heap]} left")
        return 10 * heap + take

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return the state for bots and pages. `Game.load` must read it back."""
        return {"board": self._sizes(), "to_move": self.mover, "last": "wins" if self.last_wins else "loses"}

    def text(self) -> str:
        """Return the position on one line. `Game.parse` must read it back."""
        return f"{self._sizes()}: {self.mover}"

    def diagram(self) -> str:
        return "\n".join(f"{letter} {'|' * size}" for letter, size in zip(LETTERS, self.heaps, strict=True))

    def canonical(self) -> tuple[object, ...]:
        """Return a key that is the same for positions that differ only in the order of heaps."""
        return tuple(sorted(self.heaps)), self.last_wins

    def _sizes(self) -> str:
        return " ".join(str(size) for size in self.heaps)


class Nim(Game):
    """Three heaps of matches."""

    name = "nim"
    title = "Nim"
    seat_marks = ("first", "second")
    settings = (Setting("last", "wins", "whether taking the last match wins or loses", choices=("wins", "loses")),)

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> NimState:
        """Return the full heaps. `complete` checks the settings and adds those not given."""
        return NimState(START, 0, self.complete(settings)["last"] == "wins")

    def load(self, view: Mapping[str, Any]) -> NimState:
        """Return the state of a view. Every fault in it must be a BadPosition."""
        try:
            return self.parse(f"{view['board']}: {view['to_move']}", {"last": view["last"]})
        except (KeyError, BadSettings) as error:
            raise BadPosition(f"not a nim view: {error}") from error

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> NimState:
        """Return the state of a position's text."""
        last_wins = self.complete(settings)["last"] == "wins"
        board, colon, mover = text.partition(": ")
        sizes = board.split(" ")
        if len(sizes) != len(START) or not colon or mover not in ("0", "1"):
            raise BadPosition("a position is three sizes and a seat: 3 4 5: 0")
        if any(
            size not in "012345" or len(size) != 1 or int(size) > most for size, most in zip(sizes, START, strict=True)
        ):
            raise BadPosition("the heaps have at most 3, 4 and 5 matches")
        return NimState(tuple(int(size) for size in sizes), int(mover), last_wins)

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing:
        """Draw each heap as a row of discs. Without this method, pages show the diagram."""
        rows = [("o" * int(size)).ljust(COLUMNS, ".") for size in view["board"].split(" ")]
        return Drawing("grid", COLUMNS, "".join(rows), {"o": MATCH}, names=CELLS)

    def path(self, view: Mapping[str, Any], move: str) -> Path:
        """Return the click for a move: a disc, which is taken with every disc to its right."""
        heap, take = LETTERS.index(move[0]), int(move[1])
        size = int(view["board"].split(" ")[heap])
        return ((heap * COLUMNS + size - take,),)


GAME = Nim()
"""The instance that the entry point names."""
