"""Computes the tables of the perfect bot.

python -m rumble_bots.reference.tables              # writes the tables of the package again
python -m rumble_bots.reference.tables FOLDER       # writes the tables into FOLDER
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from rumble_engine import Game, State, get_game

from rumble_bots.reference import make_reference_bot
from rumble_bots.reference.perfect import TABLES, VALUES


def table_text(game: Game) -> str:
    """Return the table of `game` as JSON, with a line for each position.

    The positions are sorted, so that each call returns the same text.
    """
    bot = make_reference_bot("streetwise")
    words = {value: word for word, value in VALUES.items()}
    table: dict[str, dict[str, str]] = {word: {} for word in VALUES}
    for state in sorted(_positions(game.initial()), key=lambda state: state.text()):
        choice = bot.choose(state)
        assert choice.score is not None
        table[words[choice.score]][state.text()] = choice.move
    return json.dumps(table, indent=0, separators=(",", ":")) + "\n"


def write_table(path: Path, game: Game) -> None:
    """Write the table of `game` to the file at `path`."""
    path.write_text(table_text(game), encoding="ascii", newline="\n")


def _positions(start: State) -> Iterator[State]:
    """Yield every position that can be reached from `start` and has a legal move."""
    layer = {start}
    while layer:
        yield from (state for state in layer if state.codes())
        layer = {state.after(code) for state in layer for code in state.codes()}


def main(arguments: list[str]) -> None:
    """Write all tables to the given folder, or else to the folder of the package."""
    folder = Path(arguments[0]) if arguments else Path(__file__).parents[1] / "data"
    for game in TABLES.values():
        write_table(folder / f"{game}.json", get_game(game))


if __name__ == "__main__":
    main(sys.argv[1:])
