"""The base classes of games: `Game` (a kind of game) and `State` (one immutable position of it).

Moves have two forms. Outside the engine a move is *text* in the game's standard notation. Inside, for fast search
and refereeing, each legal move also has an integer *code*, whose meaning each game defines. `State.code_of` checks
each text that enters, so a code is always legal: an item of `State.codes`.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, Final, Self, final

from rumble_engine.chance import drawn
from rumble_engine.drawing import Drawing, Path
from rumble_engine.errors import BadSettings, IllegalMove, NotSampled
from rumble_engine.outcome import Outcome

type_names = {bool: "true or false", int: "an integer", str: "text"}

ALL: Final = -1
"""The `seat` for readers after the match, who see everything. Open games ignore this value."""
SettingValue = bool | int | str
"""The value of a setting; all values of a setting have the type of its default."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a game: the name, the default, and the allowed values."""

    name: str
    """The setting's name, on the wire and on the command line."""
    default: SettingValue
    """The value if none is given; every other value must have the same type."""
    help: str
    """The effect of the setting, in a line for people."""
    minimum: int | None = None
    """The least integer allowed; None for no bound."""
    maximum: int | None = None
    """The largest integer allowed; None for no bound."""
    choices: tuple[str, ...] | None = None
    """The texts to choose from; None if any text is allowed."""

    def check(self, value: object) -> SettingValue:
        """Return a valid `value` unchanged. Raises BadSettings for bad values and other types: `True` is not 1."""
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
        """Return the setting as JSON data: the default, the help, and any bounds or choices."""
        described: dict[str, Any] = {"default": self.default, "help": self.help}
        for bound in ("minimum", "maximum", "choices"):
            value = getattr(self, bound)
            if value is not None:
                described[bound] = list(value) if isinstance(value, tuple) else value
        return described


class State:
    """A position of a game. Immutable, hashable, and equal to every state from which play goes on the same way.

    A subclass is typically a slotted dataclass around integers (bitboards), hashed by its fields. Do not change the
    fields of a state. A `frozen` dataclass would forbid changes, but making a state would cost three times as much.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text()})"

    @property
    @abstractmethod
    def to_move(self) -> int:
        """The seat to move. After the end, the seat whose turn would come next. Where chance decides, any seat."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """The outcome if the game is over, else None."""

    @abstractmethod
    def codes(self) -> Sequence[int]:
        """Return the codes of the legal moves, in the game's natural order; empty when the game is over."""

    @abstractmethod
    def after(self, code: int) -> Self:
        """Return the state after the legal move `code`. It is not checked, because `codes()` or `code_of()` gave it."""

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
        """Return the state as JSON data for `seat`; None is a spectator, and `ALL` sees everything.

        Each game documents the fields. In a hidden game (`Game.hides`), the view has only the knowledge of `seat`; each
        part of a spectator's view, also `to_move`, is known to every seat.
        """

    @abstractmethod
    def text(self) -> str:
        """Return the position in the game's own notation, on one line; `Game.parse` reads this text."""

    @abstractmethod
    def diagram(self) -> str:
        """Return the position as lines for a person at a terminal, with every secret."""

    # --- Many seats, chance ---
    #
    # A game without chance whose seats move in turn needs none of these members. `JointState` overrides the members
    # for games of joint moves.

    can_fall: ClassVar[bool] = False
    """True if the rules say what happens when a seat falls out. `after_all` then takes joint moves without the seat.

    If False, the referee plays legal moves at random for the seat.
    """

    @property
    def finished(self) -> Collection[int]:
        """The seats that the rules have put out, and that never move again. Their bots may leave without a loss."""
        return ()

    def seen(self, text: str, seat: int | None) -> str:
        """Return the legal ply written `text` for the eyes of `seat`; None is a spectator, and `ALL` sees everything.

        A hidden game overrides `seen`, and writes `?` for a hidden word. Before the end of a match, turns, pages and
        records tell a ply only in this form.
        """
        return text

    def told(self, text: str) -> list[tuple[int | None, str]]:
        """Return the parts of a ply of this state, each with the seat that made the part; None for chance.

        `text` is the text of the ply, or the text made by `seen`.
        """
        return [(None if self.is_chance else self.to_move, text)]

    @property
    def seats(self) -> int:
        """The number of seats in the match. A game of more than two seats overrides this."""
        return 2

    @property
    def movers(self) -> tuple[int, ...]:
        """The seats to move now, in ascending order: none after the end, and none where chance decides."""
        return () if self.outcome is not None or self.is_chance else (self.to_move,)

    def codes_for(self, seat: int) -> Sequence[int]:
        """Return the codes of the legal moves of `seat`, which must be in `movers`, in the game's natural order."""
        return self.codes()

    def text_for(self, seat: int, code: int) -> str:
        """Return the move `code` of `seat` in the game's notation."""
        return self.text_of(code)

    def code_for(self, seat: int, text: str) -> int:
        """Return the code of the legal move `text` of `seat`, which must be in `movers`. Raises as `code_of` does."""
        return self.code_of(text)

    def after_all(self, moves: Mapping[int, int]) -> Self:
        """Return the state after the movers' moves: unchecked codes by seat, whose order does not matter."""
        (code,) = moves.values()
        return self.after(code)

    def joint_text(self, moves: Mapping[int, int]) -> str:
        """Return the text of the ply that `after_all(moves)` makes; `play` reads this text."""
        (code,) = moves.values()
        return self.text_of(code)

    @property
    def is_chance(self) -> bool:
        """True where chance decides the next ply."""
        return False

    def chances(self) -> Sequence[tuple[int, float]]:
        """Return the code of each outcome of chance with its probability, in a fixed order; empty unless `is_chance`.

        The probabilities are above 0, and sum to 1 (rounded). Raises NotListed if the outcomes are too many to
        list; `draw` works even then. `after(code)` brings an outcome about, and `text_of(code)` writes the outcome.
        No state, view or text holds a seed or a generator: the referee draws.
        """
        return ()

    def draw(self, number: int) -> int:
        """Return the code of the outcome of chance that `number` picks, a number of 256 random bits; see `drawn`."""
        return drawn(self.chances(), number)

    @property
    def legal_moves(self) -> Sequence[str]:
        """The legal moves as text, in the order of `codes()`."""
        return [self.text_of(code) for code in self.codes()]

    @final
    def play(self, move: str) -> Self:
        """Return the state after the move written `move`. Raises as `code_of` does."""
        return self.after(self.code_of(move))

    def canonical(self) -> Hashable:
        """Return a key shared by all states that the game's symmetries map onto each other, for searches."""
        return self

    def estimate(self) -> float:
        """Return an estimate of the value for the seat to move, strictly between -1 and 1, for searches."""
        return 0.0

    def refuse_after_end(self, text: str) -> None:
        """Raise IllegalMove if the game is over. A game's `code_of` calls this once `text` is known to be readable."""
        if self.outcome is not None:
            raise IllegalMove(f"{text} is not allowed: the game is over ({self.outcome.reason})")


class Game(ABC):
    """A kind of game. A game has no state of its own, so one instance serves the whole process."""

    name: ClassVar[str]
    """The name on the wire, `[a-z0-9_:-]+`."""
    title: ClassVar[str]
    """The name for people."""
    seats: ClassVar[int] = 2
    """The number of seats in a match of `initial`."""
    least_seats: ClassVar[int] = seats
    """The minimum number of seats in a match. The default is `seats`."""
    most_seats: ClassVar[int] = seats
    """The maximum number of seats in a match. The default is `seats`."""
    in_turn: ClassVar[bool] = True
    """True if the seats move one after another, and nothing is left to chance."""
    hides: ClassVar[bool] = False
    """True if a seat may not know everything: `State.view` then depends on the seat."""
    pays: ClassVar[bool] = False
    """True if outcomes have payoffs."""
    views_grow: ClassVar[bool] = False
    """True if views hold the past plies, and thus grow during a match."""
    cooperative: ClassVar[bool] = False
    """True if the seats always have equal payoffs. The matches are not rated."""
    seat_marks: ClassVar[tuple[str, ...]] = ("X", "O")
    """The mark of each seat's pieces in texts and diagrams."""
    seat_names: ClassVar[tuple[str, ...]] = seat_marks
    """The name of each seat for people, as its pieces are drawn: `Black`. The default is `seat_marks`."""
    settings: ClassVar[tuple[Setting, ...]] = ()
    """The settings of the game."""
    keys: ClassVar[Mapping[str, str]] = {}
    """The key for each move that a person makes by a single key on a page, as `KeyboardEvent.key`: `ArrowUp`, `c`."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # Otherwise a game that gives only `seat_marks` would inherit the names X and O.
        if "seat_marks" in vars(cls) and "seat_names" not in vars(cls):
            cls.seat_names = cls.seat_marks
        # Otherwise a game that gives only `seats` would inherit the bounds 2 and 2.
        if "seats" in vars(cls):
            cls.least_seats = vars(cls).get("least_seats", cls.seats)
            cls.most_seats = vars(cls).get("most_seats", cls.seats)

    @abstractmethod
    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> State:
        """Return the first state; equal settings and seeds give equal states. Raises BadSettings."""

    def initial_for(self, seats: int, settings: Mapping[str, Any] | None = None, seed: int = 0) -> State:
        """Return the first state of a match with `seats` seats; a game with several numbers of seats overrides this.

        Raises BadSettings if the settings are wrong or the game has no such number of seats.
        """
        self.check_seats(seats)
        return self.initial(settings, seed)

    @abstractmethod
    def load(self, view: Mapping[str, Any]) -> State:
        """Return the state of a view, checked as `parse` checks a text. Raises BadPosition. Ignore unknown fields.

        A hidden game raises BadPosition for every view: a view is not the whole state.
        """

    def sample(self, view: Mapping[str, Any], random: Random) -> State:
        """Return a random whole state that agrees with the view of a seat, for searches.

        The seat's view of the drawn state equals `view`. Raises BadPosition for a bad view, and NotSampled if the game
        cannot draw a state. The default loads the view, enough for an open game.
        """
        if self.hides:
            raise NotSampled(f"{self.name} draws no states that agree with a view")
        return self.load(view)

    def diagram(self, view: Mapping[str, Any]) -> str:
        """Return the position of a view as lines for a person at a terminal. A hidden game overrides `diagram`."""
        return self.load(view).diagram()

    @abstractmethod
    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> State:
        """Return the state written `text` (see `State.text`). Raises BadPosition and BadSettings.

        Settings that follow from the text, such as the size of the board, may be left out; if given, they must agree.
        """

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing | None:
        """Return the drawing of a view for a page, or None if the game has only a diagram.

        The drawing marks the cells of the last move `last`. If `last` is no move of the game, no cell is marked.
        """
        return None

    def path(self, view: Mapping[str, Any], move: str) -> Path:
        """Return the clicks that enter the legal `move` on the drawing of this view; empty to enter it as text only."""
        return ()

    def written(self, state: State, move: str) -> str:
        """Return the legal `move` as people write it. The default is the move as sent to bots."""
        return move

    def spellings(self, state: State, move: str) -> Sequence[str]:
        """Return the texts that people may write for the legal `move` of this state, the text of `written` first.

        A text that several moves share is ambiguous.
        """
        return [self.written(state, move)]

    @final
    def complete(self, given: Mapping[str, Any] | None = None) -> dict[str, SettingValue]:
        """Return all settings: the given values, checked, and the defaults for the rest. Raises BadSettings."""
        given = given or {}
        known = {setting.name: setting for setting in self.settings}
        for name in given:
            if name not in known:
                offers = ", ".join(known) or "none"
                raise BadSettings(f"{self.name} has no setting {name!r}; it offers: {offers}")
        full = {name: setting.check(given.get(name, setting.default)) for name, setting in known.items()}
        self.check(full)
        return full

    @final
    def is_plain(self, seats: int) -> bool:
        """Return whether a match of `seats` seats is plain: two seats in turn, without chance and without secrets."""
        return self.in_turn and not self.hides and seats == 2

    @final
    def check_seats(self, seats: int) -> None:
        """Check that the game has matches with this number of seats. Raises BadSettings."""
        if not self.least_seats <= seats <= self.most_seats:
            some = "" if self.least_seats == self.most_seats else f"{self.least_seats} to "
            raise BadSettings(f"{self.name} has {some}{self.most_seats} seats, not {seats}")

    def check(self, settings: Mapping[str, SettingValue]) -> None:
        """Check the rules by which settings depend on each other; by default there are none. Raises BadSettings."""

    def describe(self) -> dict[str, Any]:
        """Return the game as JSON data: name, title, names of the seats, settings."""
        return {
            "name": self.name,
            "title": self.title,
            "seat_names": list(self.seat_names),
            "settings": {setting.name: setting.describe() for setting in self.settings},
        }


class GameFamily(ABC):
    """Many games behind one entry point, such as all games of a library; each game is called `family:name`."""

    title: ClassVar[str]
    """The family's name for people."""
    example: ClassVar[str]
    """The name of a game of the family, without the prefix `family:`, for error messages."""

    @abstractmethod
    def names(self) -> Sequence[str]:
        """Return the full names of the family's games, `family:name`, sorted."""

    @abstractmethod
    def game(self, name: str) -> Game:
        """Return the game with the full name `name`. Raises UnknownGame."""
