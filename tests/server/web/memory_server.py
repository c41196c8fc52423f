"""A server in memory with its web, for tests: virtual time, a disk that can be held up, a reader of the same log."""

import asyncio
import json
import sqlite3
import weakref
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar, TypeVarTuple

import httpx
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter
from rumble_protocol.feed_messages import FeedEvent
from rumble_protocol.schema import schemas
from rumble_server.arena.commands.club_commands import ClubCommands
from rumble_server.arena.house import HouseBots, HouseKeys
from rumble_server.arena.state.clubs import ClubDirectory
from rumble_server.arena.state.names_and_keys import digest_of
from rumble_server.host.histogram import Histogram
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.permits import Permits
from rumble_server.limits.quotas import NO_QUOTAS
from rumble_server.store.log.async_reader import AsyncReader, ReadWorkers
from rumble_server.store.log.batch import Batch
from rumble_server.store.log.ended_count import EndedCount
from rumble_server.store.log.rebuilt_tournaments import RebuiltTournaments, use
from rumble_server.store.sqlite.rows import SqliteReader
from rumble_server.store.sqlite.schema import add_functions, open_database
from rumble_server.store.sqlite.writer import write
from rumble_server.tournament.club_facts import ClubCreated, HostTokenSet
from rumble_server.tournament.facts import TournamentEnded
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.app import make_web
from rumble_server.web.feed.feed import Feed
from rumble_server.web.feed.ranker import Ranker
from rumble_server.web.public_address import Addresses
from rumble_server.web.site import ClubUse, Process, ProcessFigures, Site
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.server.arena.fake_house import FakeHouse
from tests.server.reading_here import passed_on
from tests.server.world import Bot, World

TOKEN = "the-host-token"
METRICS_TOKEN = "the-metrics-token"
HOST = {"Authorization": f"Bearer {TOKEN}"}
WRITE_MS = 3
PATIENCE_S = 5.0

Args = TypeVarTuple("Args")
T = TypeVar("T")

_event: TypeAdapter[FeedEvent] = TypeAdapter(FeedEvent)
_schema = Draft202012Validator(schemas()["feed_event.json"])


class WaitingLog:
    """The world's log with the web's port: tests can wait for facts, and set `trouble`."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.trouble: str | None = None
        self.after_wait: Callable[[], object] | None = None
        """A change that is made once, at the end of the next wait. Its facts are not on disk then."""

    @property
    def durable(self) -> int:
        return self._world.log.durable

    @property
    def last(self) -> int:
        return self._world.log.last

    def flush_soon(self) -> None:
        self._world.log.flush_soon()

    async def wait(self, number: int) -> None:
        self._world.clock.advance(WRITE_MS)
        if number > self.durable:
            await asyncio.Event().wait()
        change, self.after_wait = self.after_wait, None
        if change is not None:
            change()


with closing(open_database(":memory:")) as _database:
    _EMPTY = _database.serialize()
    """A database without rows: a copy is made faster than another database."""


class MemoryReader(AsyncReader):
    """The server's reader on a database in memory with the facts of a world that are on disk; it has no thread and no
    process of its own.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._database.deserialize(_EMPTY)
        add_functions(self._database)
        weakref.finalize(self, self._database.close)
        self._written = self.reads = 0
        workers = ReadWorkers(lambda: SqliteReader(self._database, "memory"), Bounds())
        self._rebuilt = RebuiltTournaments(lambda: workers.reader, Bounds().rebuilt_results)
        super().__init__(workers, "main")

    def _write(self) -> None:
        """Write the new facts of the world that are on disk, and the records of tournaments that have ended."""
        self.reads += 1
        log, batch = self._world.log, Batch()
        first, self._written = self._written, log.durable
        for number, fact in enumerate(log.facts[first : log.durable], first + 1):
            batch.facts.append((number, fact))
            if isinstance(fact, TournamentEnded) and fact.tournament in log.records:
                batch.add_record(log.records[fact.tournament])
        if batch.facts:
            write(self._database, [batch.content()], index=False)

    async def run(self, make: Callable[[*Args], T], *args: *Args) -> T:
        self._write()
        use(self._rebuilt)
        return passed_on(make(*passed_on(args)))

    def _on_thread(self, read: Callable[[*Args], T], *args: *Args) -> "asyncio.Future[T]":
        self._write()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        future.set_result(read(*args))
        return future


@dataclass(frozen=True)
class Event:
    """An event of a feed as a reader gets it, checked against its model."""

    id: int
    kind: str
    data: dict[str, Any]


def parse(text: bytes) -> list[Event]:
    """Read the events of a piece of a stream. Fails on data that does not fit the model and the schema."""
    events = []
    for block in text.decode().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "data" not in lines:
            continue
        data = json.loads(lines["data"])
        model = _event.validate_json(lines["data"])
        assert model.model_dump(mode="json") == data
        _schema.validate(data)
        assert data["type"] == lines["event"]
        events.append(Event(int(lines["id"]), lines["event"], data))
    return events


class Watcher:
    """A reader of a feed, read step by step."""

    def __init__(
        self, server: "MemoryServer", tournament: Tournament, last_event_id: int | None = None, gzipped: bool = False
    ) -> None:
        self._server = server
        self._unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS) if gzipped else None
        feed = server.feed
        self.stream: AsyncIterator[bytes] = feed.stream(
            tournament, last_event_id, endings=feed.ending_count, gzipped=gzipped
        )
        self.events: list[Event] = []

    async def piece(self) -> bytes:
        """Read the next piece. If the piece waits for the disk, let the time of a write pass."""
        reading = asyncio.ensure_future(anext(self.stream))
        await asyncio.sleep(0)
        if not reading.done():
            self._server.pass_ms(WRITE_MS)
        return await asyncio.wait_for(reading, PATIENCE_S)

    async def read(self, kind: str) -> Event:
        """Read pieces until a piece has an event of this kind; return the last event of this kind in the piece."""
        while True:
            piece = await self.piece()
            new = parse(piece if self._unpacker is None else self._unpacker.decompress(piece))
            self.events += new
            found = [event for event in new if event.kind == kind]
            if found:
                return found[-1]

    def data_of(self, kind: str) -> list[dict[str, Any]]:
        """Return the data of the events of this kind that were read."""
        return [event.data for event in self.events if event.kind == kind]

    async def close(self) -> None:
        await self.stream.aclose()  # type: ignore[attr-defined]  # it is an async generator


class MemoryServer:
    """A server in memory with its web: logins, matches, files and pages without a socket."""

    def __init__(
        self,
        world: World | None = None,
        *,
        addresses: Addresses | None = None,
        host_names: frozenset[str] = frozenset(),
        residents: Sequence[str] = (),
    ) -> None:
        self.world = world or World(delay_ms=WRITE_MS)
        self.log = WaitingLog(self.world)
        self.reader = MemoryReader(self.world)
        counts: Counter[type] = Counter()
        ranker = Ranker(self.world.clock.now_ms, lambda task, done: done(task(), 0.0))
        self.feed = Feed(self.world.arena, self.log, ranker, counts)
        self.house = FakeHouse()
        self.house_bots = HouseBots(self.world.arena, HouseKeys("a-secret"), self.house, residents)
        self._published = self.world.log.durable
        self.world.log.on_durable.append(self._publish)
        self.add_host("default", TOKEN)
        self.ended = EndedCount()
        arena = self.world.arena
        self.operation = operation = ProcessFigures(
            ended=self.ended.by_status,
            fact_counts=counts,
            connections=dict,
            refusals=arena.admission.refusals,
            turn_latency=Histogram(),
            beat_delay_s=float,
            beat_delays=Histogram(),
            commits=Histogram(),
            waiting_facts=lambda: self.log.last - self.log.durable,
            metrics_token=METRICS_TOKEN,
        )
        self.process = Process(
            arena.clock.now_ms,
            addresses or Addresses(),
            host_names,
            Bounds(),
            operation,
            Permits(Bounds()),
            unready_reason=self._unready,
            guesses=arena.guesses,
            led_clubs=list,
        )
        self.main = Site(arena, ClubCommands(arena), self.log, self.reader, self.feed, self.house_bots)
        self.clubs = {self.main.club: self.main}
        self.elsewhere: set[str] = set()
        """Names of clubs led by another node."""

    @cached_property
    def web(self) -> ASGIApp:
        """The web of this server."""
        return make_web(self, self.process)

    def keep_loaded(self, _name: str) -> AbstractContextManager[None]:
        return nullcontext()

    def must_redirect(self, name: str) -> bool:
        return name in self.elsewhere

    async def site(self, name: str) -> Site | None:
        return self.clubs.get(name)

    @property
    def has_residents(self) -> bool:
        return any(bot.is_resident for bot in self.house_bots.bots())

    async def read_uses(self, *, stored: bool) -> dict[str, ClubUse]:
        return {name: ClubUse.of(site) for name, site in self.clubs.items()}

    def sites(self) -> Iterable[Site]:
        return self.clubs.values()

    @property
    def directory(self) -> ClubDirectory:
        return self.world.arena.clubs

    def add_host(self, name: str, token: str) -> None:
        """Register a host token."""
        self.world.arena.recorder.apply(HostTokenSet(name, "00", digest_of(token, "00"), 0))

    def take_in(self, name: str, other: "MemoryServer", title: str = "") -> None:
        """Add the world of another server as a club of this server."""
        self.clubs[name] = replace(other.main, club=name)
        self.directory.apply(ClubCreated(name, title, NO_QUOTAS, 0))

    def _unready(self) -> str | None:
        return "draining" if self.world.arena.scheduler.is_draining else self.log.trouble

    def _publish(self) -> None:
        first, self._published = self._published, self.world.log.durable
        batch = list(enumerate(self.world.log.facts[first : self._published], first + 1))
        if batch:
            self.house_bots.on_durable(batch)
            self.ended.count("main", batch)
            self.feed.publish(batch, Counter([type(fact) for _, fact in batch]))

    def browser(self, *, address: str = "127.0.0.1", is_local: bool | None = None, **given: Any) -> httpx.AsyncClient:
        """Make a client of the web at an address. Failures of the server become answers, as over a socket.

        `is_local` is what `gateway/http_connection.py` finds out about a request that was forwarded.
        """

        async def web(scope: Scope, receive: Receive, send: Send) -> None:
            await self.web({**scope, "state": {} if is_local is None else {"is_local": is_local}}, receive, send)

        transport = httpx.ASGITransport(web, raise_app_exceptions=False, client=(address, 40_000))
        return httpx.AsyncClient(transport=transport, **{"base_url": "http://rumble.test", **given})

    def watch(self, tournament: Tournament, last_event_id: int | None = None, *, gzipped: bool = False) -> Watcher:
        """Make a reader; with `gzipped`, the reader takes a gzip stream."""
        return Watcher(self, tournament, last_event_id, gzipped)

    async def watched(self, tournament: Tournament) -> Watcher:
        """Make a reader that has read its snapshot."""
        watcher = self.watch(tournament)
        await watcher.read("snapshot")
        return watcher

    def pass_ms(self, ms: int = 300) -> None:
        self.world.clock.advance(ms)

    def bots(self, *names: str, think_ms: int = 10, **login: Any) -> list[Bot]:
        """Log in bots that play the first legal move."""
        bots = self.world.logins(*names, **login)
        for bot in bots:
            bot.play(lambda turn: str(turn["legal"][0]), lambda: think_ms)
        return bots

    def begun(self, *names: str, think_ms: int = 10, **config: Any) -> tuple[Tournament, list[Bot]]:
        """Create a tournament that starts with these bots, which play the first legal move, and return both."""
        tournament = self.world.create(start_at_bots=len(names), **config)
        return tournament, self.bots(*names, think_ms=think_ms, join=tournament.id)

    def forget_tournaments(self) -> None:
        """Remove all tournaments from memory, as after their ends: answers are then made from the log."""
        for tournament_id in list(self.world.arena.tournaments):
            self.world.arena.tournaments.forget(tournament_id)

    def played(self, *names: str, **config: Any) -> Tournament:
        """Play a new tournament of these bots to its end, and return the tournament."""
        tournament, bots = self.begun(*names, **config)
        self.world.run()
        for bot in bots:
            bot.drop()
        self.pass_ms()
        assert tournament.status == "finished"
        return tournament
