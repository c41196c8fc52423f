"""Costs of a link between nodes for a move: CPU on each side, and delay. `python benchmarks/link.py`

An edge and a leader run in processes of their own, on loopback. The leader's arena is a prepared answer: it reads each
move, and answers at once with the next turn. So the benchmark measures the link alone: encoding, streams, WebSocket,
sockets and the loop, and the second reading of the move. The edge's costs when it leads the club itself are subtracted.

A batch has a move of each bot in the same turn of the edge's loop; the next batch follows when all are answered. Then
`--bots` bots think for 50 to 150 ms each: ten moves a second for each bot. Where a node leads itself, a move takes next
to no time, so the bots' delay is the link's. The echo uses plain TCP between the same processes at the same time, and
shows the wait for a processor.
"""

import argparse
import asyncio
import multiprocessing
import resource
import socket
from collections.abc import Callable
from http import HTTPStatus
from multiprocessing.connection import Connection
from random import Random
from time import perf_counter
from types import SimpleNamespace
from typing import Any, cast

import uvloop
from plain_tcp import Echo, echoes, middle_and_tail
from rumble_protocol.bot_messages import Login
from rumble_protocol.codec import read_bot_message
from rumble_server.arena.ports import Caller
from rumble_server.bounds import Bounds
from rumble_server.cli.support.interpreter import Interpreter
from rumble_server.cluster.edge import Edge
from rumble_server.cluster.lead import Lead
from rumble_server.cluster.links import Links
from rumble_server.gateway.loop_clock import LoopClock

TURN = (
    b'{"type":"turn","match":"friday.1.1.1.1","attempt":1,"turn_id":"1.4f","game":"tictactoe","ply":3,"seat":1,"state":'
    b'{"board":"x.o..x...","to_move":1},"legal":["1","3","4","6","7","8"],"moves":["0","2","5"],"clock":'
    b'{"remaining_ms":1000,"seats_ms":[1000,1000],"lag_ms":0}}'
)
MOVE = '{"type":"move","match":"friday.1.1.1.1","turn_id":"1.4f","move":"4"}'
MESSAGE = read_bot_message(MOVE)
THINK_S = 0.05, 0.15


class ReadyArena:
    """Answers every move with a turn."""

    def __init__(self, sessions: Any) -> None:
        self.matches = SimpleNamespace(run=1)
        self.log = SimpleNamespace(durable=0, last=0)
        self.asked, self.reading, self.on_answered = 0, dict[int, None](), list[Callable[[], None]]()
        self._sessions = sessions

    def login(self, session_id: int, login: Login, caller: Caller) -> None:
        self._sessions.logged_in(session_id, login.name, 1)
        self._sessions.send(session_id, TURN)

    def receive(self, session_id: int, _message: object, _text: str, _thought_ms: int = -1) -> None:
        self._sessions.send(session_id, TURN)

    def lost(self, _session_id: int) -> None:
        """Ignore the end: nobody plays."""


class Answered:
    """The gateway's side: counts turns, and sets an event when all turns of a batch have come."""

    def __init__(self) -> None:
        self.left = 0
        self.all: asyncio.Event = asyncio.Event()
        self.open: dict[int, object] = {}
        self.on_turn: Any = None
        """Called with the session of each turn, instead."""

    def logged_in(self, _session_id: int, _name: str, _accepted: int) -> None:
        """A bot is in."""

    def send(self, session_id: int, _frame: bytes) -> None:
        if self.on_turn is not None:
            self.on_turn(session_id)
            return
        self.left -= 1
        if self.left <= 0:
            self.all.set()


class Bots:
    """`bots` bots on a node that does not lead their club, or (without an address) on a node that leads it."""

    def __init__(self, address: str | None, bots: int, name: str) -> None:
        self.sessions, clock = Answered(), LoopClock(asyncio.get_running_loop(), 1.0)
        self.bots = bots
        self.delays: list[float] = []
        self.edge = Edge("main", cast(Any, self.sessions), clock, Bounds())
        self.links = Links(name, "same", "a secret", 60.0)
        if address is None:
            self.edge.lead_here(cast(Any, ReadyArena(self.edge.guests)), 1, name)
        else:
            self.links.follow(self.edge, address, 1)

    async def log_in(self) -> None:
        caller = Caller("127.0.0.1", True, 1, 0, False, True, True, True)
        self.sessions.left = self.bots
        for session_id in range(1, self.bots + 1):
            self.sessions.open[session_id] = SimpleNamespace(closing=False)
            self.edge.login(session_id, Login(type="login", name=f"bot{session_id}"), caller)
        await self.sessions.all.wait()

    async def batches(self, seconds: float) -> int:
        """Have all bots move in one turn of the loop, again and again; return the number of moves."""
        sessions, receive, everyone = self.sessions, self.edge.receive, range(1, self.bots + 1)
        count, until_s = 0, perf_counter() + seconds
        while perf_counter() < until_s:
            sessions.left = self.bots
            sessions.all.clear()
            began_s = perf_counter()
            for session_id in everyone:
                receive(session_id, MESSAGE, MOVE)
            await sessions.all.wait()
            self.delays.append((perf_counter() - began_s) * 1000)
            await asyncio.sleep(0)
            count += self.bots
        return count

    async def thinking(self, seconds: float) -> int:
        """Have each bot think for a while; return the number of moves."""
        loop, random, moved_s = asyncio.get_running_loop(), Random(1), dict[int, float]()
        until_s = perf_counter() + seconds

        def move(session_id: int) -> None:
            moved_s[session_id] = perf_counter()
            self.edge.receive(session_id, MESSAGE, MOVE)

        def turn(session_id: int) -> None:
            now_s = perf_counter()
            self.delays.append((now_s - moved_s[session_id]) * 1000)
            if now_s < until_s:
                loop.call_later(random.uniform(*THINK_S), move, session_id)

        before = len(self.delays)
        self.sessions.on_turn = turn
        for session_id in range(1, self.bots + 1):
            loop.call_later(random.uniform(*THINK_S), move, session_id)
        await asyncio.sleep(seconds + THINK_S[1] + 0.05)
        self.sessions.on_turn = None
        return len(self.delays) - before


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def lead(port: Connection) -> None:
    """Run the leader's process: send its ports, and its CPU time at each request."""

    async def run() -> None:
        Interpreter(lambda: True).calm()
        made = Lead("main", 1, cast(Any, None), Bounds().link_bytes)
        made.attach(cast(Any, ReadyArena(made)))
        links = Links("leader", "same", "a secret", 60.0)
        links.lead(made)
        loop = asyncio.get_running_loop()
        servers = [await loop.create_server(each, "127.0.0.1", 0) for each in (lambda: Door(links), Echo)]
        port.send([each.sockets[0].getsockname()[1] for each in servers])
        while await asyncio.to_thread(port.recv):
            port.send(cpu_s())

    uvloop.run(run())


class Door(asyncio.Protocol):
    """Takes a request for a link, as the server's connections do."""

    def __init__(self, links: Links) -> None:
        self._links = links

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        head, _, rest = data.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")[1:]
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        assert self._links.refusal(headers) is None, HTTPStatus.FORBIDDEN
        self._transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._links.accept(self._transport, headers, head + b"\r\n\r\n", rest)


async def measure(port: Connection, address: str, bots: int, seconds: float, *, think: bool = False) -> tuple[Any, ...]:
    """Return moves a second, the CPU a move of edge and leader in us, and the delays in ms."""
    Interpreter(lambda: True).calm()
    spent = []
    for where in (None, address):
        node = Bots(where, bots, f"edge{bots}{think}")
        await node.log_in()
        play = node.thinking if think else node.batches
        await play(0.2)
        node.delays.clear()
        port.send(True)
        leader_s, edge_s = port.recv(), cpu_s()
        count = await play(seconds)
        edge_us = (cpu_s() - edge_s) / count * 1e6
        port.send(True)
        leader_us = (port.recv() - leader_s) / count * 1e6
        spent.append(edge_us)
        node.links.close()
    return count / seconds, spent[1] - spent[0], leader_us, node.delays


def told(took_ms: list[float]) -> str:
    """Return the median and the p99 in ms."""
    return "{:6.2f} {:6.2f}".format(*middle_and_tail(took_ms))


async def under_load(port: Connection, address: str, echo: int, bots: int, seconds: float) -> None:
    """Measure thinking bots, beside an echo."""
    echoed: list[float] = []
    echoing = asyncio.create_task(echoes(echo, echoed))
    rate, edge_us, leader_us, delays = await measure(port, address, bots, seconds, think=True)
    echoing.cancel()
    print(
        f"{bots} bots that think: {rate:,.0f} moves/s  edge {edge_us:.1f} us  leader {leader_us:.1f} us  delay ms",
        end="",
    )
    print(f" (median, p99) {told(delays)}  echo {told(echoed)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--batches", default="1,4,16,64,256")
    parser.add_argument("--bots", default="100,500,1500", help="How many think at the same time.")
    options = parser.parse_args()
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=lead, args=(theirs,), daemon=True)
    process.start()
    port, echo = ours.recv()
    address = f"http://127.0.0.1:{port}"
    print("moves in a batch   edge us a move   leader us a move   delay ms (median, p99)")
    for batch in map(int, options.batches.split(",")):
        _, edge_us, leader_us, delays = uvloop.run(measure(ours, address, batch, options.seconds))
        print(f"{batch:16}   {edge_us:14.1f}   {leader_us:16.1f}   {told(delays)}", flush=True)
    for bots in map(int, options.bots.split(",")):
        uvloop.run(under_load(ours, address, echo, bots, options.seconds))
    ours.send(False)
    process.join(5)


if __name__ == "__main__":
    main()
