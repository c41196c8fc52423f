"""A server of nothing but the gateway, on a real port of loopback, and clients of it down to the bytes."""

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial
from random import Random
from time import perf_counter
from typing import Any, cast

import uvicorn
from rumble_protocol.clubs import MAIN
from rumble_protocol.fields import TimeControl
from rumble_protocol.server_messages import Limits
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.gateway.arrival import arriving
from rumble_server.gateway.connection import Connection
from rumble_server.gateway.descriptors import Descriptors, Sheddable
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.handshake import HandshakePolicy
from rumble_server.gateway.http_connection import HttpConnection
from rumble_server.gateway.loop_clock import LoopClock
from rumble_server.gateway.outbox import Outbox
from rumble_server.gateway.read_fairness import ReadFairness
from rumble_server.gateway.request_fairness import RequestFairness
from rumble_server.gateway.session import Link, Session
from rumble_server.gateway.sessions import SessionRegistry
from rumble_server.gateway.shared_by_connections import SharedByConnections
from rumble_server.limits.admission import Admission
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.permits import Permits
from rumble_server.limits.refusals import Refusals
from rumble_server.limits.source import Sources
from rumble_server.tournament.config import TournamentConfig
from websockets.asyncio.client import connect
from websockets.frames import Frame as WireFrame
from websockets.frames import Opcode

from tests.server.frames import Frame, checked
from tests.server.memory_log import MemoryLog
from tests.server.world import make_arena

PATIENCE_S = 30.0
"""Maximum wait in s; anything later counts as missing."""


async def _no_pages(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 404, "headers": []})
    await send({"type": "http.response.body", "body": b"no pages here\n"})


class OneClub:
    """The clubs of a server: a single loaded club."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway

    def get_loaded(self, name: str) -> "OneClub | None":
        return self if name == MAIN else None

    async def load(self, name: str) -> "OneClub | None":
        return self.get_loaded(name)

    refuses_bots = False

    def must_redirect(self, _name: str) -> bool:
        return False

    def was_removed(self, _name: str) -> bool:
        return False


class WatchedGateway(Gateway):
    """Sets `empty` whenever the last session has ended."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given, identity="1d")
        self.links: list[Connection] = []
        """The connections that had a session, oldest first."""
        self.empty = asyncio.Event()
        self.empty.set()

    def connect(self, link: Link) -> Session:
        self.empty.clear()
        self.links.append(cast(Connection, link))
        return super().connect(link)

    def end_session(self, session: Session) -> None:
        super().end_session(session)
        if not self.sessions.by_id:
            self.empty.set()


class GatewayServer:
    """The running server: its port, and the parts shared by its connections."""

    def __init__(
        self,
        *,
        host_names: Iterable[str] = (),
        bounds: Bounds | None = None,
        proxies: Iterable[str] = (),
        app: Any = _no_pages,
        descriptors: int = 1 << 20,
        now_s: Callable[[], float] = perf_counter,
        **limits: int,
    ) -> None:
        """`now_s` measures iterations of the loop."""
        bounds = bounds or Bounds()
        clock = LoopClock(asyncio.get_running_loop(), lambda: 1_000_000.0)
        self.log = MemoryLog(clock, delay_ms=0)
        self._sessions = SessionRegistry()
        self.arena = make_arena(log=self.log, clock=clock, sessions=self._sessions, run_number=1, random=Random(0))
        self.refusals = Refusals()
        admission = Admission(bounds, self.refusals)
        self.gateway = WatchedGateway(
            self.arena, self.arena, self._sessions, clock, admission, "test", Limits(**limits)
        )
        self.log.on_durable.append(self.arena.on_durable)
        self.http: list[HttpConnection] = []
        self.shared = SharedByConnections(
            clubs=OneClub(self.gateway),
            clock=clock,
            policy=HandshakePolicy(frozenset(host_names)),
            bounds=bounds,
            sources=Sources(proxies),
            permits=Permits(bounds),
            refusals=self.refusals,
            outbox=Outbox(),
            fairness=ReadFairness(bounds.strangers_ms_per_iteration, now_s=now_s),
            descriptors=Descriptors(descriptors, self.refusals, clock.now_ms),
        )

        def made(**given: Any) -> HttpConnection:
            self.http.append(HttpConnection(self.shared, **given))
            return self.http[-1]

        def connection(**given: Any) -> asyncio.Protocol:
            return arriving(self.shared.fairness, partial(made, **given))

        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        config = uvicorn.Config(
            RequestFairness(app, self.shared.fairness),
            http=connection,  # type: ignore[arg-type]  # uvicorn only calls it
            ws="none",
            lifespan="off",
            log_config=None,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
            timeout_keep_alive=bounds.idle_ms / 1000,  # type: ignore[arg-type]  # a timer takes it
        )
        config.load()
        self._server = uvicorn.Server(config)
        self._server.lifespan = config.lifespan_class(config)

    async def start(self) -> None:
        await self._server.startup([self._socket])

    async def drain(self) -> None:
        """Stop as uvicorn stops."""
        await self._server.shutdown([self._socket])

    async def stop(self) -> None:
        """Stop at once: uvicorn's own way takes a tenth of a second."""
        for listening in self._server.servers:
            listening.close()
        self._socket.close()
        for each in list(self._server.server_state.connections):
            cast(Sheddable, each).abort()
        await self.all_gone()

    @contextlib.asynccontextmanager
    async def several(self, count: int, bots: int) -> AsyncIterator[list["Raw"]]:
        """Yield so many upgraded clients; the first `bots` are logged in as bot0, bot1 and so on."""
        async with contextlib.AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(self.raw()) for _ in range(count)]
            for number, client in enumerate(clients):
                if number < bots:
                    await client.log_in(f"bot{number}")
                else:
                    await client.upgrade()
                    await client.hear("welcome")
            yield clients

    def create(self, **config: Any) -> str:
        """Create a tournament of tic-tac-toe, and return its id."""
        usual = {"name": "Friday", "game": "tictactoe", "time_control": TimeControl(move_ms=60_000)}
        return Organiser(self.arena).create(TournamentConfig(**{**usual, **config})).id

    @property
    def made(self) -> list[Connection]:
        """The connections that had a session, oldest first."""
        return self.gateway.links

    @property
    def open_connections(self) -> int:
        """The number of open connections, of HTTP and of bots."""
        return len(self._server.server_state.connections)

    @property
    def sessions(self) -> list[Session]:
        return list(self._sessions.by_id.values())

    async def all_gone(self) -> None:
        """Return when no session is left."""
        async with asyncio.timeout(PATIENCE_S):
            await self.gateway.empty.wait()

    def connect(self, **options: Any) -> connect:
        """A client of the `websockets` library."""
        return connect(f"ws://127.0.0.1:{self.port}/bot", **{"compression": None, "ping_interval": None, **options})

    @contextlib.asynccontextmanager
    async def raw(self, address: str = "127.0.0.1") -> AsyncIterator["Raw"]:
        """Yield a client that sends and reads the test's bytes, and answers nothing by itself."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0))
        try:
            yield Raw(reader, writer, self.port)
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


@contextlib.asynccontextmanager
async def served(**given: Any) -> AsyncIterator[GatewayServer]:
    """Run a server with default limits and bounds, or the given ones."""
    made = GatewayServer(**given)
    await made.start()
    try:
        yield made
    finally:
        await made.stop()


class Raw:
    """A socket with a WebSocket server at the other end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
        self.reader = reader
        self.writer = writer
        self._port = port

    async def upgrade(self, path: str = "/bot", **headers: str | None) -> int:
        """Ask for a WebSocket; return the status of the answer. A header of None is left out."""
        asked = {
            "Host": f"127.0.0.1:{self._port}",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
            "Sec-WebSocket-Version": "13",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        lines = [f"{name}: {value}" for name, value in asked.items() if value is not None]
        self.writer.write("\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode())
        head = await self.until(b"\r\n\r\n")
        return int(head.split()[1])

    async def log_in(self, name: str, **message: Any) -> None:
        """Ask for a WebSocket, and log a bot in."""
        assert await self.upgrade() == 101
        self.say(type="login", name=name, **message)
        await self.hear("session")

    async def until(self, end: bytes) -> bytes:
        async with asyncio.timeout(PATIENCE_S):
            return await self.reader.readuntil(end)

    def send(self, opcode: Opcode, data: bytes, *, fin: bool = True) -> None:
        """A frame, masked as a client must."""
        self.writer.write(WireFrame(opcode, data, fin).serialize(mask=True))

    def say(self, **message: Any) -> None:
        self.send(Opcode.TEXT, json.dumps(message).encode())

    async def frame(self) -> tuple[int, bytes]:
        """The next frame of the server: opcode and payload."""
        async with asyncio.timeout(PATIENCE_S):
            first, size = await self.reader.readexactly(2)
            if size == 126:
                (size,) = struct.unpack("!H", await self.reader.readexactly(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", await self.reader.readexactly(8))
            return first & 0x0F, await self.reader.readexactly(size)

    async def next(self, opcode: Opcode) -> bytes:
        """Skip frames until the next of this opcode, and return its payload."""
        while True:
            found, data = await self.frame()
            if found == opcode:
                return data

    async def hear(self, kind: str) -> Frame:
        """Skip frames until the next message of the given type, and return this message."""
        while (message := checked(await self.next(Opcode.TEXT)))["type"] != kind:
            pass
        return message

    async def close_code(self) -> int:
        """Skip frames until the next close frame, and return its code."""
        return int.from_bytes((await self.next(Opcode.CLOSE))[:2])

    async def ended(self) -> None:
        """Wait until the server has ended the connection; drop all data before the end."""
        async with asyncio.timeout(PATIENCE_S):
            with contextlib.suppress(ConnectionError):
                while await self.reader.read(65_536):
                    pass


async def until(condition: Callable[[], object]) -> None:
    """Return when it holds, having looked in each iteration of the loop."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110  # looks in each iteration
            await asyncio.sleep(0)
