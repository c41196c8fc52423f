"""The base classes of games: `Game` (a kind of game) and `State` (one immutable position of it).

Moves have two forms. Outside the engine a move is *text* in the game's standard notation. Inside, for fast search
and refereeing, each legal move also has an integer *code*, whose meaning each game defines. Text is checked where it
enters (`State.code_of`), so a code is always one of `State.codes`.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

from rumble_engine.drawing import Drawing, Path
from rumble_engine.errors import BadSettings, IllegalMove
from rumble_engine.outcome import Outcome

type_names = {bool: "true or false", int: "an integer", str: "text"}

SettingValue = bool | int | str
"""What a setting can be. Its default decides which of them."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a game."""

    name: str
    """Its name, on the wire and on the command line."""
    default: SettingValue
    """Its value where none is given; values have the same type."""
    help: str
    """What it changes, in a line for people."""
    minimum: int | None = None
    """The least integer, if there is one."""
    maximum: int | None = None
    """The largest integer, if there is one."""
    choices: tuple[str, ...] | None = None
    """The texts to choose from; None where any text will do."""

    def check(self, value: object) -> SettingValue:
        """Return `value` if it is valid. Raises BadSettings. No coercion: `True` is not 1 and `"7"` is not 7."""
        kind = type(self.default)
        if type(value) is not kind:
            raise BadSettings(f"{self.name} must be {type_names[kind]}, not {value!r}")
        if isinstance(value, int) and (
            (self.minimum is not None and value < self.minimum) or (self.maximum is not None and value > self.maximum)
        ):
            raise BadSettings(f"{self.name} must be from {self.minimum} to {self.maximum}, not {value}")
        if self.choices is not None and value not in self.choices:
            raise BadSettings(f"{self.name} must be one of {', '.join(self.choices)}, not {value!r}")
        return value

    def describe(self) -> dict[str, Any]:
        """Return the setting as JSON data: default, help, and the bounds or choices that it has."""
        described: dict[str, Any] = {"default": self.default, "help": self.help}
        for bound in ("minimum", "maximum", "choices"):
            value = getattr(self, bound)
            if value is not None:
                described[bound] = list(value) if isinstance(value, tuple) else value
        return described


class State:
    """One position of a game. Immutable, hashable, and equal to every state from which play goes on the same way.

    A subclass is typically a slotted dataclass around integers (bitboards), hashed by its fields. Nobody changes them;
    a `frozen` one makes Python check that, at three times the cost of making a state.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text()})"

    @property
    @abstractmethod
    def to_move(self) -> int:
        """The seat to move; after the end, the seat that would be to move."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """The outcome if the game is over, else None."""

    @abstractmethod
    def codes(self) -> Sequence[int]:
        """Return the codes of the legal moves, in the game's natural order; empty when the game is over."""

    @abstractmethod
    def after(self, code: int) -> Self:
        """Return the state after the legal move `code`, unchecked: it comes from `codes()` or `code_of()`."""

    @abstractmethod
    def text_of(self, code: int) -> str:
        """Return the move `code` in the game's notation."""

    @abstractmethod
    def code_of(self, text: str) -> int:
        """Return the code of the legal move written `text`.

        Raises UnreadableMove, AmbiguousMove, or IllegalMove (also for any readable move after the end).
        """

    @abstractmethod
    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return the state as JSON data, as `seat` may see it (None: a spectator). Each game documents its fields."""

    @abstractmethod
    def text(self) -> str:
        """Return the position in the game's own text, on one line; `Game.parse` reads it back."""

    @abstractmethod
    def diagram(self) -> str:
        """Return the position as lines for a person at a terminal."""

    @property
    def legal_moves(self) -> Sequence[str]:
        """The legal moves as text, in the order of `codes()`."""
        return [self.text_of(code) for code in self.codes()]

    @final
    def play(self, move: str) -> Self:
        """Return the state after the move written `move`. Raises as `code_of` does."""
        return self.after(self.code_of(move))

    def canonical(self) -> Hashable:
        """Return a key that is the same for all states that the game's symmetries map onto each other."""
        return self

    def estimate(self) -> float:
        """Return an estimate of the value for the seat to move, strictly between -1 and 1, for searches."""
        return 0.0

    def refuse_after_end(self, text: str) -> None:
        """Raise IllegalMove if the game is over; `code_of` calls it after it has read `text`."""
        if self.outcome is not None:
            raise IllegalMove(f"{text} is not allowed: the game is over ({self.outcome.reason})")


class Game(ABC):
    """A kind of game. Stateless: one instance serves the whole process."""

    name: ClassVar[str]
    """The name on the wire, `[a-z0-9_:-]+`."""
    title: ClassVar[str]
    """The name for people."""
    seats: ClassVar[int] = 2
    """How many seats a match has."""
    seat_marks: ClassVar[tuple[str, ...]] = ("X", "O")
    """By seat: the mark of its pieces in texts and diagrams."""
    seat_names: ClassVar[tuple[str, ...]] = seat_marks
    """By seat: what people call it, as its pieces are drawn: `Black`. A game that says nothing has its marks."""
    settings: ClassVar[tuple[Setting, ...]] = ()
    """The settings it offers."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "seat_marks" in vars(cls) and "seat_names" not in vars(cls):
            cls.seat_names = cls.seat_marks

    @abstractmethod
    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> State:
        """Return the first state, the same for the same settings and seed. Raises BadSettings."""

    @abstractmethod
    def load(self, view: Mapping[str, Any]) -> State:
        """Return the state of a view, checked as in `parse`; other fields are ignored. Raises BadPosition."""

    @abstractmethod
    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> State:
        """Return the state written `text` (see `State.text`). Raises BadPosition and BadSettings.

        Settings that follow from the text may be left out; if given, they must agree with it.
        """

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing | None:
        """Return the drawing of a view for a page; None where there is only the diagram.

        The drawing marks the last move `last`; a text that is no move marks nothing.
        """
        return None

    def path(self, view: Mapping[str, Any], move: str) -> Path:
        """Return where to click for the legal `move` on the drawing of this view; empty: it is chosen by its text."""
        return ()

    def written(self, state: State, move: str) -> str:
        """Return the legal `move` of this state as people write it: as on the wire, unless a game overrides it."""
        return move

    @final
    def complete(self, given: Mapping[str, Any] | None = None) -> dict[str, SettingValue]:
        """Return all settings: those given, checked, and the defaults of the others. Raises BadSettings."""
        given = given or {}
        known = {setting.name: setting for setting in self.settings}
        for name in given:
            if name not in known:
                offers = ", ".join(known) or "none"
                raise BadSettings(f"{self.name} has no setting {name!r}; it offers: {offers}")
        full = {name: setting.check(given.get(name, setting.default)) for name, setting in known.items()}
        self.check(full)
        return full

    def check(self, settings: Mapping[str, SettingValue]) -> None:
        """Check rules between settings; a subclass may override it. Raises BadSettings."""

    def describe(self) -> dict[str, Any]:
        """Return the game as JSON data: name, title, names of the seats, settings."""
        return {
            "name": self.name,
            "title": self.title,
            "seat_names": list(self.seat_names),
            "settings": {setting.name: setting.describe() for setting in self.settings},
        }


class GameFamily(ABC):
    """Many games behind one entry point, such as all those of a library; each is called `family:name`."""

    title: ClassVar[str]
    """The name for people."""
    example: ClassVar[str]
    """The name of one of its games, without the family's."""

    @abstractmethod
    def names(self) -> Sequence[str]:
        """Return the full names of its games, `family:name`, sorted."""

    @abstractmethod
    def game(self, name: str) -> Game:
        """Return the game of this full name. Raises UnknownGame."""
