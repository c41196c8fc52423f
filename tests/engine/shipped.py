"""The games that come with Rumble."""

from rumble_engine import Game, get_game

PLAIN: list[Game] = [
    get_game(name)
    for name in (
        "tictactoe",
        "connect4",
        "gomoku",
        "othello",
        "breakthrough",
        "hex",
        "checkers",
        "minichess",
        "chess",
    )
]
"""The games whose matches of two seats are plain."""
GAMES: list[Game] = [*PLAIN, *map(get_game, ("dilemma", "snakes", "backgammon"))]
