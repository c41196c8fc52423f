"""Computes the table of the perfect bot for tic-tac-toe.

python -m rumble_bots.reference.tables > bots/rumble_bots/data/tictactoe.json
"""

import json
import sys
from collections.abc import Iterator

from rumble_engine import Game, State, get_game

from rumble_bots.reference import make_reference_bot
from rumble_bots.reference.perfect import VALUES


def table_text(game: Game) -> str:
    """Return the table of `game` as JSON, with a line for each position.

    The positions are sorted, so that each call returns the same text.
    """
    bot = make_reference_bot("streetwise")
    words = {value: word for word, value in VALUES.items()}
    table: dict[str, dict[str, str]] = {word: {} for word in VALUES}
    for state in sorted(positions(game.initial()), key=lambda state: state.text()):
        choice = bot.choose(state)
        assert choice.score is not None
        table[words[choice.score]][state.text()] = choice.move
    return json.dumps(table, indent=0, separators=(",", ":")) + "\n"


def positions(start: State) -> Iterator[State]:
    """Yield every position that can be reached from `start` and has a legal move."""
    layer = {start}
    while layer:
        yield from (state for state in layer if state.codes())
        layer = {state.after(code) for state in layer for code in state.codes()}


if __name__ == "__main__":
    sys.stdout.write(table_text(get_game("tictactoe")))
