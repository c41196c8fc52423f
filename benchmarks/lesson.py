"""Moves of 12 matches while 25 browsers load Python at once. `python benchmarks/lesson.py`

The time of a move is that of `latency.py`: from before a bot's move is written until the opponent has read its turn.
In each round the matches are timed first alone, and then while `curl` reads every file of `botrumble-browser` once for
each browser, on a connection each. The reader is on a machine of its own (`machines.py`; only root can make machines),
over a cable of 50 Mbit/s, and gets only the time of the processors that nobody else wants, since a real machine has its
own. The bots play on the server's machine: a full cable, which delays everything, is no matter of the server. The
benchmark ends by itself after about two minutes.
"""

import argparse
import asyncio
import time
from importlib import import_module

import uvloop
from latency import report
from load import Stopwatch, allow_many_connections
from machines import ADDRESSES, Network, network
from options import options_of
from servers import serving
from throughput import Load, play

from tests.e2e.namespaces import narrow

HERE, THERE = "node1", "clients"
GOAL_MS = 10.0
"""The most by which loading browsers may make a move later, in ms."""


async def load_all(net: Network, folder: str, browsers: int) -> None:
    """Read all files for each browser at once. Raises RuntimeError if a file was not sent."""
    names = [path.name.removesuffix(".gz") for path in import_module("rumble_browser").data().iterdir()]
    words = [word for name in names for word in ("--output", "/dev/null", f"{folder}/{name}")] * browsers
    options = ("--no-progress-meter", "--fail", "--header", "Accept-Encoding: gzip", "--parallel-max", "300")
    command = net.command(THERE, "chrt", "--idle", "0", "curl", *options, "--parallel", "--parallel-immediate", *words)
    reader = await asyncio.create_subprocess_exec(*command)
    if await reader.wait():
        raise RuntimeError(f"curl ended with {reader.returncode}")


async def main(net: Network, options: argparse.Namespace) -> None:
    tally = Stopwatch(think_s=options.think_ms / 1000)
    address = import_module("rumble_server.web.pages.browser_files").address
    async with serving(options=("--host", "0.0.0.0")) as running:
        await play(running, Load(options.game, bots=2 * options.matches, matches=1), tally)
        for number in range(1, options.rounds + 1):
            tally.took_ms = []
            await asyncio.sleep(options.seconds)
            alone, tally.took_ms = tally.took_ms, []
            began = time.perf_counter()
            await load_all(net, f"http://{ADDRESSES[HERE]}:{running.port}{address()}", options.browsers)
            seconds = time.perf_counter() - began
            late_ms = max(tally.took_ms) - max(alone)
            print(f"round {number}: alone {report(alone, options.seconds)}; loading {report(tally.took_ms, seconds)}")
            print(f"loaded in {seconds:.1f} s, the latest move {late_ms:.1f} ms later:", end=" ")
            print("met" if late_ms <= GOAL_MS and not tally.fault else f"NOT MET {tally.fault or ''}")


if __name__ == "__main__":
    own = {"game": "connect4", "matches": 12, "browsers": 25, "think_ms": 100.0, "mbit": 50}
    given = options_of(__doc__, **own, seconds=20.0, rounds=2).parse_args()
    allow_many_connections()
    with network() as net:
        narrow([net.namespace(HERE)], given.mbit)
        net.enter(HERE)
        uvloop.run(main(net, given))
