"""What a cache and pruning save: nodes and time of each search on the empty tic-tac-toe board.

python benchmarks/minimax.py

A node is a position whose value was worked out, the root included. Each search starts with an empty table; the
time is the least of a few runs.
"""

import time

from rumble_bots.search import END, SEARCHES, Tally
from rumble_engine import get_game

RUNS = 3


def main() -> None:
    start = get_game("tictactoe").initial()
    print(f"{'search':<18}{'nodes':>10}{'ms':>10}{'x fewer':>10}{'x faster':>10}   value")
    base: tuple[int, float] | None = None
    for name, search in SEARCHES.items():
        times = []
        for _ in range(RUNS):
            tally, began = Tally(), time.perf_counter()
            found = search().best(start, END, tally)
            times.append(time.perf_counter() - began)
        nodes, seconds = tally.nodes, min(times)
        base = base or (nodes, seconds)
        ratios = f"{base[0] / nodes:>10.1f}{base[1] / seconds:>10.1f}"
        print(f"{name:<18}{nodes:>10,}{seconds * 1000:>10.2f}{ratios}   {found.value:g}")


if __name__ == "__main__":
    main()
