"""The terms of a match: a game of OpenSpiel with its seats and settings, and the text of a seat's knowledge."""

from collections.abc import Mapping
from typing import Any

import pyspiel

from rumble_engine.errors import BadSettings
from rumble_engine.game import SettingValue
from rumble_engine.games.openspiel import catalogue
from rumble_engine.texts import shown

LASTING = {
    *("clobber", "connect_four", "dots_and_boxes", "go", "gomoku", "havannah", "hex", "mnk", "othello", "pentago"),
    *("tic_tac_toe", "twixt", "y"),
}
"""Games in which an action of a seat has the same text in every state, so that the texts can be cached."""
INFORMATION = {
    "kuhn_poker": "the observation leaves out the order of the bets",
    "leduc_poker": "the observation leaves out the order of the bets",
    "repeated_leduc_poker": "the observation leaves out the order of the bets",
    "universal_poker": "the observation leaves out the cards on the board and the order of the bets",
}
"""Games whose views are OpenSpiel's information states, each with the reason why observations do not suffice."""
TOLD = {"dark_chess": "the clock at the end tells whether the other seat has captured something or moved a pawn"}
"""Games whose views leave out the last two words of OpenSpiel's observation, each with the reason."""

Key = tuple[str, int, tuple[tuple[str, SettingValue], ...]]
"""The key of the terms: a game's full name, the number of seats, and the values of the settings."""


class Terms:
    """A game of OpenSpiel with seats and settings."""

    def __init__(self, key: Key) -> None:
        """Make the terms. Raises BadSettings if settings cannot be passed to OpenSpiel."""
        self.key = key
        name, self.seats, settings = key
        kind = catalogue.kinds()[name]
        self._name: str = kind.short_name
        self._parameters = catalogue.parameters_of(kind, self.seats, dict(settings))
        self.hides, self.is_joint = catalogue.hides(kind), catalogue.is_joint(kind)
        self.is_plain, self.is_seeded = catalogue.is_plain(kind), catalogue.is_seeded(kind)
        self.usual_seats, least, most = catalogue.seats_of(kind)
        self.fields: Mapping[str, SettingValue] = {**({"seats": self.seats} if least < most else {}), **dict(settings)}
        """The part of every view that does not change during a match."""
        observes = kind.provides_observation_string and self._name not in INFORMATION
        self._reveals = "observation_string" if observes else "information_state_string"
        self.names: tuple[dict[int, str], ...] | None = ({}, {}) if self._name in LASTING else None
        """Cached texts of actions, by seat and action; None in a game whose texts of actions depend on the state."""

    def __str__(self) -> str:
        given = ",".join(f"{name}={value}" for name, value in self._parameters.items())
        return shown(f"{self._name}({given})")

    def first(self, seed: int | None = None) -> Any:
        """Return OpenSpiel's first state. Raises BadSettings.

        If `seed` is given, OpenSpiel draws the first outcome of chance from `seed`. The returned state is the state
        after the draw.
        """
        seeded = {} if seed is None else {"rng_seed": seed}
        try:
            game = pyspiel.load_game(self._name, {**self._parameters, **seeded})
            state = game.new_initial_state()
        except Exception as error:
            raise BadSettings(f"OpenSpiel does not play {self}") from error
        if game.num_players() != self.seats:
            raise BadSettings(f"OpenSpiel plays {self} with {game.num_players()} seats, not {self.seats}")
        if seed is not None:
            state.apply_action(state.legal_actions()[0])
        return state

    def board(self, state: Any, seat: int) -> str:
        """Return OpenSpiel's text of what `seat` knows."""
        text: str = getattr(state, self._reveals)(seat)
        return text.rsplit(" ", 2)[0] if self._name in TOLD else text
