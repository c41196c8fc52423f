"""Bots that use very little CPU, so that the server is what is measured: raw WebSocket frames, no JSON, no masking.

Each bot answers a `turn` with its first legal move, which it finds by searching the bytes.
"""

import asyncio
import base64
import contextlib
import json
import os
import time
from dataclasses import dataclass, field
from typing import Any

NO_MASK = b"\x00\x00\x00\x00"
"""A masking key of zeros is valid, and leaves the payload unchanged."""


def text_frame(payload: bytes) -> bytes:
    """Build a client's text frame."""
    if len(payload) < 126:
        return bytes((0x81, 0x80 | len(payload))) + NO_MASK + payload
    return bytes((0x81, 0xFE)) + len(payload).to_bytes(2) + NO_MASK + payload


@dataclass
class Tally:
    """Counts what the bots of one load received."""

    turns: int = 0
    results: int = 0
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def on_turn(self, turn: bytes) -> None:
        """Count a turn that a bot is about to answer."""
        self.turns += 1

    def on_result(self, match_over: bytes) -> None:
        """Count a result that a bot received."""
        self.results += 1


class LoadBot(asyncio.Protocol):
    """One connection. `login` is its first message; None for an echo, which expects no login."""

    def __init__(self, host: str, login: dict[str, Any] | None, tally: Tally, *, path: str = "/bot") -> None:
        self._host = host
        self._path = path
        self._login = login
        self._tally = tally
        self._buffer = bytearray()
        self._open = False
        self.ready = asyncio.Event()
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport) or hasattr(transport, "write")
        self.transport = transport  # type: ignore[assignment]
        key = base64.b64encode(os.urandom(16)).decode()
        self.write(
            f"GET {self._path} HTTP/1.1\r\nHost: {self._host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer
        buffer += data
        if not self._open:
            end = buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            assert buffer.startswith(b"HTTP/1.1 101"), bytes(buffer[:end])
            del buffer[: end + 4]
            self._open = True
            if self._login is not None:
                self.say(self._login)
            else:
                self.ready.set()
        start = 0
        while len(buffer) - start >= 2:
            size = buffer[start + 1]
            head = 2
            if size == 126:
                size = int.from_bytes(buffer[start + 2 : start + 4])
                head = 4
            if len(buffer) - start < head + size:
                break
            opcode = buffer[start] & 0x0F
            payload = bytes(buffer[start + head : start + head + size])
            start += head + size
            if opcode == 1:
                self._on_text(payload)
            elif opcode == 9:
                self.write(bytes((0x8A, 0x80 | len(payload))) + NO_MASK + payload)
            elif opcode == 8:
                self._tally.over.set()
        del buffer[:start]

    def _on_text(self, payload: bytes) -> None:
        if payload.startswith(b'{"type":"turn"'):
            self._tally.on_turn(payload)
            self.on_turn(payload)
        elif payload.startswith(b'{"type":"match_over"'):
            self._tally.on_result(payload)
        elif payload.startswith((b'{"type":"joined"', b'{"type":"session"')):
            self.ready.set()
        elif payload.startswith((b'{"type":"tournament_over"', b'{"type":"error"', b'{"type":"rejected"')):
            if not payload.startswith(b'{"type":"tournament_over"'):
                print(payload.decode())
            self._tally.over.set()

    def on_turn(self, turn: bytes) -> None:
        """Answer immediately."""
        self.write(text_frame(answer(turn)))

    def say(self, message: dict[str, Any]) -> None:
        self.write(text_frame(json.dumps(message, separators=(",", ":")).encode()))

    def write(self, data: bytes) -> None:
        if self.transport is not None:
            self.transport.write(data)


def answer(turn: bytes) -> bytes:
    """Build the answer with the first legal move of a turn."""
    match_at = turn.index(b'"match":"') + 9
    turn_at = turn.index(b'"turn_id":"') + 11
    legal_at = turn.index(b'"legal":["') + 10
    return b'{"type":"move","match":"%s","turn_id":"%s","move":"%s"}' % (
        turn[match_at : turn.index(b'"', match_at)],
        turn[turn_at : turn.index(b'"', turn_at)],
        turn[legal_at : turn.index(b'"', legal_at)],
    )


def cpu_s(pid: int) -> float:
    """Return the CPU time that a process has used, user and system, in s."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_kb(pid: int) -> int:
    """Return the resident memory of a process in KB."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


async def measure(tally: Tally, pid: int, seconds: float) -> tuple[float, float]:
    """Measure for `seconds` or until the end: turns a second, and the server's CPU in us a turn."""
    turns, cpu, began = tally.turns, cpu_s(pid), time.perf_counter()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(tally.over.wait(), seconds)
    took = time.perf_counter() - began
    done = tally.turns - turns
    return done / took, (cpu_s(pid) - cpu) / max(1, done) * 1e6
