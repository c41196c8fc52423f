"""Visitors of a tournament's page: a process that reads many feeds. `visitors.py` starts it.

    python benchmarks/crowd.py HOST:PORT TOURNAMENT VISITORS [OWN_ADDRESS ...]

Like browsers, visitors read the feed as a gzip stream. All visitors get the same bytes in each piece, so only the
first visitor unpacks a piece. The program prints `ready` once each visitor has its snapshot. At the end of its standard
input the program prints, as JSON: for each visitor the pieces received (by checksum) with the monotonic time, and the
results in each piece.
"""

import asyncio
import json
import re
import resource
import sys
import time
import zlib

import uvloop

AT_ONCE = 50
"""Number of visitors that come together: behind a proxy, each asks the node two questions, which have a time limit."""
AGAIN_S = 1.0
"""Time in s after which a visitor comes again, as the proxy's answer tells a browser."""
RESULT = re.compile(rb'^event: match_over\ndata: \{"match":"([^"]+)"', re.MULTILINE)


class Visitor(asyncio.Protocol):
    """Reads a feed with little CPU: the pieces of the answer (HTTP chunks), and the time when each was complete."""

    def __init__(self, host: str, tournament: str, own: tuple[str, int] | None, *, unpacks: bool) -> None:
        self._host, self._own = host, own
        path = f"/api/tournaments/{tournament}/events"
        head = f"Host: {host}\r\nAccept: text/event-stream\r\nAccept-Encoding: gzip\r\n"
        self._request = f"GET {path} HTTP/1.1\r\n{head}\r\n".encode()
        self._unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS) if unpacks else None
        self._buffer = bytearray()
        self._is_open = False
        self.ready = asyncio.Event()
        self.seen: list[tuple[int, float]] = []
        self.results: list[tuple[int, str]] = []
        self.read_bytes = 0
        self.ended = False

    def come(self) -> "asyncio.Task[tuple[asyncio.Transport, Visitor]]":
        """Connect, from the visitor's own address if it has one."""
        address, _, port = self._host.partition(":")
        connecting = asyncio.get_running_loop().create_connection(
            lambda: self, address, int(port), local_addr=self._own
        )
        return asyncio.ensure_future(connecting)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.write(self._request)  # type: ignore[attr-defined]  # a stream's transport has it

    def data_received(self, data: bytes) -> None:
        self.read_bytes += len(data)
        buffer = self._buffer
        buffer += data
        if not self._is_open:
            end = buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            assert buffer.startswith(b"HTTP/1.1 200"), bytes(buffer[:end])
            if b"content-encoding: gzip" not in buffer[:end].lower():
                return  # the answer of a proxy for which no node had time; the connection ends
            del buffer[: end + 4]
            self._is_open = True
        while (line := buffer.find(b"\r\n")) > 0:
            begin = line + 2
            end = begin + int(buffer[:line], 16)
            if len(buffer) < end + 2:
                return
            self._on_piece(bytes(buffer[begin:end]))
            del buffer[: end + 2]

    def _on_piece(self, piece: bytes) -> None:
        checksum = zlib.crc32(piece)
        self.seen.append((checksum, time.monotonic()))
        if len(self.seen) > 1:  # the first tells how soon to come back, the second is the snapshot
            self.ready.set()
        if self._unpacker is not None:
            text = self._unpacker.decompress(piece)
            self.results += [(checksum, match.decode()) for match in RESULT.findall(text)]

    def connection_lost(self, exc: Exception | None) -> None:
        if self._is_open:
            self.ended = True
        else:
            self._buffer.clear()
            asyncio.get_running_loop().call_later(AGAIN_S, self.come)


async def main(host: str, tournament: str, visitors: int, own: list[str]) -> None:
    loop = asyncio.get_running_loop()
    places: list[tuple[str, int] | None] = [(each, 0) for each in own] or [None]
    crowd = [Visitor(host, tournament, places[number % len(places)], unpacks=number == 0) for number in range(visitors)]
    for first in range(0, visitors, AT_ONCE):
        for visitor in crowd[first : first + AT_ONCE]:
            await visitor.come()
        async with asyncio.timeout(60):
            for visitor in crowd[first : first + AT_ONCE]:
                await visitor.ready.wait()
    print("ready", flush=True)
    for visitor in crowd:
        visitor.read_bytes = 0  # without the snapshots
    await loop.run_in_executor(None, sys.stdin.read)
    report = {
        "seen": [visitor.seen for visitor in crowd],
        "results": crowd[0].results,
        "read_bytes": sum(visitor.read_bytes for visitor in crowd),
        "ended": sum(visitor.ended for visitor in crowd),
    }
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    uvloop.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]))
