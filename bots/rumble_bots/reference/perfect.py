"""`perfect`: always plays a move of the highest value, because it knows the values of all positions.

In tic-tac-toe the bot looks up the best move in a table of the package, which `rumble_bots.reference.tables` makes.
The table has the moves of the streetwise bot: moves of the highest value, and among these the hardest to answer. The
table is a JSON object with the fields `won`, `drawn` and `lost`. Each field is an object: the keys are the texts of
positions, and the values are the best moves. The field `won` has the positions that are won for the mover.

In games that a search solves in about a second (see `is_solvable`), the bot searches.
"""

import json
from functools import cache
from importlib.resources import files
from random import Random

from rumble_engine import State
from rumble_engine.games.connect4 import Connect4State
from rumble_engine.games.minichess import MinichessState
from rumble_engine.games.tictactoe import TicTacToeState

from rumble_bots.reference.reference_bot import Choice, ReferenceBot
from rumble_bots.search import Search, Strong, solve

TABLES: dict[type[State], str] = {TicTacToeState: "tictactoe"}
"""The games with a table of best moves, by the class of their states."""
VALUES = {"won": 1.0, "drawn": 0.0, "lost": -1.0}
"""The values of positions for the mover, keyed by the field of the table that holds the positions."""
CELLS = 16
"""Maximum number of cells of a connect four board that is searched to the end. 16 cells take about a second."""
PLAYS = f"Tic-tac-toe, Connect four on at most {CELLS} cells, Minichess where an arrived pawn wins"


@cache
def read_table(game: str) -> dict[str, Choice]:
    """Read the package's table of `game`. Return the best move of each position, by the position's text."""
    data = json.loads(files("rumble_bots").joinpath("data", f"{game}.json").read_text("ascii"))
    return {text: Choice(move, value, nodes=0) for word, value in VALUES.items() for text, move in data[word].items()}


def is_solvable(state: State) -> bool:
    """Return true if a search solves every position of the game in about a second, with the settings of `state`."""
    match state:
        case Connect4State():
            return state.grid.columns * state.grid.rows <= CELLS
        case MinichessState():
            return state.rules.promotion == "win"
    return False


class Perfect(ReferenceBot):
    """A bot that always plays a move of the highest value. The values are known for certain."""

    about = "Knows the value of every position: it never loses where a draw can be had."
    games = tuple(TABLES.values())

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.searches: dict[type[State], Search] = {}

    @classmethod
    def obstacle(cls, state: State) -> str:
        return "" if type(state) in TABLES or is_solvable(state) else f"perfect plays only {PLAYS}"

    def pick(self, state: State, seat: int, budget_ms: int | None) -> Choice:
        """Return the best move and the value of the move, from a table or from a search to the end of the game."""
        kind = type(state)
        if kind in TABLES:
            return read_table(TABLES[kind])[state.text()]
        found, tally = solve(self.searches.setdefault(kind, Strong()).best, state)
        return Choice(state.text_of(found.code), found.value, tally.nodes)
