"""Growth of costs with the work: each kind of growth at three sizes. `python benchmarks/growth.py`

    python benchmarks/growth.py round-robin --sizes 100,300
    python benchmarks/growth.py --plot docs/growth.svg

The output is a table for each kind, with the server's CPU of a turn at full speed, the delay from a move in to its turn
out at 1,000 moves a second, the server's memory, and the duration of a start after the server was killed meanwhile.
"""

import argparse
import gc
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import growth_scenarios as scenarios
import uvloop
from growth_plot import Panel, draw
from growth_scenarios import Row
from load import allow_many_connections
from throughput import spread

ROUNDS = 3
"""Number of comparisons of two sizes by turns."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of growth: the unit of its sizes, and the function to run for each size."""

    unit: str
    run: Callable[[int, float], Awaitable[Row]]
    sizes: tuple[int, ...]
    quick: tuple[int, ...] = (4,)
    in_turn: bool = False
    """True if the cost of a turn is also compared with the first size's in seconds by turns.

    Sizes of a run are minutes apart, and the speed of a machine varies more than the costs do.
    """


KINDS = {
    "round-robin": Kind("bots in a double round-robin", scenarios.round_robin, (30, 100, 300), (4, 8), in_turn=True),
    "swiss": Kind("bots in a Swiss", scenarios.swiss, (100, 300, 1000)),
    "connected": Kind("connected idle bots", scenarios.connected, (500, 1500, 5000)),
    "tournaments": Kind("tournaments at once", scenarios.tournaments, (1, 10, 100), (2,)),
    "visitors": Kind("visitors of a page", scenarios.visitors, (300, 1000, 3000)),
    "matches": Kind("matches in the database", scenarios.matches, (10_000, 100_000, 1_000_000), (60,)),
}


def measure_kind(kind: Kind, sizes: Sequence[int], seconds: float) -> list[Row]:
    """Run a kind of growth at these sizes, and print the measurements."""
    rows = []
    print(f"\n{kind.unit:>30}  turns/s  us/turn  growth   p99 ms  echo's      MB  start s")
    for size in sizes:
        row = uvloop.run(_without_collections(kind.run(size, seconds)))
        rows.append(row)
        print(
            f"{size:30,}  {row.rate:7,.0f}  {row.cpu_us:7.1f}  {row.cpu_us / rows[0].cpu_us:6.2f}"
            f"  {row.p99_ms:7.2f}  {row.echo_ms:6.2f}  {row.memory_mb:6.0f}  {row.start_s:7.2f}",
            flush=True,
        )
    for row in rows:
        for note in row.notes:
            print(f"  {note}", flush=True)
    for size in sizes[1:] if kind.in_turn else ():
        ratios = [uvloop.run(scenarios.growth_in_turn(size, sizes[0], 3 * seconds)) for _ in range(ROUNDS)]
        print(f"  {size}: a turn costs {spread(ratios)} of one of {sizes[0]}, in seconds by turns", flush=True)
    return rows


async def _without_collections(running: Awaitable[Row]) -> Row:
    """Run without garbage collections, which would look like delays of the server."""
    gc.collect()
    gc.disable()
    try:
        return await running
    finally:
        gc.enable()


def panels(kind: Kind, rows: Sequence[Row]) -> list[Panel]:
    """Return a kind's curves, in the order of the plot's rows."""
    sizes = [row.size for row in rows]
    measured = zip(*((row.cpu_us, row.p99_ms, row.memory_mb, row.start_s) for row in rows), strict=True)
    return [Panel(kind.unit, sizes, values) for values in measured]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"One of {', '.join(KINDS)}; default: all.")
    parser.add_argument("--sizes", help="Other sizes, with commas between them.")
    parser.add_argument("--quick", action="store_true", help="Tiny sizes and short measurements, to try it.")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="Write the curves as an SVG.")
    options = parser.parse_args()
    unknown = set(options.kinds) - set(KINDS)
    if unknown:
        parser.error(f"no kind of growth is called {', '.join(sorted(unknown))}; there are: {', '.join(KINDS)}")
    allow_many_connections()
    seconds = 0.5 if options.quick else 5.0
    columns = []
    for name in options.kinds or KINDS:
        kind = KINDS[name]
        sizes = kind.quick if options.quick else kind.sizes
        if options.sizes:
            sizes = tuple(map(int, options.sizes.split(",")))
        columns.append(panels(kind, measure_kind(kind, sizes, seconds)))
    if options.plot is not None:
        measures = ("server CPU a turn, us", "p99 at 1,000 moves/s, ms", "memory, MB", "start after a kill, s")
        options.plot.write_text(draw(columns, measures), encoding="utf-8")


if __name__ == "__main__":
    main()
