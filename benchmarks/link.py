"""What a link between nodes adds to a move: CPU on each side, and delay. `python benchmarks/link.py`

An edge and a leader in processes of their own, on loopback. The leader's arena is an answer that is ready: each move
is read there, and answered at once with the next turn. So what is measured is the link alone: encoding, streams,
WebSocket, sockets and the loop, and the second reading of the move. Batches are moves of one turn of the edge's loop.
"""

import argparse
import asyncio
import multiprocessing
import resource
import socket
from http import HTTPStatus
from multiprocessing.connection import Connection
from time import perf_counter
from types import SimpleNamespace
from typing import Any, cast

import uvloop
from rumble_protocol.bot_messages import Login
from rumble_protocol.codec import read_bot_message
from rumble_server.arena.ports import Caller
from rumble_server.bounds import Bounds
from rumble_server.cluster.edge import Edge
from rumble_server.cluster.lead import Lead
from rumble_server.cluster.links import Links
from rumble_server.gateway.loop_clock import LoopClock

MATCH = "friday.1.1.1.1"
TURN = (
    '{"type":"turn","match":"friday.1.1.1.1","attempt":1,"turn_id":"1.%x","game":"tictactoe","ply":3,"seat":1,"state":'
    '{"board":"x.o..x...","to_move":1},"legal":["1","3","4","6","7","8"],"moves":["0","2","5"],"clock":'
    '{"remaining_ms":1000,"seats_ms":[1000,1000],"lag_ms":0}}'
)
MOVE = '{"type":"move","match":"friday.1.1.1.1","turn_id":"1.%x","move":"4"}'


class ReadyArena:
    """Answers every move with a turn."""

    def __init__(self, lead: Lead) -> None:
        self.matches = SimpleNamespace(run=1)
        self.log = SimpleNamespace(durable=0, last=0)
        self._lead, self._turns = lead, 0

    def login(self, session_id: int, login: Login, caller: Caller) -> None:
        self._ask(session_id)

    def receive(self, session_id: int, _message: object, _text: str, _thought_ms: int = -1) -> None:
        self._ask(session_id)

    def reachable(self, _session_ids: object) -> None:
        """Nothing is timed."""

    def lost(self, _session_id: int) -> None:
        """Nobody plays."""

    def _ask(self, session_id: int) -> None:
        self._turns += 1
        self._lead.send(session_id, (TURN % self._turns).encode())


class Answered:
    """The gateway's side: waits until each of a batch has its turn."""

    def __init__(self) -> None:
        self.turn_ids: dict[int, str] = {}
        self.left = 0
        self.all: asyncio.Event = asyncio.Event()
        self.open: dict[int, object] = {}

    def send(self, session_id: int, frame: bytes) -> None:
        start = frame.index(b'"turn_id":"1.') + 13
        self.turn_ids[session_id] = frame[start : frame.index(b'"', start)].decode()
        self.left -= 1
        if self.left <= 0:
            self.all.set()


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def lead(port: Connection) -> None:
    """The leader's process: tells its port, and its CPU whenever it is asked."""

    async def run() -> None:
        made = Lead("main", 1, cast(Any, None), Bounds().link_bytes)
        made.attach(cast(Any, ReadyArena(made)))
        links = Links("leader", "same", "a secret", 60.0)
        links.lead(made)
        server = await asyncio.get_running_loop().create_server(lambda: Door(links), "127.0.0.1", 0)
        port.send(server.sockets[0].getsockname()[1])
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


async def measure(port: Connection, address: str, batch: int, seconds: float) -> tuple[float, float, float, float]:
    """Return the CPU a move of edge and leader in us, the median and the p99 of the delay in ms."""
    clock, sessions = LoopClock(asyncio.get_running_loop(), 1.0), Answered()
    edge = Edge("main", cast(Any, sessions), clock, Bounds())
    links = Links(f"edge{batch}", "same", "a secret", 60.0)
    links.follow(edge, address, 1)
    caller = Caller("127.0.0.1", True, 1, 0, False, True, True, True)
    sessions.left = batch
    for session_id in range(1, batch + 1):
        edge.login(session_id, Login(type="login", name=f"bot{session_id}"), caller)
    await sessions.all.wait()
    delays: list[float] = []

    async def rounds(until_s: float) -> int:
        count = 0
        while perf_counter() < until_s:
            sessions.left = batch
            sessions.all.clear()
            texts = [(each, MOVE % int(sessions.turn_ids[each], 16)) for each in range(1, batch + 1)]
            said = [(each, read_bot_message(text), text) for each, text in texts]
            began_s = perf_counter()
            for session_id, message, text in said:
                edge.receive(session_id, message, text)
            await sessions.all.wait()
            delays.append(perf_counter() - began_s)
            count += batch
        return count

    await rounds(perf_counter() + 0.2)
    delays.clear()
    port.send(True)
    leader_s, edge_s = port.recv(), cpu_s()
    count = await rounds(perf_counter() + seconds)
    edge_s = cpu_s() - edge_s
    port.send(True)
    leader_s = port.recv() - leader_s
    driver_s = _driver_s(count)
    links.close()
    delays.sort()
    middle, late = delays[len(delays) // 2], delays[int(len(delays) * 0.99)]
    return (edge_s - driver_s) / count * 1e6, leader_s / count * 1e6, middle * 1e3, late * 1e3


def _driver_s(count: int) -> float:
    """Return the CPU that this benchmark itself takes for a number of moves: their texts, and their reading."""
    few = min(count, 20_000)
    began_s = cpu_s()
    for number in range(few):
        read_bot_message(MOVE % int(f"{number:x}", 16))
    return (cpu_s() - began_s) * count / few


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--batches", default="1,4,16,64")
    options = parser.parse_args()
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=lead, args=(theirs,), daemon=True)
    process.start()
    address = f"http://127.0.0.1:{ours.recv()}"
    print("moves in a batch   edge us a move   leader us a move   delay ms (median, p99)")
    for batch in map(int, options.batches.split(",")):
        edge_us, leader_us, middle_ms, late_ms = uvloop.run(measure(ours, address, batch, options.seconds))
        print(f"{batch:16}   {edge_us:14.1f}   {leader_us:16.1f}   {middle_ms:8.2f}, {late_ms:.2f}")
    ours.send(False)
    process.join(5)


if __name__ == "__main__":
    main()
