"""What a move costs each process of two nodes on PostgreSQL. `python benchmarks/cluster.py`

The bots are on the node that leads, and then all on the other one, whose only work they are. CPU of a node is that of
its process tree, by the turns that were played. It starts a PostgreSQL cluster of its own (without fsync), uses
loopback only, and ends by itself.
"""

import argparse
import asyncio
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvloop
from load import Tally
from servers import RUMBLE, TOKEN, Running, announced_port, cpu_s, process, tree
from throughput import WARM_S, Load, play

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.e2e.processes import free_port
from tests.postgres.cluster import Cluster, cluster

LED_S = 30
"""How long a node may take until it leads, in s."""


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


async def measure(load: Load, database: Cluster, *, on_edge: bool) -> tuple[float, ...]:
    """Return turns a second, and the CPU a turn of leader, edge and PostgreSQL in us."""
    with node(url := database.database()) as leader:
        await led(leader)
        with node(url) as edge:
            tally = Tally()
            await play(edge if on_edge else leader, load, tally)
            await asyncio.sleep(WARM_S)
            assert database.process is not None
            server = database.process.pid
            used: tuple[Callable[[], float], ...] = (
                leader.cpu_s,
                edge.cpu_s,
                lambda: sum(cpu_s(pid) for pid in tree(server)),
            )
            turns, began_s, before = tally.turns, time.perf_counter(), [each() for each in used]
            await asyncio.sleep(load.seconds)
            turns, took_s = tally.turns - turns, time.perf_counter() - began_s
            if tally.fault or not turns:
                raise RuntimeError(tally.fault or "no turn was played")
            return turns / took_s, *[(each() - old) / turns * 1e6 for each, old in zip(used, before, strict=True)]


async def main(load: Load, rounds: int) -> None:
    os.environ["RUMBLE_CLUSTER_SECRET"] = "a-secret-of-the-benchmark"
    with cluster() as database:
        for name, on_edge in (("leader", False), ("edge", True)):
            rows = [await measure(load, database, on_edge=on_edge) for _ in range(rounds)]
            rate, *costs = (statistics.median(column) for column in zip(*rows, strict=True))
            told = "  ".join(
                f"{who} {us:5.1f} us" for who, us in zip(("leader", "edge", "postgres"), costs, strict=True)
            )
            print(f"{load.game:10} bots on the {name:6}  {rate:8,.0f} turns/s  CPU a turn: {told}", flush=True)


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
