"""Savings by memory, pruning and order: nodes and time of each search.

python benchmarks/minimax.py                  # tic-tac-toe to the end; connect four 7x6 at equal depth
python benchmarks/minimax.py --depth 8        # deeper; searches that prune nothing are run to depth 6 only
python benchmarks/minimax.py --solve 5x4      # a board solved exactly: 4x4, 4x5, 5x4 take seconds, 5x5 minutes
python benchmarks/minimax.py --first 30       # the best first move on 7x6 after so many seconds, depth by depth

A node is a position whose value was worked out, the root included. Each search starts with an empty table; the time
is the processor's, on tic-tac-toe the least of a few runs. `strong` looks deeper and deeper, as it does in play, and
all its nodes count.
"""

import argparse
import time
from collections import Counter

from rumble_bots.search import END, SEARCHES, Found, OutOfTime, Search, Strong, Tally
from rumble_engine import State, get_game

RUNS = 3
PLAIN = 6
"""Depth in connect four for the searches that prune nothing."""
TABLE = 4_000_000
"""Positions remembered by a long search: some 1.5 GB."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depth", type=int, default=7)
    parser.add_argument("--solve", metavar="COLUMNSxROWS", action="append", default=[])
    parser.add_argument("--first", metavar="SECONDS", type=float)
    options = parser.parse_args()
    if not options.solve and options.first is None:
        compare(get_game("tictactoe").initial(), END, 549_946, RUNS)
        start = get_game("connect4").initial()
        compare(start, options.depth, tree_nodes(start, options.depth), 1)
    for shape in options.solve:
        solve(*map(int, shape.split("x")))
    if options.first is not None:
        first_move(options.first)


def compare(start: State, depth: float, whole: int, runs: int) -> None:
    """Compare all searches on a position; plain minimax's nodes are known beforehand, its time only if it is run."""
    print(f"{type(start).__name__}, {'to the end' if depth == END else f'depth {depth}'}: {whole:,} nodes in the tree")
    print(f"{'search':<18}{'nodes':>12}{'ms':>12}{'x fewer':>10}   value")
    for name, kind in SEARCHES.items():
        if not kind.prunes and PLAIN < depth < END:
            print(f"{name:<18}{'(not run)':>12}")
            continue
        times = []
        for _ in range(runs):
            began = time.process_time()
            found, nodes = look(kind(), start, depth)
            times.append(time.process_time() - began)
        print(f"{name:<18}{nodes:>12,}{min(times) * 1000:>12.2f}{whole / nodes:>10.1f}   {found.value:g}")
    print()


def look(search: Search, start: State, depth: float) -> tuple[Found, int]:
    """Search to a depth, and through every smaller depth first if the search's order of moves comes from them."""
    tally = Tally()
    if isinstance(search, Strong) and depth < END:
        for shallow in range(1, int(depth)):
            search.best(start, shallow, tally)
    return search.best(start, depth, tally), tally.nodes


def tree_nodes(start: State, depth: int) -> int:
    """Return the number of nodes that plain minimax visits, by counting equal positions of a ply together."""
    layer, nodes = Counter([start]), 1
    for _ in range(depth):
        later: Counter[State] = Counter()
        for state, count in layer.items():
            for code in state.codes():
                later[state.after(code)] += count
        layer, nodes = later, nodes + later.total()
    return nodes


def solve(columns: int, rows: int) -> None:
    """The exact value of an empty board."""
    start, tally, began = get_game("connect4").initial({"columns": columns, "rows": rows}), Tally(), time.process_time()
    found = Strong(TABLE).best(start, END, tally)
    seconds = time.process_time() - began
    print(f"{columns}x{rows}: value {found.value:g}, first move {start.text_of(found.code)}, ", end="")
    print(f"{tally.nodes:,} nodes, {seconds:.1f} s, {tally.nodes / seconds:,.0f} nodes/s", flush=True)


def first_move(seconds: float) -> None:
    """Deeper and deeper on the empty board of 7x6 until the time is over."""
    start, search = get_game("connect4").initial(), Strong(TABLE)
    tally = Tally(seconds * 1000, time.process_time)
    began, depth = time.process_time(), 1
    try:
        while True:
            found = search.best(start, depth, tally)
            spent = time.process_time() - began
            move = f"{start.text_of(found.code)} {found.value:+.3f}"
            print(f"depth {depth:>2}: {move} {tally.nodes:>12,} nodes {spent:7.1f} s", flush=True)
            depth += 1
    except OutOfTime:
        print(f"depth {depth:>2}: not finished, {tally.nodes:,} nodes, {time.process_time() - began:.1f} s")


if __name__ == "__main__":
    main()
