"""Holds of the event loop by readers. `python benchmarks/stretches.py`

Two tournaments are being played, of 300 and of 100 bots, and a tournament of 100 bots is over. Every page and every
answer of the API that needs no token is read several times, then pipelined, then by several clients at once. The output
is the longest stretch in which the loop did not come round, by CPU time, so that other work on the machine does not
count (`watched_loop.py`). `--results` of the large tournament are played before it is read, and `--only` reads the
paths that have a text. Loopback only; the benchmark ends by itself after about two minutes.
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import uvloop
from load import Message, Tally
from options import options_of
from servers import Running, serving
from throughput import Load, play

WATCHED = (str(Path(__file__).with_name("watched_loop.py")),)
TOURNAMENT_PATHS = (
    "/tournaments/{t}",
    "/tournaments/{t}/matches",
    "/tournaments/{t}/rounds",
    "/tournaments/{t}/audit",
    "/api/tournaments/{t}",
    "/api/tournaments/{t}/standings",
    "/api/tournaments/{t}/ratings",
    "/api/tournaments/{t}/audit",
    "/api/tournaments/{t}/matches",
    "/api/tournaments/{t}/matches?limit=20",
    "/api/tournaments/{t}/matches?bot={b}",
    "/api/tournaments/{t}/events",
    "/api/tournaments/{t}/export.json",
    "/api/tournaments/{t}/export.csv",
    "/api/tournaments/{t}/export.pgn",
    "/api/tournaments/{t}/export.trf",
    "/api/matches/{m}",
    "/api/matches/{m}/boards",
    "/matches/{m}",
    "/matches/{m}?ply=3",
    "/write?join={t}",
    "/console/{t}",
)
OTHER_PATHS = (
    "/",
    "/api/tournaments",
    "/bots/over1",
    "/api/games",
    "/api/opponents",
    "/play",
    "/write",
    "/docs",
    "/console",
    "/protocol.json",
    "/openapi.json",
    "/healthz",
    "/readyz",
    "/metrics",
    "/static/style.css",
    "/nothing",
    "/api/tournaments/nothing",
    "/api/matches/nothing.1.1.1.1",
)
PIPELINED = 16
AT_ONCE = 8
THINK_S = 2.0
GOAL_MS = 20.0
"""Maximum length in ms of a stretch in which the loop does not come round, by the CPU time of its thread."""
READ_S = 30.0
STREAMED_S = 1.2
"""Time in s for which an event stream is read."""


class Stretch(NamedTuple):
    """A time in which the loop did not come round.

    It has an end, the CPU time of its thread and of the whole process, and a duration by the clock, which other work on
    the machine lengthens.
    """

    at_s: float
    thread_ms: float
    process_ms: float
    wall_ms: float


@asynccontextmanager
async def watched(*options: str) -> AsyncIterator[tuple[Running, Path]]:
    """Run a server whose event loop is watched and whose log nobody reads; yield both server and file of stretches."""
    with tempfile.NamedTemporaryFile(prefix="rumble-") as written, tempfile.TemporaryFile("w") as log:
        os.environ["RUMBLE_STRETCHES"] = written.name
        async with serving(program=WATCHED, options=options, log=log) as running:
            yield running, Path(written.name)


def stretches(file: Path, since_s: float) -> list[Stretch]:
    """Read the stretches that ended at `since_s` or later."""
    found = (Stretch(*map(float, line.split())) for line in file.read_text().splitlines())
    return [each for each in found if each.at_s >= since_s]


def longest(file: Path, since_s: float) -> Stretch:
    """Return the longest stretch by each of its times."""
    found = [Stretch(0.0, 0.0, 0.0, 0.0), *stretches(file, since_s)]
    return Stretch(*map(max, zip(*found, strict=True)))


async def read(running: Running, path: str, times: int = 1) -> int:
    """Send `times` requests on one connection at once, and read until the server closes. Return the number of bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n"
    writer.write(f"{request}\r\n".encode() * (times - 1) + f"{request}Connection: close\r\n\r\n".encode())
    size, is_stream = 0, path.endswith("/events")
    try:
        async with asyncio.timeout(STREAMED_S if is_stream else READ_S):
            while part := await reader.read(1 << 20):
                size += len(part)
    except TimeoutError:
        if not is_stream:
            print(f"no whole answer in {READ_S:g} s: {path} x {times}")
    finally:
        writer.close()
    return size


async def read_all(running: Running, file: Path, paths: list[str], rounds: int) -> None:
    """Read each path, alone, pipelined and at once. Print the longest stretches."""
    began_s = time.monotonic()
    await asyncio.sleep(5.0)
    quiet = longest(file, began_s)
    print(f"{'nobody reads':50} {'':>9} {quiet.thread_ms:7.1f} {quiet.process_ms:7.1f}")
    print(f"{'path':50} {'bytes':>9} {'alone':>15} {f'{PIPELINED} pipelined':>15} {f'{AT_ONCE} at once':>15}")
    worst: list[tuple[float, str]] = []
    for path in paths:
        shown, size = "", 0
        for how in ("alone", "pipelined", "at once"):
            since_s = time.monotonic()
            if how == "alone":
                for _ in range(rounds):
                    size = await read(running, path)
                    await asyncio.sleep(0.3)
            elif how == "pipelined":
                await read(running, path, PIPELINED)
            else:
                await asyncio.gather(*(read(running, path) for _ in range(AT_ONCE)))
            await asyncio.sleep(0.1)
            found = longest(file, since_s)
            worst.append((found.thread_ms, path))
            shown += f"{found.thread_ms:8.1f}{found.process_ms:7.1f}"
        print(f"{path:50} {size:9,} {shown}", flush=True)


class Slowing(Tally):
    """Bots that play at full speed up to a number of results, and think from then on."""

    def __init__(self, results: int) -> None:
        super().__init__()
        self._results = results

    def on_result(self, match_over: Message) -> None:
        if self.results >= 2 * self._results:  # both bots are told
            self.think_s = THINK_S
            self.over.set()


async def played(running: Running, bots: int, names: str, results: int, **config: object) -> str:
    """Play at full speed up to a number of results, and more slowly from then on. Return the tournament's id."""
    tally = Slowing(results)
    tournament = await play(running, Load("tictactoe", bots), tally, names, **config)
    await tally.ended()
    return tournament


async def paths_of(running: Running, tournament: str, names: str) -> list[str]:
    """Return all paths about a tournament."""
    async with running.api() as host:
        shown = (await host.get(f"/api/tournaments/{tournament}")).json()
    match = shown["running"][0]["match"] if shown["running"] else shown["latest"][0]["match"]
    return [path.format(t=tournament, b=f"{names}1", m=match) for path in TOURNAMENT_PATHS]


async def main(options: argparse.Namespace) -> None:
    async with watched() as (running, file):
        over = await played(running, options.small, "over", 1_000_000, cycles=1)
        small = await played(running, options.small, "small", options.results // 3)
        large = await played(running, options.large, "large", options.results)
        paths = [*OTHER_PATHS]
        for tournament, names in ((over, "over"), (small, "small"), (large, "large")):
            paths += await paths_of(running, tournament, names)
        await read_all(running, file, [path for path in paths if options.only in path], options.rounds)


if __name__ == "__main__":
    parser = options_of(__doc__, large=300, small=100, results=10_000, rounds=3, only="")
    uvloop.run(main(parser.parse_args()))
