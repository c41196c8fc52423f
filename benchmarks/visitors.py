"""Costs of visitors for the bots, and the visitors' delay. `python benchmarks/visitors.py`

A tournament runs at full speed, alternately without visitors and with a crowd, several times; each round has its own
server. The crowd is another process on the same machine (`crowd.py`), so the ratio of the rates includes the CPU of the
visitors; the ratio of the server's CPU a turn does not.

A visitor's delay is the time from a bot's receiving a result to the visitor's receiving it: the server collects changes
for up to 0.5 s. The benchmark uses loopback only, and ends by itself after about a minute.
"""

import asyncio
import json
import statistics
import subprocess
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvloop
from load import Measured, Message, Tally, measure
from options import options_of
from servers import Running, cpu_s, process, serving
from throughput import Load, play


@dataclass
class TimedTally(Tally):
    """Records when the first bot received each result."""

    told_at: dict[str, float] = field(default_factory=dict)

    def on_result(self, match_over: Message) -> None:
        self.told_at.setdefault(match_over["match"], time.monotonic())


@dataclass
class Round:
    """A period of play. `behind_s` has the longest delay of each visitor."""

    play: Measured
    behind_s: list[float] = field(default_factory=list)
    kb_a_visitor: float = 0.0
    crowd_cpu_s: float = 0.0
    mb_a_second: float = 0.0
    ended: int = 0


async def alone(load: Load) -> Round:
    tally = Tally()
    async with serving() as running:
        await play(running, load, tally)
        await asyncio.sleep(1.0)
        return Round(await measure(tally, running, load.seconds))


async def watched(load: Load, visitors: int) -> Round:
    tally = TimedTally()
    async with serving() as running:
        tournament = await play(running, load, tally)
        await asyncio.sleep(0.5)
        before_kb = running.resident_kb()
        async with watching(running, tournament, visitors) as crowd:
            await asyncio.sleep(0.5)
            crowd_cpu_s = cpu_s(crowd.pid)
            began = time.monotonic()
            measured = await measure(tally, running, load.seconds)
            ended = time.monotonic()
            crowd_cpu_s = cpu_s(crowd.pid) - crowd_cpu_s
            after_kb = running.resident_kb()
            answer, _ = await asyncio.to_thread(crowd.communicate, "")
    report = json.loads(answer)
    return Round(
        measured,
        behind(report, tally.told_at, began, ended),
        (after_kb - before_kb) / visitors,
        crowd_cpu_s,
        report["read_bytes"] / (ended - began) / 1e6,
        report["ended"],
    )


@asynccontextmanager
async def watching(
    running: Running, tournament: str, visitors: int, own: Sequence[str] = ()
) -> AsyncIterator["subprocess.Popen[str]"]:
    """Run a crowd during the block, which begins when the whole crowd is connected."""
    program, host = str(Path(__file__).with_name("crowd.py")), f"{running.host}:{running.port}"
    with process(program, host, tournament, str(visitors), *own) as crowd:
        assert crowd.stdout is not None
        assert (await asyncio.to_thread(crowd.stdout.readline)).strip() == "ready"
        yield crowd


def behind(report: dict[str, Any], told_at: dict[str, float], began: float, ended: float) -> list[float]:
    """Return the longest delay of each visitor in s.

    A piece that a visitor did not get, because the visitor was sent a snapshot instead, counts until the end of the
    round.
    """
    first_told: dict[int, float] = {}
    for piece, match in report["results"]:
        at = told_at.get(match, ended)
        first_told[piece] = min(at, first_told.get(piece, at))
    counted = {piece: at for piece, at in first_told.items() if began <= at <= ended - 2.0}
    assert counted, "no result was told in time to be counted"
    got = (dict(seen) for seen in report["seen"])
    return [max(pieces.get(piece, ended) - at for piece, at in counted.items()) for pieces in got]


def main(load: Load, rounds: int, visitors: int) -> None:
    pairs = []
    for number in range(1, rounds + 1):
        # Each half of a round has its own event loop. One loop for all rounds failed with `UVPoll closed` of uvloop.
        pair = uvloop.run(alone(load)), uvloop.run(watched(load, visitors))
        pairs.append(pair)
        nobody, crowd = pair
        print(
            f"round {number}: nobody {nobody.play.rate:.0f} turns/s {nobody.play.cpu_us:.1f} us; {visitors} visitors"
            f" {crowd.play.rate:.0f} turns/s {crowd.play.cpu_us:.1f} us; behind at most {max(crowd.behind_s):.2f} s"
            f" (median visitor {statistics.median(crowd.behind_s):.2f} s); {crowd.mb_a_second:.1f} MB/s; crowd's CPU"
            f" {crowd.crowd_cpu_s / load.seconds:.0%}; {crowd.kb_a_visitor:.0f} KB a visitor; {crowd.ended} shed"
        )
    rates = statistics.median(crowd.play.rate / nobody.play.rate for nobody, crowd in pairs)
    costs = statistics.median(nobody.play.cpu_us / crowd.play.cpu_us for nobody, crowd in pairs)
    print(f"{load.game}, {load.bots} bots, {visitors} visitors, {rounds} rounds of {load.seconds:g} s, medians:")
    print(f"throughput ratio {rates:.2f}, by the server's CPU a turn {costs:.2f} (asked: above 0.80)")
    print(f"the worst visitor is behind by {max(max(crowd.behind_s) for _, crowd in pairs):.2f} s (asked: at most 1)")
    print(f"server memory {statistics.median(crowd.kb_a_visitor for _, crowd in pairs):.0f} KB a visitor")


if __name__ == "__main__":
    options = options_of(__doc__, game="connect4", bots=50, visitors=500, seconds=5.0, rounds=3).parse_args()
    main(Load(options.game, options.bots, 2, options.seconds), options.rounds, options.visitors)
