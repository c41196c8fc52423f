"""Search for the dearest frame and the dearest request of each kind. `python benchmarks/dearest.py`

The search changes bytes at random from a fixed seed, and keeps inputs that hold the event loop longer. The server runs
in this process, without limits of numbers. A figure is the CPU time of the loop's thread: `turn`, the longest iteration
of the loop, which the search maximises, and `all`, from the first byte to the answer. Client and server share the loop,
so both figures are slightly too large. Loopback only; the search ends by itself, after `--seconds` for each kind whose
name has the text `--only`. The output has the first bytes of each input, as many as `--shown`.
"""

import argparse
import asyncio
import gc
import logging
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import servers  # noqa: F401  # for the path of `tests`
import uvloop
from options import options_of
from rumble_server.app import Server
from rumble_server.config import ServerConfig
from rumble_server.limits.bounds import Bounds

from tests.hostile.attacker import PING, PONG, TEXT, Attacker, frame

MANY = 1_000_000_000
SHORT_MS = 100
"""Maximum time in ms of an endless request; then the server refuses it."""
KEPT = 8
"""Number of inputs of a kind that are changed further."""
LOOKS = 3
"""Number of measurements of an input that seems dear; the minimum counts."""
END = bytes((0x80 | PONG, 3)) + b"end"
"""Answer of the server to the ping behind a frame."""
TOKENS = (
    *(b"{", b"}", b"[", b"]", b'"', b",", b":", b'"#":[],', b'"#":{"#":', b'"\\u0000', b"\\ud800", b"1e999", b"null,"),
    *(b"9" * 400, b"/", b"?", b"&", b"a=#&", b"%ff", b"%00", b"..", b"a,", b" ", b"\xff", b"\r\n", b"X-#: ,\r\n"),
    *(
        b"limit=400&",
        b"first=#&",
        b"move=a1&",
        b"position=",
        b'settings={"#":0}',
        b"1.1.1.1, ",
        b"::1,",
        b"gzip;q=0.1,",
    ),
    *(frame(PING), frame(TEXT, b"x", fin=False), frame(0, b"y", fin=False), frame(0), frame(TEXT, b"{}")),
)
"""Bytes that the search inserts; each # becomes a different number."""
GAMES = (b"tictactoe", b"connect4", b"chess", b"gomoku", b"snakes")
CHALLENGE = b'{"type":"challenge","against":"open","game":"tictactoe","settings":{"#":[]},"time_control":{"#":1}}'
LOGIN = b'{"type":"login","name":"other","games":["#","#"],"omit":["legal"],"version":"1","worker":"w"}'
MOVE = b'{"type":"move","match":"1.1.1.1.1","turn_id":"1.1","move":"a1","note":"x","info":{"#":1,"pv":["a"]}}'
MESSAGES = (
    CHALLENGE,
    LOGIN,
    MOVE,
    b'{"type":"join","tournament":"#"}',
    b'{"type":"nonsense#"}',
    b"[[[[[[[[",
    b'{"a":#',
)
TARGETS = (
    *(
        b"/?a=1&b=2",
        b"/api/tournaments?limit=1",
        b"/write?join=#",
        b"/play?against=a&game=chess",
        b"/docs",
        b"/metrics",
    ),
    *(b"/api/matches/1.1.1.1.1/boards?first=1", b"/c/a/b", b"/static/style.css", b"/bots/a", b"/nothing", b"/healthz"),
    *(b"/api/games/%s/board.svg?settings={}&move=a1&move=b2" % game for game in GAMES),
)
STATE = b'{"state":{"board":["..."]},"settings":{"#":1},"legal":["a1"],"last_move":"a"}'


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of input: the inputs to begin with, its size, the bytes to send, whether a bot with a login sends,
    and whether the server closes after its answer."""

    begins: tuple[bytes, ...]
    most_bytes: int
    wire: Callable[[bytes], bytes]
    is_frame: bool = False
    logs_in: bool = False
    closes: bool = True


def with_headers(lines: bytes, start: bytes = b"GET / HTTP/1.1\r\n") -> bytes:
    return start + b"Host: 127.0.0.1\r\nConnection: close\r\n" + lines + b"\r\n\r\n"


def posted(data: bytes) -> bytes:
    """Build a request from a first line with the path, and the body after that line."""
    path, _, body = data.partition(b"\n")
    return with_headers(b"Content-Length: %d" % len(body), b"POST " + path + b" HTTP/1.1\r\n") + body


KINDS = {
    "frame before a login": Kind(MESSAGES, 4_096, lambda data: frame(TEXT, data), is_frame=True),
    "frame after a login": Kind(MESSAGES, 65_536, lambda data: frame(TEXT, data), is_frame=True, logs_in=True),
    "bytes of frames": Kind(
        (frame(TEXT, b"{", fin=False), frame(PING, b"a")), 65_536, lambda data: data, is_frame=True
    ),
    "bytes of frames after a login": Kind((frame(PING), frame(TEXT, b"{")), 65_536, lambda data: data, True, True),
    "path and query": Kind(TARGETS, 4_096, lambda data: with_headers(b"", b"GET " + data + b" HTTP/1.1\r\n")),
    "headers": Kind(
        (
            b"X-#: a",
            b"Cookie: a=#;",
            b"Accept-Encoding: gzip;q=0.1",
            b"X-Forwarded-For: 1.1.1.1",
            b"Authorization: Bearer a",
        ),
        60_000,
        with_headers,
    ),
    "upgrade": Kind(
        (b"Origin: http://a", b"Sec-WebSocket-Extensions: a; b=#", b"Sec-WebSocket-Protocol: rumble.#,", b"Cookie: #"),
        60_000,
        lambda data: Attacker(0, "").upgrade().removesuffix(b"\r\n") + data + b"\r\n\r\n",
        closes=False,
    ),
    "body": Kind(tuple(b"/api/games/%s/board\n%s" % (game, STATE) for game in GAMES), 65_000, posted),
}


def numbered(data: bytes) -> bytes:
    """Replace each # by a different number."""
    first, *parts = data.split(b"#")
    return first + b"".join(b"%d%s" % (number, part) for number, part in enumerate(parts))


def changed(lot: random.Random, data: bytes, most: int) -> bytes:
    """Repeat, remove or insert bytes."""
    start = lot.randrange(len(data) + 1)
    stop = min(len(data), start + lot.choice((1, 2, 8, 16, 64, 1_000)))
    part = data[start:stop]
    match lot.randrange(4):
        case 0:
            return data[:start] + data[stop:]
        case 1:
            part = lot.choice(TOKENS)
            stop = start
    times = lot.choice((1, 2, 30, 60, 300, most)) if part else 1
    times = max(1, min(times, (most - len(data)) // (len(part) + 1)))
    return data[:start] + part * times + data[stop:]


class Watched:
    """Measures the iterations of the running loop, inside a `with` block."""

    def __enter__(self) -> "Watched":
        self.turn_s, self._runs = 0.0, True
        self._began_s = self._last_s = time.thread_time()
        self._look()
        return self

    def _look(self) -> None:
        now_s = time.thread_time()
        self.turn_s, self._last_s = max(self.turn_s, now_s - self._last_s), now_s
        if self._runs:
            asyncio.get_running_loop().call_soon(self._look)

    def __exit__(self, *_: object) -> None:
        self._runs = False
        self._look()
        self.all_s = self._last_s - self._began_s


async def measured(port: int, kind: Kind, data: bytes) -> tuple[float, float]:
    """Send an input on a new connection. Return the ms of the longest turn and of all until the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    data = kind.wire(numbered(data)[: kind.most_bytes])
    end = END if kind.is_frame else None if kind.closes else b"\r\n\r\n"
    try:
        if kind.is_frame:
            writer.write(Attacker(port, "").upgrade())
            await reader.readuntil(b'"welcome"')
            if kind.logs_in:
                writer.write(frame(TEXT, b'{"type":"login","name":"fuzz"}'))
                await reader.readuntil(b'"session"')
            data += frame(PING, b"end")
        await asyncio.sleep(0.003)
        with Watched() as watched:
            writer.write(data)
            try:
                async with asyncio.timeout(4 * SHORT_MS / 1000):
                    await (reader.read() if end is None else reader.readuntil(end))
            except (TimeoutError, ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                pass  # an input without an answer still has its time counted
        return watched.turn_s * 1000, watched.all_s * 1000
    finally:
        writer.transport.abort()


async def search(port: int, kind: Kind, seconds: float, lot: random.Random) -> tuple[float, float, bytes, int]:
    """Return the dearest input found in `seconds`: its two figures, the input, and the number of tries."""
    for data in kind.begins:
        await measured(port, kind, data)  # the first use of a route prepares it
    found = [(*await measured(port, kind, data), data) for data in kind.begins]
    tries, until_s = 0, time.monotonic() + seconds
    while time.monotonic() < until_s:
        tries += 1
        data = changed(lot, lot.choice(found)[2], kind.most_bytes)
        if len(numbered(data)) > kind.most_bytes:
            continue
        figures = await measured(port, kind, data)
        if figures[0] > found[-1][0]:
            figures = min([figures, *[await measured(port, kind, data) for _ in range(LOOKS - 1)]])
            found = sorted([*found, (*figures, data)], reverse=True)[:KEPT]
        if tries % 100 == 0:
            gc.collect()
    return *found[0], tries


async def main(options: argparse.Namespace) -> None:
    logging.disable(logging.CRITICAL)
    gc.disable()
    bounds = Bounds(
        header_ms=SHORT_MS, body_ms=SHORT_MS, idle_ms=SHORT_MS, wrong_tries_per_minute=MANY, requests_per_minute=MANY,
        reading_ms_per_minute=MANY, open_challenges=MANY, challenges_per_address=MANY, names_per_hour=MANY,
        unsolicited_per_minute=MANY,
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="rumble-") as folder:
        server = Server(ServerConfig(port=0, db=str(Path(folder, "a.db")), bounds=bounds, drain_ms=0))
        await server.start()
        print(f"{'kind':30} {'tries':>6} {'turn ms':>8} {'all ms':>8} {'bytes':>7}  begins")
        for name, kind in KINDS.items():
            if options.only in name:
                turn_ms, all_ms, data, tries = await search(
                    server.address[1], kind, options.seconds, random.Random(options.seed)
                )
                figures = f"{turn_ms:8.2f} {all_ms:8.2f} {len(numbered(data)):7,}"
                print(f"{name:30} {tries:6,} {figures}  {data[: options.shown]!r}", flush=True)
        await server.stop()


if __name__ == "__main__":
    uvloop.run(main(options_of(__doc__, seconds=20.0, seed=1, only="", shown=100).parse_args()))
