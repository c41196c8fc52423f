"""Costs of the rules on one core, replaying random matches of every game.

python benchmarks/engine.py [GAME ...]

`search`: each move made by its code, then outcome and codes, as a search does; plies a second. `referee`: each move
read from its text and made, then all fields of a turn message: outcome, seat to move, view, legal moves; microseconds
a ply: the median, one in a hundred, and the worst. `estimate`: microseconds for one.

`openspiel:tic_tac_toe` is also played at random from the list of legal moves, by our adapter and by OpenSpiel itself.
"""

import sys
import time
from collections.abc import Callable, Sequence
from random import Random
from statistics import median
from typing import Any

from rumble_engine import MissingExtra, State, get_game

SECONDS = 0.5
MATCHES = 60
ROUNDS = 5
PLAYOUTS = 2000
PLAIN = "openspiel:tic_tac_toe"
KINDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tictactoe", {}),
    ("connect4", {}),
    ("connect4", {"columns": 5, "rows": 5}),
    ("gomoku", {}),
    ("othello", {}),
    ("breakthrough", {}),
    ("hex", {}),
    ("checkers", {}),
    ("minichess", {}),
    ("chess", {}),
    ("openspiel:go", {"board_size": 9}),
    ("openspiel:amazons", {}),
    (PLAIN, {}),
)

Match = tuple[list[int], list[str]]


def random_matches(start: State) -> list[Match]:
    """The moves of some random matches, as codes and as texts."""
    random, matches = Random(0), []
    for _ in range(MATCHES):
        state, codes, moves = start, [], []
        while legal := state.codes():
            code = random.choice(legal)
            codes.append(code)
            moves.append(state.text_of(code))
            state = state.after(code)
        matches.append((codes, moves))
    return matches


def search(start: State, matches: list[Match]) -> float:
    """Plies a second."""
    plies, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < SECONDS:
        for codes, _ in matches:
            state = start
            for code in codes:
                state = state.after(code)
                _ = state.outcome, state.codes()
            plies += len(codes)
            if time.perf_counter() - began > SECONDS:
                break
    return plies / passed


def referee(start: State, matches: list[Match]) -> list[float]:
    """Return the microseconds of each ply, in rising order; each is a median, against disturbances."""
    rounds: list[list[float]] = []
    for _ in range(ROUNDS):
        costs = []
        for _, moves in matches:
            state = start
            for move in moves:
                asked = time.perf_counter()
                state = state.play(move)
                _ = state.outcome, state.to_move, state.view(), state.legal_moves
                costs.append(1e6 * (time.perf_counter() - asked))
        rounds.append(costs)
    return sorted(median(costs) for costs in zip(*rounds, strict=True))


def estimate(start: State, matches: list[Match]) -> float:
    """Return the microseconds of an estimate, the mean over a match."""
    states = [start]
    for code in matches[0][0]:
        states.append(states[-1].after(code))
    began = time.perf_counter()
    for state in states:
        state.estimate()
    return 1e6 * (time.perf_counter() - began) / len(states)


def beside_openspiel() -> None:
    """Print random matches a second of CPU, from the list of legal moves: by OpenSpiel itself, and by our adapter."""
    import pyspiel

    bare, adapted = pyspiel.load_game(PLAIN.partition(":")[2]), get_game(PLAIN)

    def play_bare(random: Random) -> None:
        state = bare.new_initial_state()
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))

    def play_adapted(random: Random) -> None:
        state = adapted.initial()
        while state.outcome is None:
            state = state.play(random.choice(state.legal_moves))

    paces = [(pace(play_bare, seed), pace(play_adapted, seed)) for seed in range(ROUNDS)]
    times = median(theirs / ours for theirs, ours in paces)
    theirs, ours = (median(each) for each in zip(*paces, strict=True))
    print(f"{PLAIN}: {theirs:,.0f} matches a CPU second by OpenSpiel itself, {ours:,.0f} by the adapter: {times:.1f}")


def pace(play: Callable[[Random], None], seed: int) -> float:
    """Matches a second of CPU."""
    random, began = Random(seed), time.process_time()
    for _ in range(PLAYOUTS):
        play(random)
    return PLAYOUTS / (time.process_time() - began)


def main(wanted: Sequence[str]) -> None:
    print(f"{'':<24}{'search':>12}{'referee, us a ply':>28}{'estimate':>11}")
    print(f"{'game':<24}{'plies/s':>12}{'median':>10}{'1 in 100':>9}{'worst':>9}{'us':>11}")
    for name, settings in KINDS:
        if wanted and name not in wanted:
            continue
        title = " ".join([name, "x".join(str(value) for value in settings.values())])
        try:
            start = get_game(name).initial(settings)
        except MissingExtra as error:
            print(f"{title:<24}{error}")
            continue
        matches = random_matches(start)
        speed, costs, guess = search(start, matches), referee(start, matches), estimate(start, matches)
        middle, rare, worst = median(costs), costs[len(costs) * 99 // 100], costs[-1]
        print(f"{title:<24}{speed:>12,.0f}{middle:>10.1f}{rare:>9.1f}{worst:>9.0f}{guess:>11.1f}")
        if name == PLAIN:
            beside_openspiel()


if __name__ == "__main__":
    main(sys.argv[1:])
