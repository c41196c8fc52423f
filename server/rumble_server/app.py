"""The composition root: one server, from its configuration to its end. Start, drain, stop, close."""

import asyncio
import contextlib
import errno
import logging
import secrets
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from importlib.metadata import version
from random import SystemRandom
from typing import Any

import uvicorn
from rumble_protocol.codes import CloseCode

from rumble_server.arena.arena import Arena
from rumble_server.arena.house import HouseBots, HouseKeys
from rumble_server.arena.ports import HouseRunner
from rumble_server.arena.recovery import recover
from rumble_server.config import ServerConfig
from rumble_server.gateway.connection import Connection
from rumble_server.gateway.gateway import Gateway, Sessions
from rumble_server.gateway.handshake import HandshakePolicy
from rumble_server.gateway.loop_clock import LoopClock
from rumble_server.gateway.outbox import Outbox
from rumble_server.side_process import SideProcess
from rumble_server.store.archive import Archive
from rumble_server.store.codec import Numbered
from rumble_server.store.reader import LogReader
from rumble_server.store.sqlite import SqliteLog, database_path
from rumble_server.tournament.formats import Round
from rumble_server.web.app import make_web
from rumble_server.web.feed.feed import Feed
from rumble_server.web.feed.ranker import Ranker, on_thread
from rumble_server.web.site import Site

log = logging.getLogger(__name__)

SHUTDOWN_S = 3
"""How long uvicorn waits for open HTTP requests at the end."""


class StartError(RuntimeError):
    """The server cannot start; its text is one line for the host."""


class _Uvicorn(uvicorn.Server):
    """uvicorn without its signal handlers: the signals are the command line's, which drains first."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Server:
    """A Rumble server in this process. `await start()`, then `await stop()`."""

    def __init__(self, config: ServerConfig, make_house: Callable[[str], HouseRunner] | None = None) -> None:
        """Open the database and rebuild what it holds. Raises StoreError.

        `make_house` gives what runs house bots on the server of that address; without it there are none.
        """
        self.config = config
        self._make_house = make_house
        self._house: HouseRunner | None = None
        self._path = database_path(config.db)
        self.log = SqliteLog(self._path)
        self.reader = LogReader(self._path)
        self.host_token = self._host_token()
        self._run = self.log.count_run()
        self._socket: socket.socket | None = None
        self._uvicorn: _Uvicorn | None = None
        self._serving: asyncio.Task[None] | None = None
        self._pairing = SideProcess()
        self._pairings: set[asyncio.Task[None]] = set()
        self._written = asyncio.Event()
        """Set whenever more of the log is on disk."""

    def _host_token(self) -> str:
        token = self.config.host_token or self.log.get("host_token") or secrets.token_urlsafe(24)
        self.log.put("host_token", token)
        return token

    def _house_secret(self) -> str:
        secret = self.log.get("house_secret") or secrets.token_hex(32)
        self.log.put("house_secret", secret)
        return secret

    async def start(self) -> None:
        """Listen, and take up what was running. Raises StoreError; StartError, and then the database is closed."""
        loop = asyncio.get_running_loop()
        try:
            self._socket = _listen(self.config.host, self.config.port)
        except StartError:
            await self.log.close()
            self.reader.close()
            raise
        self.archive = Archive(self._path, self.log.file, self.config.bounds)
        sessions, keys = Sessions(), HouseKeys(self._house_secret())
        self.arena = Arena(
            log=self.log,
            clock=LoopClock(loop, time.time()),
            sessions=sessions,
            run=self._run,
            random=SystemRandom(),
            taken_ids=self.reader.tournament_ids(),
            grace_ms=self.config.grace_ms,
            find_ended=self.archive.find_ended,
            may_claim=keys.may_claim,
            work=self._work,
            bounds=self.config.bounds,
        )
        program = f"rumble {version('rumble')}"
        self.gateway = Gateway(self.arena, sessions, program, self.config.limits, open_names=self.config.open_names)
        self.feed = Feed(self.arena, Ranker(self.arena.clock.now_ms, on_thread))
        self.log.on_durable.append(self._on_durable)
        self.log.on_trouble.append(self.arena.on_trouble)
        unfinished = [self.reader.tournament_facts(each) for each in self.reader.tournament_ids(over=False)]
        self.log.attach(loop)
        recover(self.arena, self.reader.name_facts(), unfinished, self.reader.facts_of_matches)
        self._house = None if self._make_house is None else self._make_house(self.url)
        self.house_bots = HouseBots(self.arena, keys, self._house, self.config.house)
        hosts = self.config.allowed_hosts
        policy, outbox = HandshakePolicy(hosts), Outbox()

        def connection(server_state: Any, **_: Any) -> Connection:
            return Connection(self.gateway, policy, outbox, server_state.connections)

        site = Site(
            self.arena, self.log, self.archive, self.feed, self.house_bots, self.host_token, hosts, self.config.bounds
        )
        self._uvicorn = _Uvicorn(
            uvicorn.Config(
                make_web(site),
                http="httptools",
                ws=connection,  # type: ignore[arg-type]  # uvicorn only calls it
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=SHUTDOWN_S,
            )
        )
        self._serving = asyncio.create_task(self._uvicorn.serve(sockets=[self._socket]))
        while not self._uvicorn.started:
            if self._serving.done():
                await self._serving
                raise StartError("the web server stopped at once")
            await asyncio.sleep(0.01)
        for name in self.house_bots.names_lost():
            log.warning("no house bot %s: somebody else uses that name", name)
        self.house_bots.open()

    def _work(self, task: Callable[[], Round], done: Callable[[Round], None]) -> None:
        """Pair a round in another process: the library that does it would hold this one's loop."""

        async def pair() -> None:
            try:
                pulled = await self._pairing.run(task)
            except (BrokenExecutor, OSError) as error:
                log.error("the process that pairs rounds failed (%r): pairing here instead", error)
                pulled = task()
            done(pulled)

        pairing = asyncio.get_running_loop().create_task(pair())
        self._pairings.add(pairing)
        pairing.add_done_callback(self._pairings.discard)

    def _on_durable(self, batch: list[Numbered]) -> None:
        self._written.set()
        self.arena.on_durable()
        self.feed.publish(batch)
        self.house_bots.take(batch)

    @property
    def address(self) -> tuple[str, int]:
        """The host and port that it listens on."""
        if self._socket is None:
            raise RuntimeError("the server has not started")
        name = self._socket.getsockname()
        return str(name[0]), int(name[1])

    @property
    def url(self) -> str:
        """The address of the page."""
        host, port = self.address
        shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
        return f"http://{shown}:{port}"

    async def stop(self) -> None:
        """Drain: no new matches; running ones finish within `drain_ms` or stay resumable; close bots with 1001."""
        self.arena.drain()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.config.drain_ms / 1000):
                while self.arena.matches.live:
                    self._written.clear()
                    await self._written.wait()
        await self.log.wait_all()
        self.arena.stop()
        if self._house is not None:
            await self._house.close()
        self.gateway.close_all(CloseCode.DRAINING)
        self.feed.close()
        if self._uvicorn is not None and self._serving is not None:
            self._uvicorn.should_exit = True
            await self._serving
        for pairing in self._pairings:
            pairing.cancel()
        self._pairing.close()
        await self.log.close()
        self.reader.close()
        self.archive.close()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise StartError(f"port {port} of {host} is in use; choose another with --port") from None
        raise StartError(f"cannot listen on {host} port {port}: {error.strerror or error}") from None
