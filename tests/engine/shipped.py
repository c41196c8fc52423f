"""The games that come with Rumble."""

from rumble_engine import Game, game_names, get_game

PLAIN: list[Game] = [
    get_game(name)
    for name in ("tictactoe", "connect4", "gomoku", "othello", "breakthrough", "hex", "checkers", "minichess", "chess")
]
"""The games whose matches of two seats are plain."""
GAMES: list[Game] = [*PLAIN, *map(get_game, ("dilemma", "snakes", "backgammon", "liars-dice"))]
EXTRA: list[Game] = [get_game(name) for name in ("poker",) if name in game_names()]
"""The games that come with an extra, if the extra is installed."""
