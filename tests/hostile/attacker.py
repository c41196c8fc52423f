"""A client without manners: raw bytes over a socket bound to an address of its own, 127.0.1.x.

Every wait is bounded: a socket that hears nothing for `PATIENCE_S` raises TimeoutError.
"""

import json
import re
import select
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from websockets.frames import Frame, Opcode

Message = dict[str, Any]

PATIENCE_S = 10.0
"""Maximum time in s for an answer or an effect of the server that a test waits for."""
TEXT, CONTINUED, CLOSE, PING, PONG = 0x1, 0x0, 0x8, 0x9, 0xA
UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{more}\r\n"
)


def frame(opcode: int, payload: bytes = b"", *, fin: bool = True) -> bytes:
    """Build a client's frame."""
    return Frame(Opcode(opcode), payload, fin).serialize(mask=True)


def text(message: Message) -> bytes:
    """Build the frame of a message."""
    return frame(TEXT, json.dumps(message).encode())


def statuses(answer: bytes) -> list[int]:
    """Return the statuses of the HTTP answers in these bytes, in order."""
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3})", answer)]


@dataclass(frozen=True, slots=True)
class Attacker:
    """Opens sockets from one address to the server on `port`."""

    port: int
    address: str

    def socket(self) -> socket.socket:
        """Connect."""
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE_S, (self.address, 0))

    def get(self, path: str, more: str = "", *, method: str = "GET") -> bytes:
        """Build a request with further header lines, each with its line end."""
        return f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{more}\r\n".encode()

    def upgrade(self, path: str = "/bot", more: str = "") -> bytes:
        """Build the request for a WebSocket."""
        return UPGRADE.format(path=path, host=f"127.0.0.1:{self.port}", more=more).encode()

    def ask(self, path: str, more: str = "", *, method: str = "GET") -> int:
        """Send a request on a connection of its own, and return the status of the answer."""
        with self.socket() as sock:
            sock.sendall(self.get(path, f"Connection: close\r\n{more}", method=method))
            (status,) = statuses(read_to_end(sock))
            return status

    def bot(self) -> "RawBot":
        """Open a WebSocket. Raises Refused."""
        return RawBot(self)

    def login(self, name: str, **more: Any) -> "RawBot":
        """Open a WebSocket and log in; the answer is still unread. Raises Refused."""
        bot = self.bot()
        bot.say(type="login", name=name, **more)
        return bot


class Refused(Exception):
    """The server did not upgrade. `status` is the answer's status; None without an answer."""

    def __init__(self, answer: bytes) -> None:
        found = statuses(answer)
        self.status = found[0] if found else None
        super().__init__(answer[:200].decode("latin-1") or "closed")


class RawBot:
    """A WebSocket, read and written frame by frame.

    `code` is None before the end, then the server's close code or 0.
    """

    def __init__(self, attacker: Attacker) -> None:
        self.sock = attacker.socket()
        self.code: int | None = None
        self.answers_pings = True
        self.sock.sendall(attacker.upgrade())
        self._unread = b""
        while b"\r\n\r\n" not in self._unread:
            if not self._fill():
                break
        head, _, self._unread = self._unread.partition(b"\r\n\r\n")
        if statuses(head) != [101]:
            self.sock.close()
            raise Refused(head)

    def __enter__(self) -> "RawBot":
        return self

    def __exit__(self, *_: object) -> None:
        self.sock.close()

    def say(self, **message: Any) -> None:
        self.send(text(message))

    def move(self, turn: Message, padding: str = "") -> None:
        """Answer a turn by its first legal move, with `padding` between two tokens of the frame."""
        answer = {"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": turn["legal"][0]}
        self.send(frame(TEXT, (padding + json.dumps(answer)).encode()))

    def send(self, data: bytes) -> None:
        """Send raw bytes, unless the server has closed."""
        try:
            self.sock.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            self.code = self.code or 0

    def frames(self, *, wait: bool = True) -> Iterator[tuple[int, bytes]]:
        """Yield opcode and payload of each frame, until the end; the server's pings are answered.

        Without `wait`, only frames that have already come are yielded.
        """
        while self.code is None:
            while (found := self._take()) is not None:
                opcode, payload = found
                if opcode == CLOSE:
                    self.code = int.from_bytes(payload[:2]) if payload else 1005
                elif opcode == PING and self.answers_pings:
                    self.send(frame(PONG, payload))
                yield opcode, payload
            if not wait and not select.select([self.sock], [], [], 0)[0]:
                return
            if self.code is None and not self._fill():
                self.code = 0

    def messages(self, *, wait: bool = True) -> Iterator[Message]:
        """Yield messages until the end; without `wait`, only messages that have already come."""
        return (json.loads(payload) for opcode, payload in self.frames(wait=wait) if opcode == TEXT)

    def until(self, *kinds: str, **fields: Any) -> Message:
        """Return the next message of the given types with the given fields. Raises ConnectionError at the end."""
        for message in self.messages():
            if message["type"] in kinds and fields.items() <= message.items():
                return message
        raise ConnectionError(f"closed with {self.code} before {' or '.join(kinds)} came")

    def closed(self) -> int:
        """Read to the end, and return the server's close code; 0 without a code."""
        for _ in self.frames():
            pass
        assert self.code is not None
        return self.code

    def flood(self, data: bytes) -> list[int]:
        """Send bytes while reading. Return the opcodes of all received frames, until the end.

        If the server does not close, the end is its answer to a last ping.
        """
        unsent, seen = memoryview(data + frame(PING, b"the end")), list[int]()
        while self.code is None:
            readable, writable, _ = select.select([self.sock], [self.sock] if unsent else [], [], PATIENCE_S)
            if not readable and not writable:
                raise TimeoutError
            if writable:
                try:
                    unsent = unsent[self.sock.send(unsent[:65_536], socket.MSG_DONTWAIT) :]
                except BlockingIOError:
                    pass
                except ConnectionError:
                    self.code = 0
            if readable:
                if not self._fill():
                    self.code = self.code or 0
                while (found := self._take()) is not None:
                    seen.append(found[0])
                    if found[0] == CLOSE:
                        self.code = int.from_bytes(found[1][:2])
                    elif found == (PONG, b"the end"):
                        return seen[:-1]
        return seen

    def _fill(self) -> bool:
        try:
            data = self.sock.recv(1 << 16)
        except ConnectionError:
            return False
        self._unread += data
        return bool(data)

    def _take(self) -> tuple[int, bytes] | None:
        """Return the next whole frame of the server's."""
        unread = self._unread
        if len(unread) < 2:
            return None
        size, start = unread[1], 2
        if size >= 126:
            start = 4 if size == 126 else 10
            size = int.from_bytes(unread[2:start])
        if len(unread) < start + size:
            return None
        self._unread = unread[start + size :]
        return unread[0] & 0x0F, unread[start : start + size]


def next_turn(*bots: RawBot) -> tuple[RawBot, Message]:
    """Return the bot that is asked next, and its turn; earlier messages are dropped."""
    while True:
        for bot in bots:
            for message in bot.messages(wait=False):
                if message["type"] == "turn":
                    return bot, message
        if not select.select([bot.sock for bot in bots], [], [], PATIENCE_S)[0]:
            raise TimeoutError


def play_on(*bots: RawBot, padding: str = "") -> Message:
    """Play a match of strict turns, with bots by seat, by the first legal moves; return its `match_over`."""
    for bot in cycle(bots):
        message = bot.until("turn", "match_over")
        if message["type"] == "match_over":
            return message
        bot.move(message, padding)
    raise ValueError("a match has bots")


def play_out(*bots: RawBot) -> None:
    """Answer each turn by its first legal move until all bots were told the end of their tournament."""
    playing = list(bots)
    while playing:
        if not select.select([bot.sock for bot in playing], [], [], PATIENCE_S)[0]:
            raise TimeoutError
        for bot in list(playing):
            for message in bot.messages(wait=False):
                if message["type"] == "turn":
                    bot.move(message)
                elif message["type"] == "tournament_over":
                    playing.remove(bot)


def read_to_end(sock: socket.socket) -> bytes:
    """Read until the server closes or resets."""
    parts = []
    try:
        while part := sock.recv(1 << 16):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts)


def is_open(sock: socket.socket) -> bool:
    """Return whether the server has neither closed nor reset a socket without unread data."""
    sock.setblocking(False)
    try:
        return bool(sock.recv(1 << 16, socket.MSG_PEEK))
    except BlockingIOError:
        return True
    except ConnectionError:
        return False
