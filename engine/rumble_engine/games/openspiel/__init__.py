"""Games of OpenSpiel (https://github.com/google-deepmind/open_spiel, Apache licence 2.0) as games of Rumble.

The games come with the extra `openspiel` (`pip install '.[openspiel]'`). The name of a game is `openspiel:` followed by
OpenSpiel's name: `openspiel:go`. The game's parameters are settings with the same names: `{"board_size": 9}`.
Parameters with a fraction, like the komi of go, are texts here: `"7.5"`. If the value of a parameter is the default,
Rumble does not pass on the parameter. OpenSpiel may then compute the value from other parameters (for example, the
number of columns in hex, or the maximum length of a match in go). The family has every game of OpenSpiel for two or
more seats, if the game needs no further files or games, and is not in `catalogue.EXCLUDED`.

Moves: in OpenSpiel's notation. If seats move at the same time, each move has `_` in place of each space.

View of an open game: `{"board": "...", "actions": [40, 41], "to_move": 0, ...settings}`. `board` is the board as
OpenSpiel draws it, with line breaks. `actions` has OpenSpiel's action numbers of the past plies, which determine the
state. In a game of joint moves, `movers` takes the place of `to_move`. A game that allows several numbers of seats also
has `seats`.

View of a seat in a hidden game: `{"seat": 0, "board": "...", "to_move": 0, "ply": 7, ...settings}`. `board` is
OpenSpiel's text of the seat's knowledge. Spectators see neither `seat` nor `board`.

The position's text is the action numbers with spaces between, or `start` before the first ply. States after different
moves are different, even if the positions are equal.

If OpenSpiel draws random numbers inside a game, the first ply is a ply of chance. The text of this ply is the seed
of the random numbers. Other outcomes of chance are plies of chance, with OpenSpiel's probabilities.
"""

from rumble_engine.errors import MissingExtra

try:
    import pyspiel  # noqa: F401  # the rest of this package needs the library
except ModuleNotFoundError as error:
    raise MissingExtra("openspiel games need an extra; in a checkout of Rumble: pip install '.[openspiel]'") from error

from rumble_engine.games.openspiel.game import FAMILY, openspiel_game

__all__ = ["FAMILY", "openspiel_game"]
