"""Standstill of clubs that are handed over. `python benchmarks/drain.py`

Three nodes share a PostgreSQL: the first leads all clubs, in each of which two bots at the third node play, and is
then drained. The standstill of a club is the longest time between two of its turns at its bots. A control without a
drain, for as long, shows the machine's own part. Bots that do not think (`--think-ms 0`) use all processors up. The
benchmark starts a PostgreSQL cluster of its own (without fsync), uses loopback only, and ends by itself.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
from collections import defaultdict
from contextlib import suppress
from itertools import product

import httpx
import uvloop
from cluster import led, node
from rumble_protocol import SUBPROTOCOL
from servers import RUMBLE, Running
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from tests.postgres.cluster import cluster, run  # found by way of `cluster`, which looks there

ADMIN_TOKEN = "administrator-of-the-benchmark"
WARM_S = 2.0
"""Time in s for which bots play before the measurement."""


class Pauses:
    """The longest time between two turns of each club, in s."""

    def __init__(self) -> None:
        self.longest: dict[str, float] = defaultdict(float)
        self._last: dict[str, float] = {}

    def turn(self, club: str) -> None:
        now_s = time.monotonic()
        self.longest[club] = max(self.longest[club], now_s - self._last.get(club, now_s))
        self._last[club] = now_s

    def told(self) -> str:
        """Describe the pauses since the last call."""
        now_s, found, self.longest = time.monotonic(), self.longest, defaultdict(float)
        each = sorted(max(found[club], now_s - last_s) for club, last_s in self._last.items())
        tenth = each[len(each) * 9 // 10]
        return f"median {statistics.median(each):5.2f} s  9 of 10 {tenth:5.2f} s  longest {each[-1]:5.2f} s"


async def play(server: Running, club: str, name: str, tournament: str, think_s: float, pauses: Pauses) -> None:
    """Play the first legal move of each turn, until cancelled."""
    root = "" if club == "main" else f"/c/{club}"
    url = f"ws://127.0.0.1:{server.port}{root}/bot"
    async with connect(url, subprotocols=[Subprotocol(SUBPROTOCOL)]) as socket:
        await socket.send(json.dumps({"type": "login", "name": name, "key": "k" * 16, "join": tournament}))
        async for text in socket:
            frame = json.loads(text)
            if frame["type"] == "turn":
                pauses.turn(club)
                await asyncio.sleep(think_s)
                move = {"type": "move", "match": frame["match"], "turn_id": frame["turn_id"], "move": frame["legal"][0]}
                await socket.send(json.dumps(move))
            elif frame["type"] == "error":
                raise RuntimeError(f"{club}, {name}: {text!r}")


async def clubs_of(leader: Running, count: int) -> dict[str, str]:
    """Make clubs, with a tournament in each; return the tournaments by club."""
    made = {}
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {ADMIN_TOKEN}"}, timeout=60) as host:
        for club in ("main", *(f"c{number}" for number in range(1, count))):
            root = leader.page
            if club != "main":
                (await host.post(f"{leader.page}/api/clubs", json={"name": club})).raise_for_status()
                root = f"{leader.page}/c/{club}"
            url = f"{root}/api/tournaments"
            while (await host.get(url)).status_code != httpx.codes.OK:  # noqa: ASYNC110  # nobody leads it yet
                await asyncio.sleep(0.05)
            cup = {"name": "cup", "game": "connect4", "cycles": 1_000, "start_at_bots": 2}
            (answer := await host.post(url, json=cup)).raise_for_status()
            made[club] = answer.json()["id"]
    return made


async def measure(url: str, count: int, think_ms: int, seconds: float) -> None:
    with node(url) as first:
        await led(first)
        with node(url) as second, node(url) as third:
            tournaments, pauses = await clubs_of(first, count), Pauses()
            bots = [
                asyncio.create_task(play(third, club, name, tournament, think_ms / 1000, pauses))
                for club, tournament in tournaments.items()
                for name in ("ann", "ben")
            ]
            await asyncio.sleep(WARM_S)
            pauses.told()
            await asyncio.sleep(seconds)
            print(f"{count:3} clubs, {think_ms:2} ms  no drain: {pauses.told()}", flush=True)
            assert len(await leads(first)) == count
            ((node_id,),) = run(url, "SELECT id FROM nodes WHERE address = %s", [first.page])
            drain = await asyncio.create_subprocess_exec(
                sys.executable, *RUMBLE, "node", "drain", node_id, "--db", url, stdout=asyncio.subprocess.DEVNULL
            )
            await drain.wait()
            until_s = time.monotonic() + seconds
            took_s = -time.monotonic()
            while await leads(first):  # noqa: ASYNC110  # it tells nobody
                await asyncio.sleep(0.05)
            took_s += time.monotonic()
            await asyncio.sleep(max(0.0, until_s - time.monotonic()))
            print(
                f"{count:3} clubs, {think_ms:2} ms  drained:  {pauses.told()}  all handed over after {took_s:.1f} s",
                flush=True,
            )
            assert len(await leads(second) + await leads(third)) == count
            for bot in bots:
                bot.cancel()
            for bot in bots:
                with suppress(asyncio.CancelledError):
                    await bot
            for each in (first, second, third):
                each.process.kill()  # at once, since a node would report that others are missing


async def leads(server: Running) -> list[str]:
    async with server.api() as host:
        return list((await host.get("/readyz")).json()["leads"])


async def main(counts: list[int], think_ms: list[int], seconds: float, rounds: int) -> None:
    os.environ["RUMBLE_CLUSTER_SECRET"] = "a-secret-of-the-benchmark"
    os.environ["RUMBLE_ADMIN_TOKEN"] = ADMIN_TOKEN
    with cluster() as database:
        for count, think in product(counts, think_ms):
            for _ in range(rounds):
                await measure(database.database(), count, think, seconds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clubs", type=int, nargs="+", default=[10, 25])
    parser.add_argument("--think-ms", type=int, nargs="+", default=[20, 0])
    parser.add_argument("--seconds", type=float, default=8.0, help="How long is looked, without a drain and with one.")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    uvloop.run(main(options.clubs, options.think_ms, options.seconds, options.rounds))
