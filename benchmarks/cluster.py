"""CPU of a move in each process of two nodes on PostgreSQL, and the load of N cores. `python benchmarks/cluster.py`

The bots play on the leading node, and by turns of a second all on the other node, which does nothing else. CPU of a
node is the CPU of its process tree, divided by the turns played. The benchmark starts a PostgreSQL cluster of its own
(with fsync), uses loopback only, and ends by itself.

The load of N cores is computed from the costs of moves that cross a link: all clubs together have all cores, and a
club has its leader's core.
"""

import argparse
import asyncio
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path

import uvloop
from load import Tally
from servers import RUMBLE, TOKEN, Running, announced_port, cpu_s, process, tree
from throughput import SETTLE_S, SLICE_S, WARM_S, Load, play

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.e2e.processes import free_port
from tests.postgres.cluster import Cluster, cluster

CORES = (2, 4, 8, 16)
LED_S = 30
"""Maximum time in s until a node leads."""


@contextmanager
def node(database: str) -> Iterator[Running]:
    """Run a node, and wait until it listens."""
    port = str(free_port())
    address = ("--port", port, "--node-address", f"http://127.0.0.1:{port}")
    with process(*RUMBLE, "serve", *address, "--house", "none", "--host-token", TOKEN, "--db", database) as started:
        yield Running(started, announced_port(started))


async def led(by: Running) -> None:
    """Wait until a node leads main."""
    async with asyncio.timeout(LED_S), by.api() as host:
        while (await host.get("/readyz")).json()["leads"] != ["main"]:  # noqa: ASYNC110  # it tells nobody
            await asyncio.sleep(0.05)


Costs = list[tuple[float, ...]]
"""Turns a second, and the CPU a turn of leader, edge and PostgreSQL in us, of each slice."""


async def measure(load: Load, database: Cluster) -> tuple[Costs, Costs]:
    """Measure bots on the leading node, and bots on the other node, by turns. Raises RuntimeError at a fault."""
    slices, measured = max(1, round(load.seconds / SLICE_S)), (Costs(), Costs())
    with node(url := database.database()) as leader:
        await led(leader)
        with node(url) as edge:
            tallies = Tally(), Tally()
            for tally, on in zip(tallies, (leader, edge), strict=True):
                await play(on, load, tally, names=f"bot{on.port}-")
                await asyncio.sleep(min(WARM_S, load.seconds))
                tally.pause()
            for number in range(slices):
                for each in (0, 1) if number % 2 else (1, 0):
                    await asyncio.sleep(SETTLE_S)
                    used = partial(cpu_of, leader, edge, database)
                    measured[each].append(await one_slice(tallies[each], used, load.seconds / slices))
    return measured


async def one_slice(tally: Tally, used: Callable[[], list[float]], seconds: float) -> tuple[float, ...]:
    """Have bots play for a while, and return its costs, as in `Costs`."""
    turns, began_s, before = tally.turns, time.perf_counter(), used()
    tally.go_on()
    await asyncio.sleep(seconds)
    tally.pause()
    turns, took_s = tally.turns - turns, time.perf_counter() - began_s
    if tally.fault or not turns:
        raise RuntimeError(tally.fault or "no turn was played")
    return turns / took_s, *[(now - old) / turns * 1e6 for now, old in zip(used(), before, strict=True)]


def cpu_of(leader: Running, edge: Running, database: Cluster) -> list[float]:
    """Return the CPU time used so far by leader, edge and database, with their child processes, in s."""
    assert database.process is not None
    return [leader.cpu_s(), edge.cpu_s(), sum(map(cpu_s, tree(database.process.pid)))]


async def main(load: Load, rounds: int) -> None:
    os.environ["RUMBLE_CLUSTER_SECRET"] = "a-secret-of-the-benchmark"
    with cluster(fsync=True) as database:
        measured = [await measure(load, database) for _ in range(rounds)]
    for name, of_rounds in zip(("leader", "edge"), zip(*measured, strict=True), strict=True):
        rate, *costs = (statistics.median(column) for column in zip(*chain(*of_rounds), strict=True))
        told = "  ".join(f"{who} {us:5.1f} us" for who, us in zip(("leader", "edge", "postgres"), costs, strict=True))
        print(f"{load.game:10} bots on the {name:6}  {rate:8,.0f} turns/s  CPU a turn: {told}")
    carried = ", ".join(f"{cores * 1e6 / sum(costs):,.0f} on {cores}" for cores in CORES)
    print(f"{load.game:10} moves a second of all clubs by cores: {carried}; of one: {1e6 / costs[0]:,.0f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", default="connect4,tictactoe", help="Names, with commas between them.")
    parser.add_argument("--bots", type=int, default=40)
    parser.add_argument("--matches", type=int, default=4, help="How many matches a bot plays at once.")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for game in options.games.split(","):
        uvloop.run(main(Load(game, options.bots, options.matches, options.seconds), options.rounds))
