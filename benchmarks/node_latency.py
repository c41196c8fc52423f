"""Time that a link between nodes adds to a move. `python benchmarks/node_latency.py`

Of two nodes on PostgreSQL the first leads. The same load plays there and on the other node by turns, so that both have
the same machine: first bots that answer at once (a closed loop: if it takes all processors a move waits for them, not
for the link), then bots that think for so long that they make a share of the moves that the closed loop made over the
link. Times are from before a bot writes its move until its opponent has read its turn, in ms; the added time is the
difference of the medians, and of the p99.

At the same time there are echoes of plain TCP, directly and by a relay: they show the cost of a further process on the
way on this machine. The benchmark starts a PostgreSQL cluster of its own (with fsync), uses loopback only, and ends by
itself.
"""

import argparse
import asyncio
import os
from collections.abc import Sequence
from time import perf_counter

import uvloop
from cluster import led, node
from load import Stopwatch
from plain_tcp import echo_and_relay, echoes, middle_and_tail
from throughput import SETTLE_S, WARM_S, Load, play, spread

from tests.postgres.cluster import cluster  # found by way of `cluster`, which looks there

GOAL_MS = 5.0
"""Upper bound in ms of the p99 of the added time."""
THOUGHTS = 5
"""After how many thoughts bots that began together no longer move together."""


class Way:
    """The bots of a node, which stand still except for their turns, and their measurements."""

    def __init__(self) -> None:
        self.tally = Stopwatch()
        self.took_ms: list[float] = []
        self.tails_ms: list[float] = []
        """The p99 of each turn."""
        self.turns = 0
        self.played_s = 0.0

    @property
    def rate(self) -> float:
        return self.turns / self.played_s

    def begin(self, think_s: float) -> None:
        """Begin to measure bots that think for `think_s`."""
        self.tally.think_s = think_s
        self.took_ms, self.tails_ms, self.turns, self.played_s = [], [], 0, 0.0

    async def take_turn(self, seconds: float) -> None:
        """Play for a while. Raises RuntimeError at a fault, and if nothing was played."""
        tally = self.tally
        tally.go_on()
        await asyncio.sleep(SETTLE_S + THOUGHTS * tally.think_s)
        tally.took_ms.clear()
        turns, began_s = tally.turns, perf_counter()
        await asyncio.sleep(seconds)
        self.turns, self.played_s = self.turns + tally.turns - turns, self.played_s + perf_counter() - began_s
        if tally.fault or not tally.took_ms:
            raise RuntimeError(tally.fault or "no turn was played")
        self.took_ms += tally.took_ms
        self.tails_ms.append(middle_and_tail(tally.took_ms)[1])
        tally.pause()
        await asyncio.sleep(SETTLE_S)


async def pace(way: Way, rate: float, matches: int, seconds: float) -> None:
    """Set the bots' thinking time so that they make `rate` moves a second, given the other costs of a move."""
    way.begin(matches / rate)
    await way.take_turn(seconds)
    way.begin(max(0.001, way.tally.think_s + matches / rate - matches / way.rate))


async def compare(name: str, ways: tuple[Way, Way], echo_ports: tuple[int, int], turns: int, seconds: float) -> bool:
    """Measure both ways by turns, and print the added time of the second. Return whether it meets the goal."""
    echoed: tuple[list[float], list[float]] = ([], [])
    echoing = [asyncio.create_task(echoes(*each)) for each in zip(echo_ports, echoed, strict=True)]
    for number in range(turns):
        for way in ways if number % 2 else reversed(ways):
            await way.take_turn(seconds)
    for task in echoing:
        task.cancel()
    rates = " ".join(f"{way.rate:8,.0f}" for way in ways)
    added = []
    columns = []
    for pair in ([way.took_ms for way in ways], echoed):
        times = [middle_and_tail(each) for each in pair]
        added = [b - a for a, b in zip(*times, strict=True)]
        columns += [" ".join(f"{each:6.2f}" for each in both) for both in (*times, added)]
    tails = [b - a for a, b in zip(*(way.tails_ms for way in ways), strict=True)]
    print(f"{name:12} {rates} | {' | '.join(columns)} | {spread(tails)}", flush=True)
    return middle_and_tail(ways[1].took_ms)[1] - middle_and_tail(ways[0].took_ms)[1] < GOAL_MS


async def main(load: Load, shares: Sequence[float], turns: int) -> None:
    os.environ["RUMBLE_CLUSTER_SECRET"] = "a-secret-of-the-benchmark"
    matches = load.bots * load.matches // 2
    with cluster(fsync=True) as database, echo_and_relay() as ports, node(url := database.database()) as leader:
        await led(leader)
        with node(url) as edge:
            ways = Way(), Way()
            for way, on in zip(ways, (leader, edge), strict=True):
                await play(on, load, way.tally, names=f"bot{on.port}-")
                await asyncio.sleep(min(WARM_S, load.seconds))
                way.tally.pause()
            print(
                f"{load.game}: p50 and p99 in ms of moves on the leader's node, over a link, and added; of echoes at"
                " once, by a relay, and added; p99 added in each pair of turns"
            )
            done = {"closed loop": await compare("closed loop", ways, ports, turns, load.seconds)}
            carried = ways[1].rate
            for share in shares:
                for way in ways:
                    await pace(way, share * carried, matches, load.seconds)
                name = f"{share:.0%} of it"
                done[name] = await compare(name, ways, ports, turns, load.seconds)
    for is_met, told in ((True, "met"), (False, "NOT MET")):
        if names := [name for name, each in done.items() if each is is_met]:
            print(f"{load.game}: p99 of added latency under {GOAL_MS:g} ms {told}: {', '.join(names)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", default="connect4,tictactoe", help="Names, with commas between them.")
    parser.add_argument("--bots", type=int, default=100, help="How many on each node.")
    parser.add_argument("--matches", type=int, default=4, help="How many matches a bot plays at once.")
    parser.add_argument("--shares", default="0.25,0.5,0.75", help="Of the moves that the closed loop made.")
    parser.add_argument("--seconds", type=float, default=1.0, help="How long a turn takes.")
    parser.add_argument("--turns", type=int, default=8, help="How many turns each way has.")
    options = parser.parse_args()
    for game in options.games.split(","):
        load = Load(game, options.bots, options.matches, options.seconds)
        uvloop.run(main(load, [float(each) for each in options.shares.split(",")], options.turns))
