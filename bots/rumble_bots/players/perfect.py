"""`perfect`: looks the best move of every position up in a table that was worked out beforehand.

The tables come with the package; `rumble_bots.tables` writes them. Their moves are the streetwise bot's: of the
highest value, and among those the hardest to answer.

A table is JSON: `won`, `drawn` and `lost`, each a map from the text of a position with that value for the mover
to the best move there.
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from rumble_engine import State
from rumble_engine.games.tictactoe import TicTacToeState

from rumble_bots.players.errors import NoTable
from rumble_bots.players.player import Choice, Player

TABLES: dict[type[State], str] = {TicTacToeState: "tictactoe"}
"""The games that have a table, by the type of their states."""

VALUES = {"won": 1.0, "drawn": 0.0, "lost": -1.0}
"""What the words in a table are worth to the mover."""


@cache
def read_table(game: str) -> dict[str, Choice]:
    """The best move by the position's text, from the table of `game` that comes with the package."""
    data = json.loads(files("rumble_bots").joinpath("data", f"{game}.json").read_text("ascii"))
    return {text: Choice(move, value, nodes=0) for word, value in VALUES.items() for text, move in data[word].items()}


class Perfect(Player):
    """Never searches, and never loses where a draw can be had."""

    @classmethod
    def can_play(cls, state: State) -> bool:
        """Whether there is a table for the game."""
        return type(state) in TABLES

    def pick(self, state: State, codes: Sequence[int], budget_ms: int | None) -> Choice:
        """The move in the table, with its value. Raises NoTable."""
        game = TABLES.get(type(state))
        if game is None:
            raise NoTable(f"perfect plays only what it has a table for: {', '.join(TABLES.values())}")
        return read_table(game)[state.text()]
