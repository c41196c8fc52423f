"""Holds of the event loop by many strangers who act at once. `python benchmarks/storms.py`

Each storm comes from addresses of its own in 127.0.2.x. The output is the longest stretch in which the loop did not
come round, by the CPU time of its thread (`watched_loop.py`), and its duration by the clock, which other work on the
machine lengthens. Linux only, loopback only; the benchmark ends by itself.
"""

import asyncio
import contextlib
import os
import signal
import socket
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import uvloop
from load import allow_many_connections
from options import options_of
from stretches import GOAL_MS, longest, watched

from tests.hostile.all_at_once import QUESTION, WRONG
from tests.hostile.attacker import TEXT, Attacker, frame

LONG = b"/api/tournaments?" + b"a=%ff&" * 62 + b"a=" + b"%ff" * 1_200
"""A path and a query of some 4 KiB."""


def opened(attackers: list[Attacker], each: int) -> list[socket.socket]:
    """Connect `each` sockets from each address."""
    return [attacker.socket() for attacker in attackers for _ in range(each)]


def send(sockets: Iterable[socket.socket], data: bytes) -> None:
    for sock in sockets:
        with contextlib.suppress(OSError):
            sock.sendall(data)


def bots(attackers: list[Attacker], each: int, name: str = "") -> list[socket.socket]:
    """Open WebSockets, and log in if a name is given."""
    found = [attacker.bot() for attacker in attackers for _ in range(each)]
    for number, bot in enumerate(found if name else ()):
        bot.say(type="login", name=f"{name}{number}", key="key-of-the-storm")
        bot.until("session")
    return [bot.sock for bot in found]


def storms(attackers: list[Attacker]) -> dict[str, tuple[Callable[[], list[socket.socket]], bytes]]:
    """Return for each storm the function that prepares its sockets, and the data to send."""
    one, four = attackers[:1], attackers[:4]
    ask = one[0].get("/api/games/tictactoe/board", f"Content-Length: {len(QUESTION)}\r\n", method="POST") + QUESTION
    long = b"GET " + LONG + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    wrong = frame(TEXT, WRONG)
    return {
        "60 sockets of one address, each 20 wrong frames": (lambda: bots(one, 60), wrong * 20),
        "250 POSTs of five addresses": (lambda: opened(attackers[4:9], 50), ask),
        "240 bots logged in, each a wrong frame": (lambda: bots(four, 60, "storm"), wrong),
        "240 bots logged in, each 20 wrong frames": (lambda: bots(four, 60, "storm"), wrong * 20),
        "250 requests of four addresses": (lambda: opened(four, 62), long),
        "1,000 requests, pipelined, of four addresses": (lambda: opened(four, 62), long * 4),
        "1,500 requests of 29 addresses": (lambda: opened(attackers, 52), long),
        "250 upgrades of four addresses": (lambda: opened(four, 62), one[0].upgrade()),
    }


def connect_at_once(port: int, attackers: list[Attacker], each: int, begun: list[socket.socket]) -> None:
    """Begin to connect many sockets, without waiting for any."""
    for attacker in attackers:
        for _ in range(each):
            sock = socket.socket()
            begun.append(sock)
            sock.bind((attacker.address, 0))
            sock.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                sock.connect(("127.0.0.1", port))


def close(sockets: list[socket.socket]) -> None:
    for sock in sockets:
        sock.close()


async def measured(file: Path, act: Callable[[], object]) -> str:
    since_s = time.monotonic()
    await asyncio.to_thread(act)
    await asyncio.sleep(2.0)
    found = longest(file, since_s)
    verdict = "" if found.thread_ms <= GOAL_MS else "TOO LONG"
    return f"{found.thread_ms:7.1f} ms ({found.wall_ms:.0f} ms) {verdict}"


async def main() -> None:
    allow_many_connections()
    async with watched("--limit-loopback") as (running, file):
        attackers = [Attacker(running.port, f"127.0.2.{number}") for number in range(1, 30)]
        for name, (prepare, data) in storms(attackers).items():
            sockets = await asyncio.to_thread(prepare)
            await asyncio.sleep(1.0)
            print(f"{name:50} {await measured(file, partial(send, sockets, data))}", flush=True)
            close(sockets)
            await asyncio.sleep(1.0)
        for each in (60, 500):
            name, sockets = f"{4 * each:,} connections of four addresses, waiting", list[socket.socket]()
            os.kill(running.process.pid, signal.SIGSTOP)  # so that the whole storm waits for the server
            connect_at_once(running.port, attackers[10:14], each, sockets)
            go_on = partial(os.kill, running.process.pid, signal.SIGCONT)
            print(f"{name:50} {await measured(file, go_on)}", flush=True)
            print(f"{'closed at once':50} {await measured(file, partial(close, sockets))}", flush=True)


if __name__ == "__main__":
    options_of(__doc__).parse_args()
    uvloop.run(main())
