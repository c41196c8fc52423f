"""Time of a move through the server: turn out minus move in. `python benchmarks/latency.py`

100 matches run, each bot thinking for a while, and 1,000 more bots are logged in and idle. The time is measured from
outside on one clock: from just before a bot's move is written to its socket until the opponent's turn is read from
another. So the time includes the kernel and every wait for a processor. The control shows these waits: a plain echo in
another process, measured the same way at the same time. The benchmark uses loopback only, and ends by itself after
about half a minute.
"""

import argparse
import asyncio
import statistics
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvloop
from load import Stopwatch, Tally, allow_many_connections, connect, connect_all, p99
from options import options_of
from servers import echoing, serving
from throughput import Load, first_move, play

PROBES = 20


@asynccontextmanager
async def control(game: str, think_s: float) -> AsyncIterator[list[Stopwatch]]:
    """Run an echo, and clients that think as long as the bots; all turns of a client are of one match."""
    async with echoing(game) as running:
        tallies = [Stopwatch(think_s=think_s) for _ in range(PROBES)]
        for tally in tallies:
            probe = await connect(running, "/", tally, None)
            probe.say(first_move("bench.1.1.1.1"))
        yield tallies


async def measured(options: argparse.Namespace) -> tuple[str, str]:
    """Measure the server and the control, and describe the two."""
    seconds, think_s = options.seconds, options.think_ms / 1000
    tally, silent = Stopwatch(think_s=think_s), Tally()
    async with serving() as running, control(options.game, think_s) as controls:
        logins = ({"type": "login", "name": f"idle{number}"} for number in range(options.idle))
        await connect_all(running, silent, logins)
        await play(running, Load(options.game, bots=2 * options.matches, matches=1), tally)
        await asyncio.sleep(1.0)
        for each in (tally, *controls):
            each.took_ms.clear()
        await asyncio.sleep(seconds)
        return report(tally.took_ms, seconds), report([ms for each in controls for ms in each.took_ms], seconds)


def report(took_ms: list[float], seconds: float) -> str:
    """Describe the times."""
    p50_ms, p99_ms = statistics.median(took_ms), p99(took_ms)
    return f"{len(took_ms) / seconds:.0f} moves/s, p50 {p50_ms:.2f} ms, p99 {p99_ms:.2f} ms, max {max(took_ms):.1f} ms"


async def main(options: argparse.Namespace) -> None:
    print(
        f"{options.game}: {options.matches} matches, {options.idle} idle bots, thinking {options.think_ms:g} ms a move"
    )
    for number in range(1, options.rounds + 1):
        server, control = await measured(options)
        print(f"round {number}: {server}; control: {control}")


if __name__ == "__main__":
    parser = options_of(__doc__, game="connect4", matches=100, idle=1000, think_ms=100.0, seconds=5.0, rounds=3)
    allow_many_connections()
    uvloop.run(main(parser.parse_args()))
