"""Longest pauses of bots and visitors of three nodes at each fault. `python benchmarks/nodes.py --proxy nginx`

Three nodes, PostgreSQL (with fsync), a proxy with its file of docs/examples/cluster unchanged, and the clients each
have their own machine (network namespaces, which only root can make). 24 bots play: half with the SDK, half on a bare
WebSocket by the rules of PROTOCOL.md. 50 visitors read the tournament's feed like a browser's EventSource. For each
fault a tournament is played, in which the fault happens several times.

Each row tells the longest pause of raw bots and of SDK bots (time without a frame while a match was open), the longest
pause of a feed (time without an event), the longest time in which no bot heard anything, the number of lost
connections, and the refusals of bots and feeds. The benchmark checks that every match has one result, that frames
agree with the log, that no bot is blamed, and that no feed ends for good. `--busy` adds two processes that only take
processor time. Each fault has a time limit.
"""

import argparse
import asyncio
import json
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from machines import PROXIES, Machines, machines
from rumble_bots import Bot, Turn
from rumble_bots.sdk.address import Address
from rumble_bots.sdk.serve import serve
from rumble_bots.sdk.transport import Connection
from rumble_bots.sdk.transport import connect as sdk_connect
from rumble_protocol.codes import CloseCode
from servers import TOKEN
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from tests.e2e.log_checks import numbered  # `machines` puts the folder of `tests` on the path
from tests.e2e.raw_field import KEY, MATCHES_EACH, RawField
from tests.e2e.recording_bot import Frame, chosen
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
SILENT_S = 12.0
"""Time in s without data from the server after which a client gives a connection up."""
FIRST_PAUSE_S = 0.5
"""Time in s after which a raw bot comes again at first, where PROTOCOL.md does not say `at once`."""
AGAIN = (421, 502, 503)
"""Refusals after which a bot tries again within 1 s."""
NO_MORE = (4001, 4003, 4004, 4010)
LOG = "SELECT facts FROM log WHERE club = 'main' AND tournament IN (%s, '') ORDER BY number"
"""Facts by which a tournament is judged: its own, and facts of no tournament, such as owners of names."""


class Pauses:
    """Longest waits in s, by name of the waiting client."""

    def __init__(self) -> None:
        self._longest: dict[str, float] = {}
        self._since: dict[str, float] = {}
        """Start of each present wait, in s."""
        self._any_s, self._last_any_s = 0.0, time.monotonic()
        """Longest time in s in which no client heard anything, and the time in s of the newest frame or event."""

    def heard(self, who: str, waits: bool) -> None:
        """Note that a client heard something, and whether it now waits for more."""
        self._end_of_all()
        self._end(who)
        if waits:
            self._since[who] = time.monotonic()
        else:
            self._since.pop(who, None)

    def _end(self, who: str) -> None:
        if who in self._since:
            self._longest[who] = max(self._longest.get(who, 0.0), time.monotonic() - self._since[who])

    def _end_of_all(self) -> None:
        now_s = time.monotonic()
        self._any_s, self._last_any_s = max(self._any_s, now_s - self._last_any_s), now_s

    def take_of_all(self) -> float:
        """Return the longest time in s, since the last call, in which no client heard anything."""
        self._end_of_all()
        taken, self._any_s = self._any_s, 0.0
        return taken

    def take(self) -> dict[str, float]:
        """Return the longest wait of each client since the last call."""
        for who in self._since:
            self._end(who)
        taken, self._longest = self._longest, {}
        return taken


@dataclass(slots=True)
class Tally:
    """Ends and refusals of connections."""

    lost: int = 0
    """Connections of bots that ended too early."""
    refused: Counter[str] = field(default_factory=Counter)
    """Answers that refused a bot's handshake or a request for a feed."""
    for_good: int = 0
    """Feeds that a browser would have given up for good."""


class Listening(ClientConnection):
    """A connection that aborts after `SILENT_S` without data, pings included."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._watch = self.loop.call_later(SILENT_S, self.transport.abort)

    def data_received(self, data: bytes) -> None:
        self._watch.cancel()
        self._watch = self.loop.call_later(SILENT_S, self.transport.abort)
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._watch.cancel()
        super().connection_lost(exc)


@dataclass(slots=True)
class RawBot:
    """A bot on a bare WebSocket that follows PROTOCOL.md and does no more."""

    name: str
    url: str
    tournament: str
    think_s: Callable[[], float]
    heard: Callable[[Frame], None]
    tally: Tally
    _answers: set[asyncio.Task[None]] = field(default_factory=set)
    _pause_s: float = FIRST_PAUSE_S

    async def play(self) -> None:
        """Play until the end of the tournament."""
        while True:
            try:
                async with connect(
                    self.url, compression=None, ping_interval=None, proxy=None, create_connection=Listening
                ) as socket:
                    async for text in socket:
                        frame = json.loads(text)
                        self.heard(frame)
                        if frame["type"] == "tournament_over":
                            return
                        await self._on(socket, frame)
            except InvalidStatus as refused:
                status = refused.response.status_code
                self.tally.refused[f"bot {status}"] += 1
                if status in AGAIN:
                    await asyncio.sleep(random.uniform(0.5, 1.0))
                    continue
            except (OSError, EOFError, WebSocketException) as error:
                self.tally.lost += 1
                code = error.rcvd.code if isinstance(error, ConnectionClosed) and error.rcvd is not None else None
                if code in NO_MORE:
                    raise
                if code == CloseCode.NO_LEADER and self._pause_s == FIRST_PAUSE_S:
                    self._pause_s *= 2
                    continue
            else:
                self.tally.lost += 1
            await asyncio.sleep(self._pause_s * random.uniform(0.5, 1.5))
            self._pause_s = min(2 * self._pause_s, 30.0)

    async def _on(self, socket: ClientConnection, frame: Frame) -> None:
        if frame["type"] == "welcome":
            login = {"name": self.name, "key": KEY, "join": self.tournament, "max_matches": MATCHES_EACH}
            await socket.send(json.dumps({"type": "login", **login}))
        elif frame["type"] == "joined":
            self._pause_s = FIRST_PAUSE_S
        elif frame["type"] == "turn":
            answer = asyncio.create_task(self._answer(socket, frame))
            self._answers.add(answer)
            answer.add_done_callback(self._answers.discard)

    async def _answer(self, socket: ClientConnection, turn: Frame) -> None:
        await asyncio.sleep(self.think_s())
        move = {"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": chosen(turn)}
        with suppress(ConnectionClosed):
            await socket.send(json.dumps(move))


class Thinker(Bot):
    """An SDK bot that plays like the raw bots."""

    def __init__(self, think_s: Callable[[], float]) -> None:
        self._think_s = think_s

    async def choose(self, turn: Turn) -> str:
        await asyncio.sleep(self._think_s())
        return chosen({"state": turn.state, "legal": turn.legal})


@dataclass(slots=True)
class Overheard:
    """A connection of the SDK that tells each received frame to `heard`."""

    connection: Connection
    heard: Callable[[Frame], None]
    tally: Tally

    @property
    def round_trip_ms(self) -> float:
        return self.connection.round_trip_ms

    async def send(self, frame: str) -> None:
        await self.connection.send(frame)

    async def receive(self) -> str | bytes:
        try:
            text = await self.connection.receive()
        except Exception:
            self.tally.lost += 1
            raise
        self.heard(json.loads(text))
        return text

    async def close(self) -> None:
        await self.connection.close()


@dataclass(slots=True)
class SdkBot:
    """A bot with the SDK."""

    name: str
    url: str
    tournament: str
    think_s: Callable[[], float]
    heard: Callable[[Frame], None]
    tally: Tally

    async def play(self) -> None:
        """Play until the end of the tournament."""

        async def overhear(server: Address) -> Connection:
            try:
                return Overheard(await sdk_connect(server), self.heard, self.tally)
            except Exception:
                self.tally.refused["SDK"] += 1
                raise

        more = {"name": self.name, "key": KEY, "join": self.tournament, "max_matches": MATCHES_EACH}
        await serve(Thinker(self.think_s), self.url, connect=overhear, **more)  # type: ignore[arg-type]


@dataclass(slots=True)
class Field(RawField):
    """The bots of one tournament, raw bots and SDK bots in turn."""

    pauses: Pauses = field(default_factory=Pauses)
    tally: Tally = field(default_factory=Tally)
    _open: dict[str, set[str]] = field(default_factory=dict)

    def _bot(self, name: str, url: str) -> Any:
        plain = RawField._bot(self, name, url)

        def heard(frame: Frame) -> None:
            plain.heard(frame)
            self._pausing(name, frame)

        kind = RawBot if is_raw(name) else SdkBot
        return kind(name, url, self.tournament, plain.think_s, heard, self.tally)

    def _pausing(self, name: str, frame: Frame) -> None:
        matches = self._open.setdefault(name, set())
        match frame["type"]:
            case "match_start":
                matches.add(frame["match"])
            case "match_over":
                matches.discard(frame["match"])
            case "session":
                matches.intersection_update(frame["matches"])
            case "tournament_over":
                matches.clear()
        self.pauses.heard(name, bool(matches))


def is_raw(name: str) -> bool:
    return int(name[3:]) % 2 == 1


@dataclass(slots=True)
class Visitor:
    """A reader of a feed, like a browser's EventSource: any answer other than a feed ends the reading for good.

    Unless the visitor is plain, it then begins again, as the pages' own script does.
    """

    name: str
    front: str
    tournament: str
    pauses: Pauses
    tally: Tally
    is_plain: bool
    is_over: bool = False
    """True once the feed has told the end of the tournament."""
    _last: str = ""
    _retry_s: float = 3.0

    async def read(self) -> None:
        while not self.is_over:
            try:
                status = await self._read_once()
            except (OSError, EOFError, ValueError):
                status = 0  # the connection ended; a browser reconnects
            if status:
                self.tally.refused[f"feed {status}"] += 1
                self.tally.for_good += 1
                if self.is_plain:
                    self.pauses.heard(self.name, waits=False)
                    return
                self._retry_s = 1.0
            await asyncio.sleep(self._retry_s)

    async def _read_once(self) -> int:
        """Read one answer to its end; return its status if the answer is not a feed, else 0."""
        host = urlsplit(self.front).netloc
        reader, writer = await asyncio.open_connection(*host.split(":"))
        try:
            asked = f"GET /api/tournaments/{self.tournament}/events HTTP/1.1\r\nHost: {host}\r\n"
            resumed = f"Last-Event-ID: {self._last}\r\n" if self._last else ""
            writer.write(f"{asked}Accept: text/event-stream\r\n{resumed}\r\n".encode())
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            status = int(head.split()[1])
            if status != httpx.codes.OK or "text/event-stream" not in head:
                return status
            async for line in self._lines(reader, head):
                name, _, value = line.partition(": ")
                if name == "retry":
                    self._retry_s = int(value) / 1000
                elif name == "id":
                    self._last = value
                elif name == "event":
                    self.pauses.heard(self.name, waits=True)
                elif name == "data" and '"status":"finished"' in value:
                    self.is_over = True
                    self.pauses.heard(self.name, waits=False)
                    return 0
        finally:
            writer.close()
        return 0

    @staticmethod
    async def _lines(reader: asyncio.StreamReader, head: str) -> AsyncIterator[str]:
        """Yield the lines of a body."""
        rest = b""
        chunked = "transfer-encoding: chunked" in head
        length = re.search(r"content-length: (\d+)", head)
        left = 1 << 62 if length is None else int(length[1])
        while True:
            if chunked:
                size = int(await reader.readline(), 16)
                piece = (await reader.readexactly(size + 2))[:-2]
            else:
                piece = await reader.read(min(left, 1 << 16))
                left -= len(piece)
            if not piece:
                return
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                yield line.decode()


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
        told = f"{self.name:12} {len(self.raw_s):2} times  {pauses}  lost {self.tally.lost:3}  refused {refused}"
        return f"{told}  {'NOT MET: ' + self.wrong if self.wrong else 'one result each, nobody blamed, no feed ended'}"


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
    overs = [frame for each in fields for _, frame in each.told if frame["type"] == "match_over"]
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--proxy", choices=PROXIES, default="nginx")
    parser.add_argument("--faults", nargs="+", choices=FAULTS, default=list(FAULTS))
    parser.add_argument("--times", type=int, help="How often each happens; by default 10 kills, and 3 of others.")
    parser.add_argument("--bots", type=int, default=24)
    parser.add_argument("--clubs", type=int, default=0, help="Drain a node with so many clubs, and nothing else.")
    parser.add_argument("--visitors", type=int, default=50)
    parser.add_argument("--think-ms", type=int, nargs=2, default=(150, 350), help="How long bots think, from and to.")
    parser.add_argument("--busy", action="store_true", help="Beside two processes that take the processors.")
    parser.add_argument("--source", type=Path, default=Path(__file__).parents[1], help="Another checkout.")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="Settings of the nodes.")
    parser.add_argument("--logs", type=Path, help="A folder for the logs; without it they are not kept.")
    options = parser.parse_args()
    more = dict(each.split("=", 1) for each in options.set)
    with tempfile.TemporaryDirectory(prefix="rumble-nodes-") as temporary:
        logs = options.logs or Path(temporary)
        logs.chmod(0o755)
        with machines(options.proxy, logs, more, options.source.resolve()) as at, busy(2 * options.busy):
            sys.exit(not asyncio.run(main(options, at)))
