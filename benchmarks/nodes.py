"""Longest pauses of bots and visitors of three nodes at each fault. `python benchmarks/nodes.py --proxy nginx`

Three nodes, PostgreSQL (with fsync), a proxy with its file of docs/examples/cluster unchanged, and the clients each
have their own machine (network namespaces, which only root can make). 24 bots play: half with the SDK, half on a bare
WebSocket by the rules of PROTOCOL.md. 50 visitors read the tournament's feed like a browser's EventSource. For each
fault a tournament is played, in which the fault happens several times.

Each row tells the longest pause of raw bots and of SDK bots (time without a frame while a match was open), the longest
pause of a feed (time without an event), the longest time in which no bot heard anything, the number of lost
connections, and the refusals of bots and feeds. The benchmark checks that every match has one result, that frames
agree with the log, that no bot is blamed, and that no feed ends for good. `--busy` adds two processes that only take
processor time. Each fault has a time limit, and happens `--times`, by default 10 times for kills and 3 for others. With
`--clubs` a node of so many clubs is drained, and nothing else happens.
"""

import argparse
import asyncio
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from machines import PROXIES, Machines, machines
from node_clients import AGAIN, Field, Pauses, Tally, Visitor, is_raw
from options import options_of
from servers import ROOT, TOKEN

from tests.e2e.log_checks import numbered
from tests.e2e.raw_field import MATCHES_EACH
from tests.postgres.cluster import run
from tests.simulation.checks.case import read_rows

PLIES = 5
"""Minimum number of moves of a match."""
SETTLE_S = 3.0
"""Time in s to wait after all play again, before and after each fault."""
ON_S = 60.0
"""Maximum time in s after a fault until every bot is asked for a move."""
DRAIN_CYCLES = 200
"""Number of meetings of the two bots of each club; the bots must still play when the drain ends."""
LOG = "SELECT facts FROM log WHERE club = 'main' AND tournament IN (%s, '') ORDER BY number"
"""Facts by which a tournament is judged: its own, and facts of no tournament, such as owners of names."""


# --- what fails ---

Fault = Callable[[Machines], Awaitable[None]]


async def nothing(_: Machines) -> None:
    await asyncio.sleep(10)


async def killed(at: Machines) -> None:
    (await at.leader()).process.kill()


async def killed_and_down(at: Machines) -> None:
    leader = await at.leader()
    leader.is_down = True
    leader.process.kill()
    await asyncio.sleep(12)
    leader.is_down = False


async def rolling(at: Machines) -> None:
    """Restart all nodes, each after the one before is back; the leader comes second."""
    first = await at.leader()
    others = [node for node in at.nodes if node is not first]
    for node in (others[0], first, others[1]):
        old = node.process
        old.terminate()
        await asyncio.to_thread(old.wait)
        while node.process is old:  # noqa: ASYNC110  # no event announces the start
            await asyncio.sleep(0.05)
        await at.until_all_run()


async def frozen(at: Machines) -> None:
    leader = await at.leader()
    leader.signal(signal.SIGSTOP)
    try:
        await asyncio.sleep(15)
    finally:
        leader.signal(signal.SIGCONT)


async def unplugged(at: Machines) -> None:
    with at.network.unplugged((await at.leader()).name):
        await asyncio.sleep(20)


async def cut_off(at: Machines) -> None:
    with at.network.parted((await at.leader()).name, "database"):
        await asyncio.sleep(20)


async def database_restarted(at: Machines) -> None:
    await asyncio.to_thread(at.database.restart)


FAULTS: dict[str, tuple[Fault, int, float]] = {
    "nothing": (nothing, 2, 10),
    "killed": (killed, 10, 7),
    "killed, down": (killed_and_down, 3, 14),
    "rolling": (rolling, 3, 20),
    "frozen": (frozen, 3, 17),
    "unplugged": (unplugged, 3, 22),
    "cut off": (cut_off, 3, 22),
    "database": (database_restarted, 3, 6),
}
"""Each fault, its number of repeats, and the approximate time in s until all play again."""


@dataclass(slots=True)
class Row:
    """Measured effects of one fault."""

    name: str
    raw_s: list[float] = field(default_factory=list)
    """Longest pause of a raw bot at each repeat, in s."""
    sdk_s: list[float] = field(default_factory=list)
    feeds_s: list[float] = field(default_factory=list)
    club_s: list[float] = field(default_factory=list)
    """Longest time in s in which no bot heard anything, at each repeat."""
    tally: Tally = field(default_factory=Tally)
    wrong: str = ""

    def __str__(self) -> str:
        pauses = "  ".join(
            f"{max(each, default=0):5.1f} ({statistics.median(each) if each else 0:5.1f})"
            for each in (self.raw_s, self.sdk_s, self.feeds_s, self.club_s)
        )
        refused = ", ".join(f"{name}: {count}" for name, count in sorted(self.tally.refused.items())) or "none"
        row = f"{self.name:12} {len(self.raw_s):2} times  {pauses}  lost {self.tally.lost:3}  refused {refused}"
        return f"{row}  {'NOT MET: ' + self.wrong if self.wrong else 'one result each, nobody blamed, no feed ended'}"


@asynccontextmanager
async def in_background(*doing: Awaitable[None]) -> AsyncIterator[None]:
    tasks = [asyncio.ensure_future(each) for each in doing]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def measure(at: Machines, name: str, times: int, options: argparse.Namespace) -> Row:
    """Play a tournament in which a fault happens several times."""
    fault, _, takes_s = FAULTS[name]
    bots, think_ms = options.bots, tuple(options.think_ms)
    row = Row(name)
    first = 100 * list(FAULTS).index(name)  # so that no bot of a failed tournament appears in the next tournament
    names = [f"bot{first + number:03}" for number in range(1, bots + 1)]
    seconds = times * (takes_s + 2 * SETTLE_S)
    cycles = 1 + round(seconds / (PLIES * sum(think_ms) / 2000) * bots * MATCHES_EACH / 2 / (bots * (bots - 1)))
    await at.until_all_run()
    leader = await at.leader()
    cup = name.replace(",", "").replace(" ", "-")
    create = {"name": cup, "game": "tictactoe", "start_at_bots": bots, "cycles": cycles, "legs": 2}
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120) as host:
        (await host.post(f"{leader.url}/api/tournaments", json=create)).raise_for_status()
    playing = Field(cup, names, [f"{at.front.replace('http', 'ws')}/bot"], think_ms, tally=row.tally)
    reading = Pauses()
    crowd = [
        Visitor(f"visitor{number}", at.front, cup, reading, row.tally, is_plain=number == 0)
        for number in range(options.visitors)
    ]
    try:
        async with in_background(*(visitor.read() for visitor in crowd)):
            async with playing.playing(seconds * 3 + ON_S * 3):
                await playing.turns_of_all(ON_S)
                await asyncio.sleep(SETTLE_S)
                for _ in range(times):
                    playing.pauses.take(), playing.pauses.take_of_all(), reading.take()
                    await fault(at)
                    await playing.turns_of_all(ON_S)
                    await asyncio.sleep(SETTLE_S)
                    longest = playing.pauses.take()
                    row.raw_s.append(max(each for bot, each in longest.items() if is_raw(bot)))
                    row.sdk_s.append(max(each for bot, each in longest.items() if not is_raw(bot)))
                    row.feeds_s.append(max(reading.take().values(), default=0.0))
                    row.club_s.append(playing.pauses.take_of_all())
                    each = (row.raw_s, row.sdk_s, row.feeds_s, row.club_s)
                    print(f"  {name}: {' '.join(f'{seconds[-1]:.1f}' for seconds in each)}", flush=True)
                    await at.until_all_run()
                if playing.count("tournament_over"):
                    row.wrong = "it was over before all had failed"
            async with asyncio.timeout(ON_S):
                while not all(visitor.is_over or visitor.is_plain for visitor in crowd):  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
        rows = await asyncio.to_thread(run, at.url, LOG, [cup])
        facts = numbered(read_rows(str(row[0]) for row in rows))
        playing.judge(facts, results=cycles * bots * (bots - 1))
        if row.tally.for_good:
            row.wrong = f"{row.tally.for_good} feeds ended for good"
    except (TimeoutError, AssertionError, ExceptionGroup) as error:
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        row.wrong = f"{type(error).__name__}: {error}".partition("\n")[0]
    return row


async def ask(client: httpx.AsyncClient, path: str, token: str, **body: object) -> dict[str, Any]:
    """Return the answer to a command, which is sent again while nobody leads its club."""
    async with asyncio.timeout(ON_S):
        while True:
            answer = await client.post(path, json=body, headers={"Authorization": f"Bearer {token}"})
            if answer.status_code not in AGAIN:
                return dict(answer.raise_for_status().json())
            await asyncio.sleep(0.2)


async def drained(at: Machines, clubs: int, options: argparse.Namespace) -> bool:
    """Drain a node that leads `clubs` clubs with two SDK bots each; print pauses. Return whether nobody was blamed."""
    first, *others = at.nodes
    for node in others:
        node.is_down = True
        node.process.terminate()
        await asyncio.to_thread(node.process.wait)
    while await at.leader() is not first:  # noqa: ASYNC110  # it tells nobody
        await asyncio.sleep(1)
    fields = []
    async with httpx.AsyncClient(base_url=at.front, timeout=120) as client:
        for number in range(clubs):
            club, token = f"club{number:02}", f"{TOKEN}-of-the-administrator"
            await ask(client, "/api/clubs", token, name=club)
            host = (await ask(client, f"/api/clubs/{club}/tokens", token, name="host"))["token"]
            create = {"name": "cup", "game": "tictactoe", "start_at_bots": 2, "cycles": DRAIN_CYCLES, "legs": 2}
            await ask(client, f"/c/{club}/api/tournaments", host, **create)
            url = f"{at.front.replace('http', 'ws')}/c/{club}/bot"
            fields.append(Field("cup", ["bot002", "bot004"], [url], tuple(options.think_ms)))
    async with AsyncExitStack() as stack:
        for each in fields:
            await stack.enter_async_context(each.playing(10 * ON_S))
        for node in others:
            node.is_down = False
        for each in fields:
            await each.turns_of_all(ON_S)
        await at.until_all_run()
        for what, process in (("nothing", None), (f"{clubs} clubs drained", first.process)):
            for each in fields:
                each.pauses.take_of_all()
            if process is not None:
                process.terminate()
                await asyncio.to_thread(process.wait)
            await asyncio.sleep(2 * SETTLE_S)
            pauses = sorted(each.pauses.take_of_all() for each in fields)
            print(f"{what}: longest pause of a club {pauses[-1]:.2f} s, median {statistics.median(pauses):.2f} s")
        if any(each.count("tournament_over") for each in fields):
            print("NOT MET: a tournament was over before the drain was")
            return False
    wrong = [wrong for each in fields for wrong in each.wrongs()]
    overs = [frame for each in fields for _, frame in each.frames if frame["type"] == "match_over"]
    blamed = [frame for frame in overs if frame.get("at_fault")]
    print(f"{len(overs) // 2} matches, {len(blamed)} with a bot at fault; {'; '.join(wrong[:3]) or 'nobody blamed'}")
    return not (wrong or blamed)


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Run processes that take the processors for a block."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


async def main(options: argparse.Namespace, at: Machines) -> bool:
    """Measure all faults, and print a table. Return True if every check held."""
    rows = []
    async with in_background(at.start_again()):
        if options.clubs:
            return await drained(at, options.clubs, options)
        for name in options.faults:
            times = options.times or FAULTS[name][1]
            rows.append(await measure(at, name, times, options))
            print(rows[-1], flush=True)
    print(f"\n{options.proxy}{', beside two busy loops' if options.busy else ''}: longest pause in s (and its median)")
    print("of raw bots, of bots with the SDK, of feeds, of the club; connections lost, what was refused")
    for row in rows:
        print(row)
    return not any(row.wrong for row in rows)


if __name__ == "__main__":
    parser = options_of(__doc__, times=int, bots=24, clubs=0, visitors=50)
    parser.add_argument("--proxy", choices=PROXIES, default="nginx")
    parser.add_argument("--faults", nargs="+", choices=FAULTS, default=list(FAULTS))
    parser.add_argument("--think-ms", type=int, nargs=2, default=(150, 350), help="How long bots think, from and to.")
    parser.add_argument("--busy", action="store_true", help="Beside two processes that take the processors.")
    parser.add_argument("--source", type=Path, default=ROOT, help="Another checkout.")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="Settings of the nodes.")
    parser.add_argument("--logs", type=Path, help="A folder for the logs; without it they are not kept.")
    options = parser.parse_args()
    more = dict(each.split("=", 1) for each in options.set)
    with tempfile.TemporaryDirectory(prefix="rumble-nodes-") as temporary:
        logs = options.logs or Path(temporary)
        logs.mkdir(parents=True, exist_ok=True)
        logs.chmod(0o755)
        with machines(options.proxy, logs, more, options.source.resolve()) as at, busy(2 * options.busy):
            sys.exit(not asyncio.run(main(options, at)))
