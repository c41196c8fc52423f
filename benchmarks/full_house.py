"""A leader behind nginx with 10,000 idle bots and 3,000 visitors. `python benchmarks/full_house.py`

The node, PostgreSQL, nginx and the clients are on machines of their own (`machines.py`; only root can make them), and
share the processors of this machine. A tournament is played at full speed, first without the crowd and then with the
crowd. Told are moves a second, the server's CPU a move, its memory, and its CPU while nobody moves: pings and feeds.
"""

import argparse
import asyncio
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

import uvloop
from load import AT_ONCE, Measured, Tally, allow_many_connections, connect, measure
from machines import ADDRESSES, PORT, machines
from options import options_of
from servers import ROOT, Running
from throughput import PATIENT, Load, play
from visitors import watching

OWN = [f"10.0.0.{number}" for number in range(100, 150)]
"""Addresses of the clients: one address may have 256 connections."""
THINK_S = 0.2
"""Mean thinking time of bots in s while the crowd comes: at full speed the proxy's questions would run out of time."""
SETTINGS = {"RUMBLE_NAMES_PER_HOUR": "1000", "RUMBLE_OPEN_NAMES": "true"}


async def still(running: Running, tally: Tally, seconds: float) -> float:
    """Return the server's share of a core while no bot moves."""
    tally.pause()
    await asyncio.sleep(1.0)
    before = running.cpu_s()
    await asyncio.sleep(seconds)
    share = (running.cpu_s() - before) / seconds
    tally.go_on()
    return share


def report(what: str, rounds: Sequence[Measured], still_share: float, running: Running) -> str:
    rate, cpu_us = (statistics.median(each) for each in ([r.rate for r in rounds], [r.cpu_us for r in rounds]))
    client = statistics.median(each.client_share for each in rounds)
    return (
        f"{what:14} {rate:8,.0f} moves/s, {cpu_us:5.1f} us of CPU a move (clients {client:.2f} of a core),"
        f" {running.resident_kb() / 1024:6.0f} MB, {100 * still_share:5.1f} % of a core while nobody moves"
    )


async def main(running: Running, options: argparse.Namespace) -> None:
    tally = Tally()
    tournament = await play(
        running, Load(game=options.game, bots=options.bots, seconds=options.seconds), tally, time_control=PATIENT
    )
    await asyncio.sleep(2.0)
    alone = [await measure(tally, running, options.seconds) for _ in range(options.rounds)]
    print(report("without them", alone, await still(running, tally, 2 * options.seconds), running), flush=True)
    idle = Tally()
    for first in range(0, options.idle, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, options.idle))
        logins = ({"type": "login", "name": f"idle{number}"} for number in numbers)
        await asyncio.gather(
            *(connect(running, "/bot", idle, each, OWN[n % len(OWN)]) for n, each in enumerate(logins))
        )
    tally.think_s = THINK_S
    async with watching(running, tournament, options.visitors, OWN):
        tally.think_s = 0.0
        await asyncio.sleep(2.0)
        with_them = [await measure(tally, running, options.seconds) for _ in range(options.rounds)]
        print(report("with them", with_them, await still(running, tally, 2 * options.seconds), running))
        if idle.fault or tally.fault:
            print(f"NOT MET: {idle.fault or tally.fault}")


if __name__ == "__main__":
    own = {"game": "connect4", "bots": 40, "idle": 10_000, "visitors": 3000}
    options = options_of(__doc__, **own, seconds=5.0, rounds=3).parse_args()
    allow_many_connections()
    with tempfile.TemporaryDirectory(prefix="rumble-house-") as folder:
        Path(folder).chmod(0o755)
        with machines("nginx", Path(folder), SETTINGS, ROOT, nodes=1) as at:
            for address in OWN:
                at.network.add("clients", address)
            asyncio.run(at.leader())
            uvloop.run(main(Running(at.nodes[0].process, PORT, ADDRESSES["proxy"]), options))  # type: ignore[arg-type]
