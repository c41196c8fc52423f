"""The scenarios of `growth.py`: a function for each kind of growth, from its size to the measurements."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from copies import copy_matches
from latency import control
from load import LoadBot, Measured, Stopwatch, connect, connect_all, measure, p99
from servers import Running, kill, serving
from throughput import MOST_CYCLES, Contender, Load, in_turn, login, play
from visitors import watching

GAME = "tictactoe"
PACE = 1000
"""Moves a second while delays are measured: at full speed, delays would only show how many matches wait."""
ECHO_THINKS_S = 0.1
"""Thinking time in s of each client of the echo between two messages."""
MOST_S = 900
"""Maximum time of a tournament in s; then the benchmark fails."""
MOST_START_S = 120.0
"""Maximum wait for a start in s; a longer start is shown as this."""


@dataclass(frozen=True, slots=True)
class Row:
    """The measurements at a size. Memory is the memory of the server's process tree.

    `echo_ms` is the p99 of an echo at the same time: the wait for a processor on this machine. `start_s` is the time of
    a start after the server was killed in the middle of play.
    """

    size: int
    rate: float
    cpu_us: float
    p99_ms: float
    echo_ms: float
    memory_mb: float
    start_s: float
    notes: list[str] = field(default_factory=list)


class Stage:
    """A server with a database of its own, the bots that play on it, and their measurements.

    Each measurement takes `seconds`, after at most a second of play that does not count.
    """

    def __init__(self, database: Path, running: Running, seconds: float) -> None:
        self.running = running
        self.tally = Stopwatch()
        self.notes: list[str] = []
        self._database = database
        self._seconds = seconds

    async def row(self, size: int, full: Measured, matches: int) -> Row:
        """Measure delays with `matches` concurrent matches, then memory and a start after a kill."""
        self.tally.think_s = matches / PACE
        async with control(GAME, ECHO_THINKS_S) as echoes:
            await asyncio.sleep(min(1.0, self._seconds) + 2 * self.tally.think_s)
            for each in (self.tally, *echoes):
                each.took_ms.clear()
            await measure(self.tally, self.running, self._seconds)
            p99_ms = p99(self.tally.took_ms)
            echo_ms = p99([ms for each in echoes for ms in each.took_ms])
        self.tally.think_s = 0.0
        memory_mb = self.running.resident_kb() / 1024
        kill(self.running.process)
        began = time.perf_counter()
        try:
            async with serving(self._database, start_within_s=MOST_START_S):
                start_s = time.perf_counter() - began
        except TimeoutError:
            start_s = MOST_START_S
            self.notes.append(f"{size:,}: it had not started again after {start_s:.0f} s")
        return Row(size, full.rate, full.cpu_us, p99_ms, echo_ms, memory_mb, start_s, self.notes)

    async def full_speed(self) -> Measured:
        """Measure play at full speed."""
        await asyncio.sleep(min(1.0, self._seconds))
        return await measure(self.tally, self.running, self._seconds)


@asynccontextmanager
async def stage(seconds: float, fill: Callable[[Path], Awaitable[object]] | None = None) -> AsyncIterator[Stage]:
    """Run a server on a new database, or on a database filled by `fill`."""
    with tempfile.TemporaryDirectory(prefix="rumble-") as folder:
        database = Path(folder, "growth.db")
        if fill is not None:
            await fill(database)
        async with serving(database) as running:
            yield Stage(database, running, seconds)


async def round_robin(size: int, seconds: float) -> Row:
    """Play a double round-robin of `size` bots to its end, then measure delays in the middle of a second one."""
    load = Load(GAME, bots=size)
    async with stage(seconds) as on:
        on.tally.until = size
        tournament = await on.running.create(start_at_bots=size)
        logins = [login(f"bot{number}", load, tournament) for number in range(size)]
        bots = await connect_all(on.running, on.tally, logins[:-1])
        playing = asyncio.create_task(measure(on.tally, on.running, MOST_S))
        bots.append(await connect(on.running, "/bot", on.tally, logins[-1]))
        full = await playing
        if not on.tally.over.is_set():
            raise RuntimeError(f"{size} bots have not finished in {MOST_S} s")
        on.notes.append(
            f"{size} bots: {on.tally.results // 2:,} matches in {full.seconds:.1f} s, from the last login to the last"
            f" `tournament_over`; {full.cpu_us:.1f} us of server CPU a move; client {full.client_share:.0%} of a core"
        )
        on.tally.over.clear()
        join(bots, await on.running.create(start_at_bots=size, cycles=MOST_CYCLES))
        return await on.row(size, full, load.matches * size // 2)


async def growth_in_turn(size: int, base: int, seconds: float) -> float:
    """Return the cost of a turn with `size` bots in ratio to `base` bots, each for some seconds by turns."""
    contenders = [Contender(str(bots), bots=bots) for bots in (size, base)]
    pairs = zip(*await in_turn(contenders, Load(GAME, seconds=seconds)), strict=True)
    return statistics.median(more.cpu_us / fewer.cpu_us for more, fewer in pairs)


def join(bots: list[LoadBot], tournament: str) -> None:
    """Have logged-in bots join a tournament."""
    for bot in bots:
        bot.say({"type": "join", "tournament": tournament})


async def swiss(size: int, seconds: float) -> Row:
    """Play the first round of a Swiss of `size` bots, with many legs, so that it outlasts a measurement."""
    async with stage(seconds) as on:
        load = Load(GAME, bots=size)
        await play(on.running, load, on.tally, format="swiss", legs=1000)
        began, before_s = time.perf_counter(), on.running.cpu_s()
        while not on.tally.turns:
            if time.perf_counter() - began > MOST_S:
                raise RuntimeError(f"the first round of {size} bots was not paired in {MOST_S} s")
            await asyncio.sleep(0.05)
        took_s, cpu_s = time.perf_counter() - began, on.running.cpu_s() - before_s
        on.notes.append(f"{size} bots: the first round was paired in {took_s:.1f} s ({cpu_s:.1f} s of CPU)")
        return await on.row(size, await on.full_speed(), load.matches * size // 2)


async def connected(size: int, seconds: float) -> Row:
    """Play among `size` idle bots, and tell their memory before play."""
    async with stage(seconds) as on:
        before_kb = on.running.resident_kb()
        for each in range(size):  # in sequence, because the temporary memory of concurrent logins is not the bots'
            await connect(on.running, "/bot", on.tally, {"type": "login", "name": f"idle{each}"})
        on.notes.append(f"{size:,} idle bots: {(on.running.resident_kb() - before_kb) / size:.1f} KB each")
        load = Load(GAME)
        await play(on.running, load, on.tally)
        return await on.row(size, await on.full_speed(), load.matches * load.bots // 2)


async def tournaments(size: int, seconds: float) -> Row:
    """Play `size` concurrent tournaments, of eight bots each."""
    async with stage(seconds) as on:
        load = Load(GAME, bots=8)
        for number in range(size):
            await play(on.running, load, on.tally, f"club{number}-bot")
        return await on.row(size, await on.full_speed(), size * load.matches * load.bots // 2)


async def visitors(size: int, seconds: float) -> Row:
    """Play while `size` visitors watch the page of the tournament."""
    async with stage(seconds) as on:
        load = Load(GAME)
        tournament = await play(on.running, load, on.tally)
        async with watching(on.running, tournament, size):
            return await on.row(size, await on.full_speed(), load.matches * load.bots // 2)


async def matches(size: int, seconds: float) -> Row:
    """Play on a database with `size` matches of earlier tournaments, and read pages of these."""
    tournament = ""

    async def fill(database: Path) -> None:
        nonlocal tournament
        began = time.perf_counter()
        tournament = await copy_matches(database, size)
        on_disk = sum(each.stat().st_size for each in database.parent.iterdir())
        notes.append(f"{size:,} matches: {on_disk / 1e6:,.0f} MB, made in {time.perf_counter() - began:.0f} s")

    notes: list[str] = []
    async with stage(seconds, fill) as on:
        on.notes += notes
        on.notes.append(f"{size:,} matches: {await page_times(on.running, tournament)}")
        load = Load(GAME)
        await play(on.running, load, on.tally)
        return await on.row(size, await on.full_speed(), load.matches * load.bots // 2)


async def page_times(running: Running, tournament: str) -> str:
    """Describe how long pages and the API take: the first time they are asked for, and the median of the next ten."""
    match = f"{tournament}.1.1.1.1"
    lines = []
    async with running.api() as host:
        for path in (
            "/",
            "/api/tournaments",
            f"/tournaments/{tournament}",
            f"/api/tournaments/{tournament}/standings",
            "/bots/bot1",
            f"/matches/{match}",
            f"/api/matches/{match}/transcript",
        ):
            took_ms = []
            for _ in range(11):
                began = time.perf_counter()
                (await host.get(path)).raise_for_status()
                took_ms.append((time.perf_counter() - began) * 1000)
            lines.append(f"{path} {took_ms[0]:.0f}/{statistics.median(took_ms[1:]):.1f}")
    return f"first answer and median in ms: {', '.join(lines)}"
