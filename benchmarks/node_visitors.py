"""Costs of visitors at a node for the leading node. `python benchmarks/node_visitors.py`

The bots are on the leader, all visitors on the second node, which does nothing else. CPU is divided by the turns
played. The benchmark starts a PostgreSQL cluster of its own (without fsync), uses loopback only, and ends by itself.
"""

import argparse
import asyncio
import os
import statistics
import time

import uvloop
from cluster import led, node
from load import Tally
from throughput import WARM_S, Load, play
from visitors import come

from tests.postgres.cluster import cluster  # found by way of `cluster`, which looks there


async def measure(load: Load, database: str, visitors: int) -> tuple[float, ...]:
    """Return turns a second, and the CPU of leader and edge: a turn in us, and in percent of a core."""
    with node(database) as leader:
        await led(leader)
        with node(database) as edge:
            tally = Tally()
            tournament = await play(leader, load, tally)
            crowd = await asyncio.to_thread(come, edge, tournament, visitors) if visitors else None
            try:
                await asyncio.sleep(WARM_S)
                turns, began_s, before = tally.turns, time.perf_counter(), (leader.cpu_s(), edge.cpu_s())
                await asyncio.sleep(load.seconds)
                turns, took_s = tally.turns - turns, time.perf_counter() - began_s
                used = [each.cpu_s() - old for each, old in zip((leader, edge), before, strict=True)]
            finally:
                if crowd is not None:
                    crowd.kill()
                    crowd.communicate()
            if tally.fault or not turns:
                raise RuntimeError(tally.fault or "no turn was played")
            return turns / took_s, *(each / turns * 1e6 for each in used), *(each / took_s * 100 for each in used)


async def main(load: Load, rounds: int, crowds: list[int]) -> None:
    os.environ["RUMBLE_CLUSTER_SECRET"] = "a-secret-of-the-benchmark"
    with cluster() as database:
        for visitors in crowds:
            rows = [await measure(load, database.database(), visitors) for _ in range(rounds)]
            rate, leader_us, edge_us, leader, edge = (statistics.median(column) for column in zip(*rows, strict=True))
            print(
                f"{visitors:4} visitors  {rate:8,.0f} turns/s  CPU a turn: leader {leader_us:6.1f} us  edge"
                f" {edge_us:6.1f} us  of a core: leader {leader:3.0f}%  edge {edge:3.0f}%",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="connect4")
    parser.add_argument("--bots", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--visitors", type=int, nargs="+", default=[0, 1, 100, 500])
    options = parser.parse_args()
    uvloop.run(main(Load(options.game, options.bots, 2, options.seconds), options.rounds, options.visitors))
