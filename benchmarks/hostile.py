"""Costs of attackers for honest bots: all of tests/hostile at once beside 20 honest bots.

`python benchmarks/hostile.py`

First the honest bots play alone, for `--quiet-seconds` (by default as long, at most a minute), then, on a new server,
for `--seconds` with the attackers, in another process on the same machine (`tests/hostile/all_at_once.py`), each attack
from addresses of its own in 127.0.1.x. A turn's time is from just before a bot's move is written until its opponent has
read its turn. Linux only, loopback only; the benchmark ends by itself.

The benchmark fails if an honest bot was blamed for anything, or if the loop did not come round for more than `GOAL_MS`
by the CPU time of its thread.
"""

import argparse
import asyncio
import json
import re
import statistics
import sys
import time
from dataclasses import dataclass, field, replace

import uvloop
from load import Message, Stopwatch, allow_many_connections, p99
from options import options_of
from servers import ROOT, Running, resident_kb
from stretches import GOAL_MS, stretches, watched
from throughput import Load, play

KEY = "key-of-the-honest-bots"
CLOCK = {"move_ms": 1_000, "bank_ms": 10_000}
PAGE = 1_000
SAMPLES = 10
"""Number of samples of the memory over time in the output."""
SHOWN = 5
"""Number of the longest stretches in the output."""
COUNTED = ("rounds", "cut short", "unanswered")
LATE_S = 30
"""Maximum time in s for the attackers to end."""


@dataclass
class Honest(Stopwatch):
    """The honest bots; an end that blames any of them is a fault of the server."""

    def on_result(self, match_over: Message) -> None:
        if match_over["termination"] != "normal":
            self.fail(f"{match_over['match']}: {match_over['termination']}: {match_over['reason']}")


@dataclass
class Measured:
    """Measurements while the bots played. `attacks`: rounds, and rounds that the server cut short.

    `loop_ms` has, by CPU time and by the clock, the times in ms for which the loop did not come round.
    """

    took_ms: list[float]
    results: int
    memory_kb: list[int] = field(default_factory=list)
    attacks: dict[str, dict[str, int]] = field(default_factory=dict)
    refusals: dict[str, int] = field(default_factory=dict)
    blamed: list[str] = field(default_factory=list)
    loop_ms: dict[str, list[float]] = field(default_factory=dict)


async def measured(load: Load, think_s: float, *, hostile: bool) -> Measured:
    """Play on a new server, with or without attackers."""
    honest, memory_kb = Honest(think_s=think_s), list[int]()
    async with watched("--limit-loopback") as (running, file):
        tournament = await play(running, load, honest, time_control=CLOCK)
        await asyncio.sleep(1.0)
        honest.took_ms.clear()
        results, since_s = honest.results, time.monotonic()
        watching = asyncio.create_task(watch_memory(running, memory_kb))
        attacks = await attack(running, load.seconds, tournament) if hostile else {}
        if not hostile:
            await asyncio.sleep(load.seconds)
        watching.cancel()
        found = stretches(file, since_s)
        seen = Measured(honest.took_ms, honest.results - results, memory_kb, attacks)
        seen.loop_ms = {"CPU": [each.thread_ms for each in found], "clock": [each.wall_ms for each in found]}
        seen.refusals = await refusals(running)
        seen.blamed = [*([honest.fault] if honest.fault else []), *await blamed(running, tournament)]
        return seen


async def attack(running: Running, seconds: float, tournament: str) -> dict[str, dict[str, int]]:
    """Run all attackers for `seconds`. Return their counts. Raises RuntimeError if they fail."""
    command = ("-m", "tests.hostile.all_at_once", str(running.port), str(seconds), tournament)
    attackers = await asyncio.create_subprocess_exec(sys.executable, *command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    try:
        printed, _ = await asyncio.wait_for(attackers.communicate(), seconds + LATE_S)
    finally:
        if attackers.returncode is None:
            attackers.kill()
    if attackers.returncode != 0:
        raise RuntimeError("the attackers failed")
    found: dict[str, dict[str, int]] = json.loads(printed)
    return found


async def watch_memory(running: Running, memory_kb: list[int]) -> None:
    """Note the resident memory of the serving process each second."""
    while True:
        memory_kb.append(resident_kb(running.process.pid))
        await asyncio.sleep(1.0)


async def blamed(running: Running, tournament: str) -> list[str]:
    """Return the results of a tournament that did not end by the rules of the game."""
    found: list[Message] = []
    async with running.api() as host:
        while True:
            query = {"offset": len(found), "limit": PAGE}
            answer = (await host.get(f"/api/tournaments/{tournament}/matches", params=query)).raise_for_status().json()
            found += answer["matches"]
            if not answer["matches"]:
                return [f"{each['id']}: {each['reason']}" for each in found if each["termination"] != "normal"]


async def refusals(running: Running) -> dict[str, int]:
    """Return the server's refusals by reason, from its metrics."""
    async with running.api() as host:
        metrics = (await host.get("/metrics")).text
    return {reason: int(float(n)) for reason, n in re.findall(r'refus\w*\{.*?reason="(.*?)".*?\} (\S+)', metrics)}


def growth(memory_kb: list[int]) -> str:
    """Describe the memory in MB: the most of each stretch of the time."""
    step = max(1, len(memory_kb) // SAMPLES)
    return " ".join(f"{max(memory_kb[at : at + step]) / 1024:.0f}" for at in range(0, len(memory_kb), step))


def tell(quiet: Measured, hostile: Measured) -> None:
    """Print the tables."""
    for name, seen in (("quiet", quiet), ("hostile", hostile)):
        p50 = statistics.median(seen.took_ms)
        print(
            f"{name:8} {len(seen.took_ms):8,} turns  {seen.results:7,} results  p50 {p50:7.2f} ms"
            f"  p99 {p99(seen.took_ms):7.2f} ms  max {max(seen.took_ms):8.1f} ms  blamed {len(seen.blamed)}"
        )
        print(f"{'':8} memory in MB over time: {growth(seen.memory_kb)}")
        for how, loop_ms in seen.loop_ms.items():
            longest = " ".join(f"{each:.1f}" for each in sorted(loop_ms, reverse=True)[:SHOWN])
            over = sum(each > GOAL_MS for each in loop_ms)
            print(f"{'':8} longest stretches of the loop by {how}: {longest} ms; {over} over {GOAL_MS:g} ms")
    print(f"p99 hostile/quiet: {p99(hostile.took_ms) / p99(quiet.took_ms):.1f}")
    last = hostile.memory_kb[len(hostile.memory_kb) // 2 :]
    first_mb, last_mb, most_mb = (kb / 1024 for kb in (last[0], last[-1], max(last)))
    print(f"memory of the last half: from {first_mb:.0f} to {last_mb:.0f} MB, at most {most_mb:.0f}")
    print(f"\n{'attack':22} " + " ".join(f"{what:>10}" for what in COUNTED))
    for name, counts in sorted(hostile.attacks.items()):
        print(f"{name:22} " + " ".join(f"{counts.get(what, 0):10,}" for what in COUNTED))
    print(f"\n{'refused because of':30} {'times':>8}")
    for reason, times in sorted(hostile.refusals.items(), key=lambda each: -each[1]):
        print(f"{reason:30} {times:8,}")
    for complaint in (*quiet.blamed, *hostile.blamed)[:20]:
        print(complaint)


async def main(options: argparse.Namespace) -> int:
    load = Load(options.game, options.bots, options.matches, options.seconds, key=KEY)
    quiet_s = options.quiet_seconds or min(60.0, options.seconds)
    quiet = await measured(replace(load, seconds=quiet_s), options.think_ms / 1000, hostile=False)
    hostile = await measured(load, options.think_ms / 1000, hostile=True)
    tell(quiet, hostile)
    is_late = max(hostile.loop_ms["CPU"], default=0.0) > GOAL_MS
    return 1 if quiet.blamed or hostile.blamed or is_late else 0


if __name__ == "__main__":
    parser = options_of(
        __doc__, game="connect4", bots=20, matches=2, think_ms=100.0, seconds=600.0, quiet_seconds=float
    )
    allow_many_connections()
    sys.exit(uvloop.run(main(parser.parse_args())))
