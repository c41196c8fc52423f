"""Games of OpenSpiel (https://github.com/google-deepmind/open_spiel, Apache licence 2.0) as games of Rumble.

The games come with the extra `openspiel` (`pip install '.[openspiel]'`). The name of a game is `openspiel:` followed by
its name in OpenSpiel, such as `openspiel:go`. The game's parameters are settings with the same names:
`{"board_size": 9}`. Parameters with a fraction, like the komi of go, are texts here: `"7.5"`. A parameter at its
default is not passed on, since OpenSpiel may compute the default from other parameters (the columns of hex, the longest
match of go). The family has every game of OpenSpiel for two players who move in turn, with perfect information, without
chance, and with points only at the end, whose sum is zero.

Moves: in OpenSpiel's notation. View: `{"board": "...", "actions": [40, 41], "to_move": 0, ...settings}`: the board as
OpenSpiel draws the board, with line breaks, and OpenSpiel's action numbers of the moves so far, from which the state is
rebuilt. The position's text is the same numbers with spaces between, or `start`. States after different moves are
different, even if the positions are equal.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from rumble_engine.errors import BadPosition, BadSettings, IllegalMove, MissingExtra, UnknownGame, UnreadableMove
from rumble_engine.game import Game, GameFamily, Setting, SettingValue, State
from rumble_engine.outcome import Outcome
from rumble_engine.texts import shown
from rumble_engine.views import settings_in

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise MissingExtra("openspiel games need an extra; in a checkout of Rumble: pip install '.[openspiel]'") from error

PREFIX = "openspiel:"
LONGEST_MOVE = 80
"""Maximum number of characters of a move; a longer text is unreadable."""
FIXED: dict[str, SettingValue] = {"ansi_color_output": False}
"""The parameters with a fixed value, which is passed to each game that has the parameter."""
HIDDEN = {*FIXED, "players", "dims", "egocentric", "egocentric_obs_tensor", "plain_obs_tensor", "string_rep"}
"""Parameters that are not settings, since they do not change the rules or are unsafe to change."""
BLACK_FIRST = {PREFIX + name for name in ("go", "gomoku", "othello")}
"""Games whose first seat has the black stones."""
LASTING = {
    *("clobber", "connect_four", "dots_and_boxes", "go", "gomoku", "havannah", "hex", "mnk", "othello", "pentago"),
    *("tic_tac_toe", "twixt", "y"),
}
"""Games in which an action of a seat has the same text in all states, so that texts can be kept."""


class Terms:
    """A game of OpenSpiel with its parameters."""

    __slots__ = ("name", "names", "parameters")

    def __init__(self, name: str, parameters: str) -> None:
        self.name, self.parameters = name, parameters
        lasting = name.removeprefix(PREFIX) in LASTING
        self.names: tuple[dict[int, str], ...] | None = ({}, {}) if lasting else None
        """The texts of actions known so far, by seat and action; None if texts depend on the state."""


class OpenSpielState(State):
    """A state of OpenSpiel, which is never changed, and the texts of moves known so far."""

    __slots__ = ("_codes", "_mover", "_names", "_state", "_terms")

    def __init__(self, terms: Terms, state: Any, mover: int) -> None:
        """Make the state around OpenSpiel's `state`, which the caller must not change afterwards.

        `mover` is the seat to move if the game is over; otherwise `state` tells the seat.
        """
        self._terms, self._state = terms, state
        if state.is_terminal():
            self._codes: list[int] = []
            self._mover = mover
        else:
            self._codes = state.legal_actions()
            self._mover = state.current_player()
        self._names: dict[int, str] = {} if terms.names is None else terms.names[self._mover]

    def __reduce__(self) -> tuple[object, ...]:
        return _replay, self._identity()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenSpielState) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    @property
    def to_move(self) -> int:
        """The seat to move; after the end, the seat that did not move last."""
        return self._mover

    @property
    def outcome(self) -> Outcome | None:
        """A win for the seat with the higher return, or a draw; None before the end."""
        if self._codes:
            return None
        first, second = self._state.returns()
        if first == second:
            return Outcome.draw("drawn by the game's rules")
        return Outcome.win(0 if first > second else 1, "won by the game's rules")

    @property
    def legal_moves(self) -> Sequence[str]:
        names = self._names
        return [names.get(code) or self.text_of(code) for code in self._codes]

    def codes(self) -> Sequence[int]:
        return self._codes

    def after(self, code: int) -> "OpenSpielState":
        return OpenSpielState(self._terms, self._state.child(code), 1 - self._mover)

    def text_of(self, code: int) -> str:
        text = self._names.get(code)
        if text is None:
            text = self._names[code] = self._state.action_to_string(self._mover, code)
        return text

    def code_of(self, text: str) -> int:
        names = self._names
        for code in self._codes:
            if (names.get(code) or self.text_of(code)) == text:
                return code
        if not 0 < len(text) <= LONGEST_MOVE or not text.isprintable():
            raise UnreadableMove(f"{shown(text)} is not a move: write one as the list of legal moves does")
        self.refuse_after_end(shown(text))
        raise IllegalMove(f"{shown(text)} is not allowed")

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return `board` (as OpenSpiel draws it), `actions`, `to_move` and the settings; all seats see the same."""
        settings = _settings_of(self._terms.name, self._terms.parameters)
        return {"board": str(self._state), "actions": self._state.history(), "to_move": self._mover, **settings}

    def text(self) -> str:
        """Return the action numbers of the moves so far, or `start`."""
        return " ".join(str(action) for action in self._state.history()) or "start"

    def diagram(self) -> str:
        return str(self._state)

    def _identity(self) -> tuple[str, str, tuple[int, ...]]:
        return self._terms.name, self._terms.parameters, tuple(self._state.history())


class OpenSpielGame(Game):
    """A game of OpenSpiel; `openspiel_game` makes a subclass for each game."""

    seat_marks = ("first", "second")

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> OpenSpielState:
        """Return the first state with these settings. Raises BadSettings if OpenSpiel cannot play with them."""
        return _start(self.name, self._parameters(self.complete(settings)))

    def load(self, view: Mapping[str, Any]) -> OpenSpielState:
        settings, actions = settings_in(self, view), view.get("actions")
        if not isinstance(actions, list) or not all(type(action) is int for action in actions):
            raise BadPosition(f'a {self.name} view holds "actions", a list of integers')
        try:
            start = self.initial(settings)
        except BadSettings as error:
            raise BadPosition(f"not a {self.name} view: {error}") from error
        return played(start, actions)

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> OpenSpielState:
        words = [] if text == "start" else text.split(" ")
        if not all(word.isascii() and word.isdigit() and len(word) < 10 for word in words):
            raise BadPosition(f"{shown(text)} is not action numbers with a space between, or start")
        return played(self.initial(settings), [int(word) for word in words])

    def _parameters(self, settings: Mapping[str, SettingValue]) -> str:
        values = {name: value for name, value in FIXED.items() if name in _specification(self.name)}
        # OpenSpiel computes some defaults from other parameters, so passing a default can differ from omitting it.
        values |= {each.name: settings[each.name] for each in self.settings if settings[each.name] != each.default}
        for value in settings.values():
            if isinstance(value, str) and not all(sign.isalnum() or sign in " .;/+-_" for sign in value):
                raise BadSettings(f"{shown(value)} holds characters that OpenSpiel cannot take")
        return f"{self.name.removeprefix(PREFIX)}({','.join(f'{name}={value}' for name, value in values.items())})"


def played(state: OpenSpielState, actions: Sequence[int]) -> OpenSpielState:
    """Return the state after these actions. Raises BadPosition."""
    for action in actions:
        if action not in state.codes():
            raise BadPosition(f"action {action} is not allowed after {shown(state.text())}")
        state = state.after(action)
    return state


class OpenSpiel(GameFamily):
    """The games of OpenSpiel that Rumble can play."""

    title = "OpenSpiel"
    example = "go"

    def names(self) -> Sequence[str]:
        return sorted(PREFIX + kind.short_name for kind in pyspiel.registered_games() if _offered(kind))

    def game(self, name: str) -> "OpenSpielGame":
        return openspiel_game(name)


FAMILY = OpenSpiel()
"""The instance that the entry point names."""


@cache
def openspiel_game(name: str) -> OpenSpielGame:
    """Return the game with the full name `name`, such as `openspiel:go`. Raises UnknownGame."""
    if name not in FAMILY.names():
        raise UnknownGame(f"unknown game {name!r}; of OpenSpiel there are: {', '.join(FAMILY.names())}")
    settings = tuple(
        _setting(parameter, default) for parameter, default in _specification(name).items() if parameter not in HIDDEN
    )
    title = next(kind.long_name for kind in pyspiel.registered_games() if PREFIX + kind.short_name == name)
    parts = {"name": name, "title": f"{title} (OpenSpiel)", "settings": settings}
    if name in BLACK_FIRST:
        parts["seat_names"] = ("Black", "White")
    game: OpenSpielGame = type("NamedGame", (OpenSpielGame,), parts)()
    return game


def _offered(kind: Any) -> bool:
    kinds = pyspiel.GameType
    return bool(
        kind.default_loadable
        and kind.min_num_players <= 2 <= kind.max_num_players
        and kind.dynamics == kinds.Dynamics.SEQUENTIAL
        and kind.chance_mode == kinds.ChanceMode.DETERMINISTIC
        and kind.information == kinds.Information.PERFECT_INFORMATION
        and kind.reward_model == kinds.RewardModel.TERMINAL
        and kind.utility == kinds.Utility.ZERO_SUM
    )


@cache
def _specification(name: str) -> dict[str, Any]:
    return next(
        dict(kind.parameter_specification) for kind in pyspiel.registered_games() if PREFIX + kind.short_name == name
    )


def _setting(name: str, default: Any) -> Setting:
    about = "a parameter of OpenSpiel"
    if isinstance(default, bool):
        return Setting(name, default, about)
    if isinstance(default, int):
        # OpenSpiel checks few bounds itself, and some values crash the process. A small default is the size of
        # something (a board, a row); a larger default counts something (the plies of the longest match).
        most = 26 if 0 < default <= 26 else max(10 * default, 1000)
        return Setting(name, default, about, minimum=min(default, 1), maximum=most)
    return Setting(name, f"{default:g}" if isinstance(default, float) else str(default), about)


@cache  # one entry for each different choice of settings in play
def _start(name: str, parameters: str) -> OpenSpielState:
    """Return the first state for parameters as `_parameters` writes them. Raises BadSettings."""
    try:
        state = pyspiel.load_game(parameters).new_initial_state()
        playable = not state.is_terminal() and state.legal_actions() and str(state)
    except Exception as error:
        raise BadSettings(f"OpenSpiel does not play {shown(parameters)}") from error
    if not playable:
        raise BadSettings(f"OpenSpiel has no game to play in {shown(parameters)}")
    return OpenSpielState(Terms(name, parameters), state, 0)


@cache
def _settings_of(name: str, parameters: str) -> dict[str, SettingValue]:
    full = openspiel_game(name).complete()
    inside = parameters[parameters.index("(") + 1 : -1]
    given = dict(pair.split("=", 1) for pair in inside.split(",") if pair)
    for setting, default in full.items():
        value = given.get(setting, str(default))
        full[setting] = value == "True" if isinstance(default, bool) else type(default)(value)
    return full


def _replay(name: str, parameters: str, actions: Sequence[int]) -> OpenSpielState:
    return played(_start(name, parameters), actions)
