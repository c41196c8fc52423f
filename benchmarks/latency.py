"""How long a move takes through the server: turn out minus move in. `python benchmarks/latency.py`

100 matches run, each bot thinking for a while, and 1,000 more bots are logged in and idle. The time is measured from
outside on one clock: from just before a bot's move is written to its socket until the opponent's turn is read from
another. So it includes the kernel and every wait for a processor. The control shows how long these take: a plain echo
in another process, measured the same way at the same time. It uses loopback only, and ends by itself after about half
a minute.
"""

import argparse
import asyncio
import random
import resource
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvloop
from load import LoadBot, Tally, answer, text_frame
from throughput import MOVE, connect, playing, start

PROBES = 20


@dataclass
class Stopwatch(Tally):
    """Times moves. `sent_at` has the time of the last move by match."""

    think_s: float = 0.0
    sent_at: dict[bytes, float] = field(default_factory=dict)
    took_ms: list[float] = field(default_factory=list)
    lot: random.Random = field(default_factory=lambda: random.Random(1))

    def on_turn(self, turn: bytes) -> None:
        super().on_turn(turn)
        sent_at = self.sent_at.pop(match_of(turn), None)
        if sent_at is not None:
            self.took_ms.append((time.perf_counter() - sent_at) * 1000)


class ThinkingBot(LoadBot):
    """A bot that answers after a random time between half of `think_s` and one and a half of it."""

    def __init__(self, host: str, login: dict[str, object] | None, tally: Stopwatch, *, path: str = "/bot") -> None:
        super().__init__(host, login, tally, path=path)
        self._stopwatch = tally

    def on_turn(self, turn: bytes) -> None:
        think_s = self._stopwatch.think_s * self._stopwatch.lot.uniform(0.5, 1.5)
        asyncio.get_running_loop().call_later(think_s, self._move, turn)

    def _move(self, turn: bytes) -> None:
        if self.transport is None or self.transport.is_closing():
            return
        frame = text_frame(answer(turn))
        self._stopwatch.sent_at[match_of(turn)] = time.perf_counter()
        self.write(frame)


def match_of(message: bytes) -> bytes:
    """Return the id of the match in a message."""
    at = message.index(b'"match":"') + 9
    return message[at : message.index(b'"', at)]


@asynccontextmanager
async def echoing(think_s: float) -> AsyncIterator[list[Stopwatch]]:
    """Run the control: an echo, and clients that think as long as the bots; all its turns are of one match."""
    process = start(str(Path(__file__).with_name("echo_server.py")))
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline())
        tallies = [Stopwatch(think_s=think_s) for _ in range(PROBES)]
        for tally in tallies:
            probe = await connect(port, None, tally, "/", ThinkingBot)
            probe.write(text_frame(MOVE))
        yield tallies
    finally:
        process.kill()
        process.wait()


async def measured(game: str, matches: int, idle: int, seconds: float, think_s: float) -> tuple[str, str]:
    """Measure the server and the control, and describe the two."""
    tally, silent = Stopwatch(think_s=think_s), Tally()
    async with (
        playing(game, 2 * matches, tally, max_matches=1, bot=ThinkingBot) as running,
        echoing(think_s) as controls,
    ):
        for number in range(idle):
            await connect(running.port, {"type": "login", "name": f"idle{number}"}, silent, "/bot")
        await asyncio.sleep(1.0)
        for each in (tally, *controls):
            each.took_ms.clear()
        await asyncio.sleep(seconds)
        return told(tally.took_ms, seconds), told([ms for each in controls for ms in each.took_ms], seconds)


def told(took_ms: list[float], seconds: float) -> str:
    """Describe the times."""
    cuts = statistics.quantiles(took_ms, n=100)
    return (
        f"{len(took_ms) / seconds:.0f} moves/s, p50 {cuts[49]:.2f} ms, p99 {cuts[98]:.2f} ms, max {max(took_ms):.1f} ms"
    )


async def main(options: argparse.Namespace) -> None:
    print(
        f"{options.game}: {options.matches} matches, {options.idle} idle bots, thinking {options.think_ms:g} ms a move"
    )
    for number in range(1, options.rounds + 1):
        server, control = await measured(
            options.game, options.matches, options.idle, options.seconds, options.think_ms / 1000
        )
        print(f"round {number}: {server}; control: {control}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="connect4")
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--idle", type=int, default=1000)
    parser.add_argument("--think-ms", type=float, default=100.0)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=3)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    uvloop.run(main(parser.parse_args()))
