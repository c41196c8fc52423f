"""The games of OpenSpiel, and the family to which they belong."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from rumble_engine.errors import BadPosition, BadSettings, UnknownGame
from rumble_engine.game import Game, GameFamily
from rumble_engine.games.openspiel import catalogue
from rumble_engine.games.openspiel.states import OpenSpielState, played, started
from rumble_engine.texts import shown
from rumble_engine.views import settings_in

BLACK_FIRST = {catalogue.PREFIX + name for name in ("go", "gomoku", "othello")}
"""Games in which the first seat has the black stones."""
ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth"),
)
"""The names of the seats."""


class OpenSpielGame(Game):
    """A game of OpenSpiel; `openspiel_game` makes a subclass for each game."""

    def initial(self, settings: Mapping[str, Any] | None = None, seed: int = 0) -> OpenSpielState:
        """Return the first state with these settings. Raises BadSettings if OpenSpiel refuses the settings."""
        return self.initial_for(self.seats, settings, seed)

    def initial_for(self, seats: int, settings: Mapping[str, Any] | None = None, seed: int = 0) -> OpenSpielState:
        self.check_seats(seats)
        return started((self.name, seats, tuple(self.complete(settings).items())))

    def load(self, view: Mapping[str, Any]) -> OpenSpielState:
        if self.hides:
            raise BadPosition(f"a view of {self.name} does not tell everything")
        settings, actions, seats = settings_in(self, view), view.get("actions"), view.get("seats", self.seats)
        if not isinstance(actions, list) or not all(type(action) is int for action in [*actions, seats]):
            raise BadPosition(f'a {self.name} view holds "actions", a list of integers, and maybe "seats", an integer')
        try:
            start = self.initial_for(seats, settings)
        except BadSettings as error:
            raise BadPosition(f"not a {self.name} view: {error}") from error
        return played(start, actions)

    def parse(self, text: str, settings: Mapping[str, Any] | None = None) -> OpenSpielState:
        seats, colon, numbers = text.rpartition(": ")
        words = [] if numbers == "start" else numbers.split(" ")
        if not all(
            word.isascii() and word.isdigit() and len(word) <= 10 for word in [*words, *([seats] if colon else [])]
        ):
            raise BadPosition(f"{shown(text)} is not action numbers with a space between, or start")
        start = self.initial_for(int(seats) if colon else self.seats, settings)
        return played(start, [int(word) for word in words])

    def diagram(self, view: Mapping[str, Any]) -> str:
        """Return the board of a view. A spectator of a hidden game gets only the number of plies."""
        return view.get("board") or f"ply {view.get('ply', 0)}"


class OpenSpiel(GameFamily):
    """The family of the games of OpenSpiel."""

    title = "OpenSpiel"
    example = "go"

    def names(self) -> Sequence[str]:
        return sorted(catalogue.kinds())

    def game(self, name: str) -> OpenSpielGame:
        return openspiel_game(name)


FAMILY = OpenSpiel()
"""The family object to which the entry point refers."""


@cache
def openspiel_game(name: str) -> OpenSpielGame:
    """Return the game with a full name such as `openspiel:go`. Raises UnknownGame."""
    if name not in FAMILY.names():
        raise UnknownGame(f"unknown game {name!r}; of OpenSpiel there are: {', '.join(FAMILY.names())}")
    kind = catalogue.kinds()[name]
    seats, least_seats, most_seats = catalogue.seats_of(kind)
    parts: dict[str, Any] = {
        "name": name,
        "title": f"{kind.long_name} (OpenSpiel)",
        "settings": catalogue.settings_of(kind),
        "seats": seats,
        "least_seats": least_seats,
        "most_seats": most_seats,
        "seat_marks": ORDINALS[:most_seats],
        "in_turn": catalogue.is_in_turn(kind),
        "hides": catalogue.hides(kind),
        "views_grow": not catalogue.hides(kind),
        "pays": not catalogue.is_plain(kind),
        "cooperative": catalogue.is_cooperative(kind),
    }
    if name in BLACK_FIRST:
        parts["seat_names"] = ("Black", "White")
    game: OpenSpielGame = type("NamedGame", (OpenSpielGame,), parts)()
    return game
