"""Bots that use very little CPU, to measure the server alone: WebSocket by `picows`, JSON by `orjson`."""

import asyncio
import contextlib
import random
import resource
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson
from picows import WSFrame, WSListener, WSMsgType, WSTransport, ws_connect
from servers import Running

LONGEST_PLIES = 80
"""The ply at which a bot resigns: random play of chess would take some 330 plies, engines play a quarter of that."""

AT_ONCE = 100
"""Number of bots that log in at the same time."""

Message = dict[str, Any]


@dataclass
class Tally:
    """The messages received by the bots of a load, and their way of playing.

    `over` is set when `until` bots were told of their tournament's end, and at a `fault`.
    """

    think_s: float = 0.0
    """Mean thinking time of a bot for a move in s, varied by up to a half; 0: the bot answers at once."""
    until: int = 1
    turns: int = 0
    turn_bytes: int = 0
    results: int = 0
    tournaments_over: int = 0
    fault: str | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    """An event that is set at the first turn."""
    held: list[Callable[[], None]] | None = None
    """The actions postponed while all bots stand still; None while they play."""

    def pause(self) -> None:
        """Have all bots stand still: they answer no turn until `go_on`."""
        self.held = []

    def go_on(self) -> None:
        """Have bots think about the turns asked meanwhile."""
        held, self.held = self.held or [], None
        for each in held:
            each()

    def on_turn(self, turn: Message) -> None:
        """Take note of a turn that a bot was asked."""

    def on_move(self, turn: Message) -> None:
        """Take note that a bot is about to answer a turn."""

    def on_result(self, match_over: Message) -> None:
        """Take note of a result that a bot received."""

    def fail(self, fault: str) -> None:
        """End the load because of a fault."""
        self.fault = self.fault or fault
        self.over.set()

    async def ended(self) -> None:
        """Wait until the load is over. Raises RuntimeError at a fault."""
        await self.over.wait()
        if self.fault:
            raise RuntimeError(self.fault)


@dataclass
class Stopwatch(Tally):
    """Times moves: from before a bot writes its move until its opponent has read its turn."""

    sent_at: dict[str, float] = field(default_factory=dict)
    took_ms: list[float] = field(default_factory=list)

    def on_turn(self, turn: Message) -> None:
        sent_at = self.sent_at.pop(turn["match"], None)
        if sent_at is not None:
            self.took_ms.append((time.perf_counter() - sent_at) * 1000)

    def on_move(self, turn: Message) -> None:
        self.sent_at[turn["match"]] = time.perf_counter()


def p99(took_ms: list[float]) -> float:
    """Return the 99th percentile."""
    return statistics.quantiles(took_ms, n=100)[98]


class LoadBot(WSListener):
    """A connection that answers each turn with a random legal move. `login` is None for an echo."""

    lot = random.Random(1)

    def __init__(self, tally: Tally, login: Message | None = None) -> None:
        self._tally = tally
        self._login = login
        self._closing = False
        self._ready_at = "joined" if login and "join" in login else "session"
        self.ready = asyncio.Event()
        self.transport: WSTransport | None = None

    def on_ws_connected(self, transport: WSTransport) -> None:
        self.transport = transport
        if self._login is None:
            self.ready.set()
        else:
            self.say(self._login)

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type != WSMsgType.TEXT:
            return
        message = orjson.loads(frame.get_payload_as_memoryview())
        tally, kind = self._tally, message["type"]
        if kind == "turn":
            tally.turns += 1
            tally.begun.set()
            tally.turn_bytes += frame.payload_size
            tally.on_turn(message)
            self.think(message)
        elif kind == "match_over":
            tally.results += 1
            tally.on_result(message)
        elif kind == self._ready_at:
            self.ready.set()
        elif kind == "tournament_over":
            tally.tournaments_over += 1
            if tally.tournaments_over == tally.until:
                tally.over.set()
        elif kind in ("error", "rejected"):
            tally.fail(str(message))

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        if not self._closing:
            self._tally.fail("a connection was closed")

    def think(self, turn: Message) -> None:
        """Answer a turn, after a while where bots think."""
        if self._tally.think_s:
            thought_s = self._tally.think_s * self.lot.uniform(0.5, 1.5)
            asyncio.get_running_loop().call_later(thought_s, self.answer, turn)
        else:
            self.answer(turn)

    def answer(self, turn: Message) -> None:
        """Send a random legal move, or resign a long match."""
        if self._closing:
            return
        if self._tally.held is not None:
            self._tally.held.append(partial(self.think, turn))
            return
        if turn["ply"] >= LONGEST_PLIES:
            self.say({"type": "resign", "match": turn["match"]})
            return
        legal = safe_steps(turn) if turn["game"] == "snakes" else turn["legal"]
        move = legal[int(self.lot.random() * len(legal))]
        self._tally.on_move(turn)
        self.say({"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": move})

    def say(self, message: Message) -> None:
        assert self.transport is not None
        self.transport.send(WSMsgType.TEXT, orjson.dumps(message))

    def close(self) -> None:
        """Leave; later messages do not count."""
        self._closing = True
        if self.transport is not None:
            self.transport.disconnect()


STEPS = {"up": (0, 1), "down": (0, -1), "left": (-1, 0), "right": (1, 0)}
SNAKES_SIZE = 11


def safe_steps(turn: Message) -> list[str]:
    """Return the steps of a snake to free squares, or all steps: a random snake would turn back and die at once."""
    snakes = turn["state"]["snakes"]
    x, y = snakes[turn["seat"]]["body"][0]
    taken = {tuple(square) for snake in snakes for square in snake["body"]}
    ways = {name: (x + i, y + j) for name, (i, j) in STEPS.items()}
    inside = [name for name, square in ways.items() if all(0 <= each < SNAKES_SIZE for each in square)]
    return [name for name in inside if ways[name] not in taken] or list(ways)


async def connect(running: Running, path: str, tally: Tally, login: Message | None, own: str | None = None) -> LoadBot:
    """Connect a bot, from the address `own` if given, and wait until it is logged in and has joined.

    Raises RuntimeError if the bot is refused.
    """
    made = LoadBot(tally, login)
    local = None if own is None else (own, 0)
    await ws_connect(lambda: made, f"ws://{running.host}:{running.port}{path}", local_addr=local)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(made.ready.wait(), 30)
    if tally.fault or not made.ready.is_set():
        raise RuntimeError(tally.fault or f"no answer to {login}")
    return made


async def connect_all(running: Running, tally: Tally, logins: Iterable[Message]) -> list[LoadBot]:
    """Connect bots, many at once. Raises RuntimeError if a bot is refused."""
    bots, waiting = list[LoadBot](), list(logins)
    while waiting:
        some, waiting = waiting[:AT_ONCE], waiting[AT_ONCE:]
        bots += await asyncio.gather(*(connect(running, "/bot", tally, login) for login in some))
    return bots


@dataclass(frozen=True, slots=True)
class Measured:
    """A period of play. The server's CPU is the CPU of its whole process tree."""

    turns: int
    seconds: float
    server_cpu_s: float
    client_cpu_s: float
    turn_bytes: int

    @property
    def rate(self) -> float:
        """Turns a second."""
        return self.turns / self.seconds

    @property
    def cpu_us(self) -> float:
        """The server's CPU a turn in us."""
        return self.server_cpu_s / self.turns * 1e6

    @property
    def client_share(self) -> float:
        """The client's share of a core: near 1, the client is the bottleneck."""
        return self.client_cpu_s / self.seconds

    @property
    def turn_size(self) -> float:
        """The mean size of a turn's message in bytes."""
        return self.turn_bytes / self.turns


async def measure(tally: Tally, running: Running, seconds: float) -> Measured:
    """Measure for `seconds`, or until the load is over. Raises RuntimeError at a fault, and if nothing was played."""
    turns, turn_bytes = tally.turns, tally.turn_bytes
    server, client, began = running.cpu_s(), time.process_time(), time.perf_counter()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(tally.over.wait(), seconds)
    took = time.perf_counter() - began
    server, client = running.cpu_s() - server, time.process_time() - client
    if tally.fault or tally.turns == turns:
        raise RuntimeError(tally.fault or "no turn was played")
    return Measured(tally.turns - turns, took, server, client, tally.turn_bytes - turn_bytes)


def allow_many_connections() -> None:
    """Raise the limit of open files of this process, and of the servers it starts, to the maximum allowed."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
