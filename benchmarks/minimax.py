"""Nodes and time of long searches of connect four.

python benchmarks/minimax.py                        # boards solved exactly: 4x4 and 4x5, which take seconds
python benchmarks/minimax.py --solve 5x4 --solve 5x5   # others; 5x5 takes minutes
python benchmarks/minimax.py --first 30             # the best first move on 7x6 after so many seconds, depth by depth

A node is a position whose value was worked out, the root included. Each search starts with an empty table; the time is
the processor's. `rumble ask minimax --search NAME` tells the nodes of each search on the empty tic-tac-toe board.
"""

import time

from options import options_of
from rumble_bots.search import END, OutOfTime, Strong, Tally
from rumble_engine import get_game

REMEMBERED = 4_000_000
"""Positions remembered by a long search: some 1.5 GB."""


def main() -> None:
    parser = options_of(__doc__, first=float)
    parser.add_argument("--solve", metavar="COLUMNSxROWS", action="append", default=[])
    options = parser.parse_args()
    if options.first is not None:
        first_move(options.first)
    for shape in options.solve or ([] if options.first else ["4x4", "4x5"]):
        solve(*map(int, shape.split("x")))


def solve(columns: int, rows: int) -> None:
    """The exact value of an empty board."""
    start, tally, began = get_game("connect4").initial({"columns": columns, "rows": rows}), Tally(), time.process_time()
    found = Strong(REMEMBERED).best(start, END, tally)
    seconds = time.process_time() - began
    print(f"{columns}x{rows}: value {found.value:g}, first move {start.text_of(found.code)}, ", end="")
    print(f"{tally.nodes:,} nodes, {seconds:.1f} s, {tally.nodes / seconds:,.0f} nodes/s", flush=True)


def first_move(seconds: float) -> None:
    """Deeper and deeper on the empty board of 7x6 until the time is over."""
    start, search = get_game("connect4").initial(), Strong(REMEMBERED)
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
