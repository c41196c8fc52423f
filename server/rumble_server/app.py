"""The composition root: a `Server` makes all parts of a server from the configuration, and starts and stops them.

The command line and tests make a `Server`. No other module knows all parts of a server. Modules for leases are imported
only if the database is PostgreSQL. So a server with a SQLite file needs no driver of PostgreSQL.
"""

import asyncio
import contextlib
import errno
import logging
import secrets
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import uvicorn
from rumble_engine import broken_games
from rumble_protocol.clubs import MAIN
from rumble_protocol.secret import make_secret
from starlette.concurrency import run_in_threadpool

from rumble_server.arena.arena import Arena
from rumble_server.arena.commands.administrator import Administrator
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.arena.ports import HouseRunner
from rumble_server.arena.state.clubs import ClubDirectory
from rumble_server.arena.state.host_tokens import DEFAULT
from rumble_server.clubs.club import SharedByClubs
from rumble_server.clubs.lone_loader import LoneLoader
from rumble_server.clubs.pairing_process import PairingProcess
from rumble_server.clubs.registry import ClubLoader, ClubRegistry
from rumble_server.clubs.upkeep import Upkeep
from rumble_server.config import ServerConfig
from rumble_server.gateway.arrival import arriving
from rumble_server.gateway.connection import Connection
from rumble_server.gateway.descriptors import Descriptors, raise_limit
from rumble_server.gateway.gate import Gate
from rumble_server.gateway.handshake import HandshakePolicy
from rumble_server.gateway.http_connection import HttpConnection
from rumble_server.gateway.loop_clock import LoopClock
from rumble_server.gateway.outbox import Outbox
from rumble_server.gateway.read_fairness import ReadFairness
from rumble_server.gateway.request_fairness import RequestFairness
from rumble_server.gateway.shared_by_connections import SharedByConnections
from rumble_server.host.host_names import is_loopback, netloc
from rumble_server.host.networks import network_addresses
from rumble_server.host.repeating import until
from rumble_server.host.service_manager import tell_ready, tell_stopping
from rumble_server.host.tls import Certificate, CertificateError
from rumble_server.limits.admission import Admission
from rumble_server.limits.permits import Permits
from rumble_server.limits.refusals import Refusals
from rumble_server.limits.source import Sources
from rumble_server.store.log.club_log import ClubLog
from rumble_server.store.log.ended_count import EndedCount
from rumble_server.store.open import is_postgres, open_store
from rumble_server.web.app import make_web
from rumble_server.web.public_address import Addresses
from rumble_server.web.site import Process, ProcessFigures

if TYPE_CHECKING:
    from rumble_server.nodes.node import Node
    from rumble_server.nodes.question import LeaderAnswers

log = logging.getLogger(__name__)

EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Hosts that stand for every address of this machine, each with the loopback address at which the machine reaches
itself."""
SHUTDOWN_S = 3
"""Maximum time in s that uvicorn waits for open HTTP requests at the end."""

MakeHouse = Callable[[str, Certificate | None], HouseRunner]
"""Function that makes the runner of house bots, given the URL and the certificate of this server."""


class StartError(RuntimeError):
    """The error of a server that cannot start. The text is one line for the host."""


class _Uvicorn(uvicorn.Server):
    """uvicorn without signal handlers, because the command line handles signals, and drains first."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Server:
    """A Rumble server in this process. `await start()`, then `await stop()`."""

    def __init__(self, config: ServerConfig, make_house: MakeHouse | None = None) -> None:
        """Open the database. Raises StoreError; StartError for a bad certificate, or a node address without PostgreSQL.

        Without `make_house` the server has no house bots.
        """
        self.config = config
        if config.node_address is not None and not is_postgres(config.db):
            raise StartError(
                "--node-address makes one of several nodes, which share a database: give --db postgresql://..."
            )
        try:
            self._certificate = None if config.tls_cert is None else Certificate(config.tls_cert, config.tls_key)
        except CertificateError as error:
            raise StartError(str(error)) from None
        self._make_house = make_house
        self.store = open_store(config.db, config.bounds)
        self.refusals = Refusals()
        self.ended = EndedCount()
        self._fact_counts: Counter[type] = Counter()
        """Number of facts that this process has written, by type of fact."""
        self.made_token: str | None = None
        """Host token made at this start, to be printed once; None if a token is configured, or main has a token."""
        self.made_admin_token: str | None = None
        """Administrator's token made at this start, to be printed once; None if a token is configured or stored."""
        self.address: tuple[str, int]
        """Host and port that the server listens on, from `start` on. Pages show both even after the end."""
        self._uvicorn: _Uvicorn | None = None
        self._serving: asyncio.Task[None] | None = None
        self._node: Node | None = None
        self._pairing = PairingProcess()
        self._upkeep: Upkeep | None = None
        self._ending = contextlib.AsyncExitStack()
        """The steps of the server's end, in reverse order (see `_add_end_steps`)."""
        self._errors: list[Exception] = []
        """Errors of these steps."""

    async def start(self, stopping: asyncio.Event | None = None) -> bool:
        """Listen, and go on with unfinished tournaments.

        Return true after the start, or false if `stopping` was set during a standby.

        On PostgreSQL a server without a node address stands by while another server leads. Raises StoreError;
        StartError if the server cannot listen. If the server does not start, `start` ends what has started.
        """
        async with self._ending:
            # The lease ends when this server has nothing left to write, and before threads and other processes end,
            # whose current tasks may take seconds.
            self._add_end_steps(
                self.store.end_writing, self._end_lease, self._end_threads, self.store.close, self._pairing.close
            )
            if not await self._take_lease(stopping):
                return False
            # Clients may connect from now on, and wait in the socket's backlog until all clubs are loaded.
            listening = _listen(self.config.host, self.config.port)
            self._add_end_steps(listening.close)
            name = listening.getsockname()
            self.address = str(name[0]), int(name[1])
            await self._open(listening)
            self._ending = self._ending.pop_all()
        tell_ready()
        return True

    def _add_end_steps(self, *steps: Callable[[], Awaitable[None] | None]) -> None:
        """Run these steps at the end, in this order, and before the steps of earlier calls."""
        for step in reversed(steps):
            self._ending.push_async_callback(self._run_step, step)

    async def _run_step(self, step: Callable[[], Awaitable[None] | None]) -> None:
        """Run a step of the end. An error of the step is logged, and holds up no later step."""
        try:
            running = step()
            if running is not None:
                await running
        except Exception as error:
            log.exception("a step of the server's end failed")
            self._errors.append(error)

    async def _open(self, listening: socket.socket) -> None:
        """Load the clubs, and begin to serve on the socket `listening`. Raises StoreError and StartError."""
        for problem in broken_games().values():
            log.warning("a game is left out: %s", problem)
        self._clock = LoopClock(asyncio.get_running_loop(), time.time)
        house_runner = None if self._make_house is None else self._make_house(self.url, self._certificate)
        outbox, permits, admission = Outbox(), Permits(self.config.bounds), Admission(self.config.bounds, self.refusals)
        self._process = self._make_process(outbox, permits, admission)
        self._shared = SharedByClubs(
            config=self.config,
            store=self.store,
            identity=self.store.get_or_put("identity", secrets.token_hex(16)),
            secret=self.store.get_or_put("house_secret", secrets.token_hex(32)),
            clock=self._clock,
            run_pairing=self._pairing.run,
            house_runner=house_runner,
            admission=admission,
            close_banned=self._close_banned,
            ended=self.ended,
            fact_counts=self._fact_counts,
            make_gate=self._make_gate(),
            directory=ClubDirectory(self.config.bounds.main_quotas),
        )
        self.clubs = ClubRegistry(self._shared, self._register_tokens)
        self._upkeep = Upkeep(self.clubs)
        loader = self._make_loader()
        # Results are on disk and told before connections close. Arenas and house bots stop before the bots are closed,
        # so that no bot is judged for the end of the server.
        self._add_end_steps(self.clubs.close, self._end_serving, self._pairing.cancel)
        if house_runner is not None:
            self._add_end_steps(house_runner.close)
        self._add_end_steps(self.store.wait_all, self.clubs.stop, self._clock.stop)
        self._clock.on_sleep.append(self._resume_after_sleep)
        await self.clubs.start(loader)
        self._uvicorn = self._make_uvicorn(outbox, permits)
        self._uvicorn.config.load()
        if self._certificate is not None:
            self._uvicorn.config.ssl = self._certificate.context
        self._serving = asyncio.create_task(self._uvicorn.serve(sockets=[listening]))
        while not self._uvicorn.started:
            if self._serving.done():
                await self._serving
                raise StartError("the web server stopped at once")
            await asyncio.sleep(0.01)
        self.clubs.open_house()
        await run_in_threadpool(lambda: None)  # loads modules now, because loading takes 20 ms
        self._clock.measure_beat_delays()
        self._add_end_steps(self._upkeep.stop, self._drain)
        self._upkeep.start()

    async def _take_lease(self, stopping: asyncio.Event | None) -> bool:
        """Join the nodes of a PostgreSQL database, and on standby wait until this node leads main. Raises StoreError.

        Return False if `stopping` was set during the standby, otherwise True. With SQLite, return True at once.
        """
        config = self.config
        if not is_postgres(config.db):
            return True
        from rumble_server.nodes.node import Node, setup_of

        scheme = "http" if self._certificate is None else "https"
        address = config.node_address or f"{scheme}://{netloc(config.host, config.port, scheme)}"
        stands_by = config.node_address is None
        node = Node(config.db, config.bounds.lease_ms, address, setup_of(config.bounds.limits), stands_by=stands_by)
        await node.start()
        self._node = node
        if not stands_by:
            return True
        tell_ready()
        leading = asyncio.create_task(node.acquire(MAIN))
        stopped = asyncio.create_task((stopping or asyncio.Event()).wait())
        await asyncio.wait([leading, stopped], return_when=asyncio.FIRST_COMPLETED)
        for each in (leading, stopped):
            each.cancel()
        if not leading.done():
            return False
        await leading  # raises the error of the node, if any
        return True

    def _make_gate(self) -> Callable[[], Gate] | None:
        """Return the function that makes the gates of clubs, or None without a lease."""
        if self._node is None:
            return None
        from rumble_server.nodes.node import lease_s

        return partial(Gate, self._clock, self._node.lease, lease_s)

    def _make_loader(self) -> ClubLoader:
        """Make the loader of clubs. If this server is a node, the commands of its lease reach the clubs from now on."""
        node = self._node
        if node is None:
            return LoneLoader(self.clubs)
        if node.stands_by:
            from rumble_server.nodes.standby_clubs import StandbyClubs

            return LoneLoader(self.clubs, StandbyClubs(self.clubs, node).acquire)
        from rumble_server.nodes.node_clubs import NodeClubs

        return NodeClubs(self.clubs, node)

    def _make_leader_answers(self) -> "LeaderAnswers | None":
        """Make the object that answers proxies' questions; return None on a server without a node address."""
        node = self._node
        if node is None or node.stands_by:
            return None
        from rumble_server.nodes.question import LeaderAnswers

        return LeaderAnswers(node, self.clubs.knows)

    def _led_club_names(self) -> list[str]:
        return [club.name for club in self.clubs] if self._node is None else self._node.leads

    # --- tokens ---

    def _register_tokens(self, has_lost_tokens: bool) -> None:
        self._register_host_token()
        self._register_administrator_token(has_lost_tokens)

    def _register_host_token(self) -> None:
        """Register the configured host token. Without a configured token, make a token if main has none."""
        arena, token = self.clubs.main.arena, self.config.host_token
        if token is None and not arena.host_tokens:
            token = self.made_token = make_secret()
        if token is not None and arena.host_tokens.holder(token) != DEFAULT:
            Organiser(arena).set_token(DEFAULT, token)

    def _register_administrator_token(self, has_lost_tokens: bool) -> None:
        """Register the configured token of the administrator.

        Without a configured token, make a token if none is stored, or if facts about main are lost.
        """
        directory, token = self.clubs.directory, self.config.admin_token
        if token is None and (has_lost_tokens or not directory.has_administrator):
            token = self.made_admin_token = make_secret()
        if token is not None and not directory.is_administrator(token):
            Administrator(self.clubs.main.arena).set_token(token)

    # --- parts for all clubs ---

    def _make_process(self, outbox: Outbox, permits: Permits, admission: Admission) -> Process:
        """Make the description of this process for the web, with the figures for /metrics."""
        config = self.config
        figures = ProcessFigures(
            ended=self.ended.by_status,
            fact_counts=self._fact_counts,
            connections=self._count_connections,
            refusals=self.refusals,
            turn_latency=outbox.latency,
            beat_delay_s=lambda: self._clock.beat_delay_s,
            beat_delays=self._clock.beat_delays,
            commits=self.store.group.commits,
            waiting_facts=lambda: self.store.group.waiting_facts,
            metrics_token=config.metrics_token,
        )
        return Process(
            self._clock.now_ms,
            Addresses(config.public_url, self.network_urls),
            config.host_names,
            config.bounds,
            figures,
            permits,
            unready_reason=self._unready_reason,
            guesses=admission.guesses,
            led_clubs=self._led_club_names,
        )

    def _make_uvicorn(self, outbox: Outbox, permits: Permits) -> _Uvicorn:
        """Make the HTTP server of the bots and pages of all clubs, on one port."""
        config, bounds = self.config, self.config.bounds
        shared = SharedByConnections(
            clubs=self.clubs,
            clock=self._clock,
            policy=HandshakePolicy(config.host_names, config.public_url),
            bounds=bounds,
            sources=Sources(config.behind_proxy),
            permits=permits,
            refusals=self.refusals,
            outbox=outbox,
            fairness=ReadFairness(bounds.strangers_ms_per_iteration),
            descriptors=Descriptors(raise_limit(), self.refusals, self._clock.now_ms),
            question=self._make_leader_answers(),
        )

        def connection(**kwargs: Any) -> asyncio.Protocol:
            return arriving(shared.fairness, partial(HttpConnection, shared, **kwargs))

        return _Uvicorn(
            uvicorn.Config(
                RequestFairness(make_web(self.clubs, self._process), shared.fairness),
                http=connection,  # type: ignore[arg-type]  # uvicorn only calls it
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=bounds.idle_ms / 1000,  # type: ignore[arg-type]  # a timer takes it
                timeout_graceful_shutdown=SHUTDOWN_S,
            )
        )

    def _unready_reason(self) -> str | None:
        if self._node is not None and not self._node.has_valid_lease():
            return "the lease of this node is over"
        main = self.clubs.get_loaded(MAIN)
        if main is None:
            return None
        return "draining" if main.arena.scheduler.is_draining else main.log.trouble

    def _count_connections(self) -> dict[str, int]:
        bots, strangers = self.clubs.count_sessions()
        everything = 0 if self._uvicorn is None else len(self._uvicorn.server_state.connections)
        return {"bot": bots, "stranger": strangers, "web": max(0, everything - bots - strangers)}

    def _resume_after_sleep(self, slept_ms: int) -> None:
        self.clubs.for_each(lambda club: club.resume_after_sleep(slept_ms), "could not go on")

    def _close_banned(self) -> None:
        if self._uvicorn is not None:
            for each in list(self._uvicorn.server_state.connections):
                cast(HttpConnection | Connection, each).close_if_banned()

    # --- parts of main, for commands and tests ---

    @property
    def arena(self) -> Arena:
        return self.clubs.main.arena

    @property
    def log(self) -> ClubLog:
        return self.clubs.main.log

    # --- addresses ---

    @property
    def url(self) -> str:
        """URL of the server, as reached from this machine."""
        host, _ = self.address
        return self._url(EVERY_ADDRESS.get(host, host))

    def network_urls(self) -> list[str]:
        """Return the server's URLs on the present networks of this machine."""
        host, _ = self.address
        if host not in EVERY_ADDRESS:
            return [] if is_loopback(host) else [self._url(host)]
        return [self._url(each) for each in network_addresses() if (":" in each) == (":" in host)]

    def _url(self, host: str) -> str:
        scheme = "http" if self._certificate is None else "https"
        return f"{scheme}://{netloc(host, self.address[1], scheme)}"

    def reload(self) -> None:
        """Read the certificate again. Open connections stay; a bad certificate is logged, and not used."""
        if self._certificate is None:
            return
        try:
            self._certificate.reload()
        except CertificateError as error:
            log.error("the old certificate stays: %s", error)
        else:
            log.info("the certificate was read again")

    async def stop(self) -> None:
        """Start no more matches, let running matches finish for at most `drain_ms`, then stop.

        Unfinished matches go on in the next run. A server that is one of several nodes first hands all clubs over.
        Bots' connections are closed with code 1001. If a step fails, the others follow; raises an ExceptionGroup then.
        """
        tell_stopping()
        await self._ending.aclose()
        if self._errors:
            raise ExceptionGroup("the server did not stop in order", self._errors)

    # --- steps of the end ---

    async def _drain(self) -> None:
        """Hand all clubs over to other nodes, if any, and let running matches finish for at most `drain_ms`."""
        if self._node is not None and not self._node.stands_by:
            await self._node.hand_all_over()
        self.clubs.drain()
        clubs = self.clubs
        await until(lambda: not clubs.is_playing or clubs.must_end.is_set(), self.config.drain_ms / 1000)

    async def _end_serving(self) -> None:
        if self._uvicorn is not None and self._serving is not None:
            self._uvicorn.should_exit = True
            await self._serving

    async def _end_lease(self) -> None:
        if self._node is not None:
            await self._node.stop()

    async def _end_threads(self) -> None:
        if self._upkeep is not None:
            await self._upkeep.close()
            self.clubs.reading.close()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=2048)
        # Connections inherit this option. Without it, an answer in two pieces takes 40 ms longer; of the event loops
        # only uvloop sets it on every connection.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise StartError(f"port {port} of {host} is in use; choose another with --port") from None
        raise StartError(f"cannot listen on {host} port {port}: {error.strerror or error}") from None
