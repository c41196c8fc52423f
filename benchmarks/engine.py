"""How fast the rules are: plies per second on one core, replaying random games of each kind.

python benchmarks/engine.py

`search` makes each move by its code and asks for the outcome and the codes, as a search does. `referee` reads each
move from its text and asks for all that a turn message holds: outcome, seat to move, view, legal moves.
"""

import time
from collections.abc import Callable
from random import Random
from typing import Any

from rumble_engine import State, get_game

SECONDS = 0.5
GAMES_PLAYED = 200
KINDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tictactoe", {}),
    ("connect4", {}),
    ("connect4", {"columns": 5, "rows": 5}),
)


def search(state: State, codes: list[int], moves: list[str]) -> object:
    seen: object = None
    for code in codes:
        state = state.after(code)
        seen = state.outcome, state.codes()
    return seen


def referee(state: State, codes: list[int], moves: list[str]) -> object:
    seen: object = None
    for move in moves:
        state = state.play(move)
        seen = state.outcome, state.to_move, state.view(), state.legal_moves
    return seen


def random_games(start: State) -> list[tuple[list[int], list[str]]]:
    """The moves of some random games, as codes and as texts."""
    random, games = Random(0), []
    for _ in range(GAMES_PLAYED):
        state, codes, moves = start, [], []
        while legal := state.codes():
            code = random.choice(legal)
            codes.append(code)
            moves.append(state.text_of(code))
            state = state.after(code)
        games.append((codes, moves))
    return games


def plies_per_second(run: Callable[[State, list[int], list[str]], object], start: State) -> float:
    games = random_games(start)
    plies, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < SECONDS:
        for codes, moves in games:
            run(start, codes, moves)
            plies += len(codes)
    return plies / passed


def main() -> None:
    print(f"{'game':<24}{'use':<10}{'plies/s':>12}{'us/ply':>9}")
    for name, settings in KINDS:
        start = get_game(name).initial(settings)
        title = " ".join([name, "x".join(str(value) for value in settings.values())])
        for run in (search, referee):
            speed = plies_per_second(run, start)
            print(f"{title:<24}{run.__name__:<10}{speed:>12,.0f}{1e6 / speed:>9.2f}")


if __name__ == "__main__":
    main()
