"""The base classes of games: `Game`, a kind of game, and `State`, an immutable position of a game.

Moves have two forms. Outside the engine a move is a *text* in the game's notation. Inside, each legal move also has an
integer *code*, for speed; each game defines its codes. `State.code_of` checks every text that comes from outside.
Therefore codes are always legal: items of `State.codes`.
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
"""Value of the parameter `seat` for readers after the match, who may see everything. Open games ignore the value."""
SettingValue = bool | int | str
"""Type of the value of a setting. All values of a setting have the same type as its default."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a game: the name, the default, and the allowed values."""

    name: str
    """The setting's name, on the wire and on the command line."""
    default: SettingValue
    """The value used if none is given. Other values must have the same type."""
    help: str
    """A line for people about the setting's effect."""
    minimum: int | None = None
    """The least integer allowed; None for no bound."""
    maximum: int | None = None
    """The largest integer allowed; None for no bound."""
    choices: tuple[str, ...] | None = None
    """The allowed texts; None if the setting is no text, or allows every text."""

    def check(self, value: object) -> SettingValue:
        """Check a value, and return it unchanged.

        Raises BadSettings for a bad value or a wrong type (`True` is not 1).
        """
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
    """A position of a game: immutable and hashable. Two states are equal if play goes on in the same way from both.

    A subclass is typically a dataclass with slots, whose fields are integers (bitboards). Never change the fields of a
    state. A `frozen` dataclass would prevent changes, but would make the creation of a state three times as slow.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text()})"

    @property
    @abstractmethod
    def to_move(self) -> int:
        """The seat to move.

        After the end, the seat whose turn would be next. Where chance decides, the value may be any seat.
        """

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """The outcome if the game is over, else None."""

    @abstractmethod
    def codes(self) -> Sequence[int]:
        """Return the codes of the legal moves, in the game's natural order; empty when the game is over."""

    @abstractmethod
    def after(self, code: int) -> Self:
        """Return the state after the legal move `code`.

        The code must come from `codes()` or `code_of()`; no check is made.
        """

    @abstractmethod
    def text_of(self, code: int) -> str:
        """Return the move `code` in the game's notation."""

    @abstractmethod
    def code_of(self, text: str) -> int:
        """Return the code of the legal move written as `text`.

        Raises UnreadableMove for a text that is no move of the game, AmbiguousMove for a text that fits several moves,
        and IllegalMove for a move that is not allowed now. After the end no move is allowed.
        """

    @abstractmethod
    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return the state as JSON data, as seen by `seat`. None means a spectator, `ALL` a reader of everything.

        Each game documents the fields. In a hidden game (`Game.hides`) the view contains only facts that the seat
        knows. A spectator's view, including `to_move`, contains only facts that every seat knows.
        """

    @abstractmethod
    def text(self) -> str:
        """Return the position as one line in the game's own notation. `Game.parse` reads this text."""

    @abstractmethod
    def diagram(self) -> str:
        """Return the complete position as lines for a terminal, including hidden parts."""

    # --- Many seats, chance ---
    #
    # A game without chance whose seats move in turn needs none of these members. `JointState` overrides the members
    # for games of joint moves.

    can_fall: ClassVar[bool] = False
    """True if the rules define what happens when a seat falls out of the match.

    If `can_fall` is True, `after_all` accepts moves without the move of a fallen seat. If `can_fall` is False, the
    referee plays random legal moves for a fallen seat.
    """

    @property
    def finished(self) -> Collection[int]:
        """The seats that are out by the rules, and never move again. Their bots may leave without a loss."""
        return ()

    def seen(self, text: str, seat: int | None) -> str:
        """Return the text of a legal ply as `seat` may see it. None means a spectator, `ALL` a reader of everything.

        Hidden games override this method, and write `?` for a hidden word. Until the match is over, turns, pages and
        records show plies only in this form.
        """
        return text

    def parts(self, text: str) -> list[tuple[int | None, str]]:
        """Split a ply made in this state into parts, each with the seat that made the part, or with None for chance.

        `text` is the full text of the ply, or the text that `seen` returns.
        """
        return [(None if self.is_chance else self.to_move, text)]

    @property
    def seats(self) -> int:
        """Number of seats in the match. A game with more than two seats overrides this property."""
        return 2

    @property
    def movers(self) -> tuple[int, ...]:
        """The seats to move now, in ascending order. Empty after the end, and where chance decides."""
        return () if self.outcome is not None or self.is_chance else (self.to_move,)

    def codes_for(self, seat: int) -> Sequence[int]:
        """Return the codes of the legal moves of `seat`, in the game's natural order. `seat` must be in `movers`."""
        return self.codes()

    def text_for(self, seat: int, code: int) -> str:
        """Return the move `code` of `seat` in the game's notation."""
        return self.text_of(code)

    def code_for(self, seat: int, text: str) -> int:
        """Return the code of the legal move `text` of `seat`. The seat must be in `movers`.

        Raises the errors of `code_of`.
        """
        return self.code_of(text)

    def after_all(self, moves: Mapping[int, int]) -> Self:
        """Return the state after the moves of all movers.

        `moves` has the code of each mover's move, by seat. The codes must be legal; no check is made.
        """
        (code,) = moves.values()
        return self.after(code)

    def joint_text(self, moves: Mapping[int, int]) -> str:
        """Return the text of the ply that `after_all(moves)` makes. `play` can read this text."""
        (code,) = moves.values()
        return self.text_of(code)

    @property
    def is_chance(self) -> bool:
        """True if chance decides the next ply."""
        return False

    def chances(self) -> Sequence[tuple[int, float]]:
        """Return the code and probability of each outcome of chance, in a fixed order; empty unless `is_chance`.

        The probabilities are above 0, and add up to 1 (apart from rounding). `after(code)` gives the state after an
        outcome, and `text_of(code)` gives the text of the outcome. Raises NotListed if the outcomes are too many to
        list; `draw` works even then. Only the referee draws random numbers, so states, views and texts contain no seed.
        """
        return ()

    def draw(self, number: int) -> int:
        """Return the code of the outcome of chance that `number` picks. `number` has 256 random bits; see `drawn`."""
        return drawn(self.chances(), number)

    @property
    def legal_moves(self) -> Sequence[str]:
        """The legal moves as text, in the order of `codes()`."""
        return [self.text_of(code) for code in self.codes()]

    @final
    def play(self, move: str) -> Self:
        """Return the state after the move written as `move`. Raises the errors of `code_of`."""
        return self.after(self.code_of(move))

    def canonical(self) -> Hashable:
        """Return a key for searches. States that are equivalent by a symmetry of the game have equal keys."""
        return self

    def estimate(self) -> float:
        """Return an estimate of the state's value for the seat to move. The estimate is strictly between -1 and 1.

        Searches use the estimate.
        """
        return 0.0

    def refuse_after_end(self, text: str) -> None:
        """Raise IllegalMove if the game is over. `code_of` calls this method if `text` has the form of a move."""
        if self.outcome is not None:
            raise IllegalMove(f"{text} is not allowed: the game is over ({self.outcome.reason})")


class Game(ABC):
    """A kind of game. A game object has no state of its own, so the whole process uses one object."""

    name: ClassVar[str]
    """The game's name in the protocol: characters of `[a-z0-9_:-]`."""
    title: ClassVar[str]
    """The name for people."""
    seats: ClassVar[int] = 2
    """Number of seats of a match made by `initial`."""
    least_seats: ClassVar[int] = seats
    """The minimum number of seats in a match. The default is `seats`."""
    most_seats: ClassVar[int] = seats
    """The maximum number of seats in a match. The default is `seats`."""
    in_turn: ClassVar[bool] = True
    """True if seats always move one after another, without chance."""
    hides: ClassVar[bool] = False
    """True if some facts are hidden from some seats, so that `State.view` depends on the seat."""
    pays: ClassVar[bool] = False
    """True if outcomes have payoffs: gains in the game's own points."""
    views_grow: ClassVar[bool] = False
    """True if views contain the past plies, and therefore grow during a match."""
    cooperative: ClassVar[bool] = False
    """True if all seats always get equal payoffs. Such matches are not rated."""
    seat_marks: ClassVar[tuple[str, ...]] = ("X", "O")
    """The mark of each seat's pieces in texts and diagrams."""
    seat_names: ClassVar[tuple[str, ...]] = seat_marks
    """Names of the seats for people, from the look of the pieces, such as `Black`. The default is `seat_marks`."""
    settings: ClassVar[tuple[Setting, ...]] = ()
    """The settings of the game."""
    keys: ClassVar[Mapping[str, str]] = {}
    """For the text of a move, the keyboard key that enters the move on a page.

    A keyboard key is written as a value of `KeyboardEvent.key`, such as `ArrowUp` or `c`.
    """

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
        """Return the first state of a match with `seats` seats.

        A game that allows more than one number of seats overrides this method.

        Raises BadSettings if the settings are wrong, or the game cannot have this number of seats.
        """
        self.check_seats(seats)
        return self.initial(settings, seed)

    @abstractmethod
    def load(self, view: Mapping[str, Any]) -> State:
        """Return the state that a view shows. Unknown fields are ignored. Raises BadPosition if the view is wrong.

        A hidden game raises BadPosition for every view, because a view does not show the whole state.
        """

    def sample(self, view: Mapping[str, Any], random: Random) -> State:
        """Return a random complete state, for searches. In this state, the seat of `view` has exactly this view.

        Raises BadPosition for a bad view, and NotSampled if the game cannot draw states. By default,
        the method loads the view, which is right for open games.
        """
        if self.hides:
            raise NotSampled(f"{self.name} draws no states that agree with a view")
        return self.load(view)

    def diagram(self, view: Mapping[str, Any]) -> str:
        """Return the position of a view as lines for a terminal. A hidden game overrides this method."""
        return self.load(view).diagram()

    @abstractmethod
    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> State:
        """Return the state from its text (see `State.text`). Raises BadPosition and BadSettings.

        Settings that the text determines, such as the size of the board, may be left out. If given, they must agree
        with the text.
        """

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing | None:
        """Return the drawing of a view for a page, or None if the game has only a diagram.

        The drawing marks the cells of the last move `last`. If `last` is no move of the game, no cell is marked.
        """
        return None

    def path(self, view: Mapping[str, Any], move: str) -> Path:
        """Return the clicks that enter a legal move on the drawing of `view`; empty if the move is entered as text."""
        return ()

    def written(self, state: State, move: str) -> str:
        """Return a legal move as people write it. By default, this is the text sent to bots."""
        return move

    def spellings(self, state: State, move: str) -> Sequence[str]:
        """Return all texts by which people may write a legal move. The first is the text from `written`.

        If several moves share a text, the text is ambiguous.
        """
        return [self.written(state, move)]

    @final
    def complete(self, given: Mapping[str, Any] | None = None) -> dict[str, SettingValue]:
        """Return the values of all settings: the given values after checks, and defaults for the rest.

        Raises BadSettings.
        """
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
        """Return true for a plain match: two seats that move in turn, no chance, nothing hidden."""
        return self.in_turn and not self.hides and seats == 2

    @final
    def check_seats(self, seats: int) -> None:
        """Check that the game has matches with this number of seats. Raises BadSettings."""
        if not self.least_seats <= seats <= self.most_seats:
            some = "" if self.least_seats == self.most_seats else f"{self.least_seats} to "
            raise BadSettings(f"{self.name} has {some}{self.most_seats} seats, not {seats}")

    def check(self, settings: Mapping[str, SettingValue]) -> None:
        """Check rules about combinations of settings. By default, the method checks nothing. Raises BadSettings."""

    def describe(self) -> dict[str, Any]:
        """Return the game as JSON data: its name, title, names of the seats, and settings."""
        return {
            "name": self.name,
            "title": self.title,
            "seat_names": list(self.seat_names),
            "settings": {setting.name: setting.describe() for setting in self.settings},
        }


class GameFamily(ABC):
    """A family of games behind one entry point, such as all games of a library. Each game is called `family:name`."""

    title: ClassVar[str]
    """The family's name for people."""
    example: ClassVar[str]
    """The name of a game of the family, without the prefix `family:`, as an example in error messages."""

    @abstractmethod
    def names(self) -> Sequence[str]:
        """Return the full names of the family's games, `family:name`, sorted."""

    @abstractmethod
    def game(self, name: str) -> Game:
        """Return the game with the full name `name`. Raises UnknownGame."""
