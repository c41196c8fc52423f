"""Battlesnakes written from Battlesnake's documentation, on loopback. A snake is plain, late, or answers garbage."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

STEPS = {"up": (0, 1), "down": (0, -1), "left": (-1, 0), "right": (1, 0)}
DETAILS = b'{"apiversion": "1", "author": "me", "color": "#888888", "head": "default", "tail": "default"}'
LATE_S = 0.8
"""Time in s after which the late snake answers."""


class Battlesnake(ThreadingHTTPServer):
    """The plain one: goes to the first free square, and shouts the direction. `requests` has paths with bodies."""

    details: tuple[int, bytes] = 200, DETAILS
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.connections = 0
        self.stopped = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def told(self, path: str) -> list[dict[str, Any]]:
        return [body for each, body in self.requests if each == path]

    def move(self, told: Mapping[str, Any]) -> tuple[int, bytes]:
        """Return the status and the content of an answer to `POST /move`."""
        board, (x, y) = told["board"], told["you"]["head"].values()
        taken = [tuple(square.values()) for snake in board["snakes"] for square in snake["body"][:-1]]
        ways = {name: (x + i, y + j) for name, (i, j) in STEPS.items()}
        inside = [name for name, (i, j) in ways.items() if 0 <= i < board["width"] and 0 <= j < board["height"]]
        move = next((name for name in inside if ways[name] not in taken), "up")
        return 200, json.dumps({"move": move, "shout": f"going {move}"}).encode()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: the bridge closes a connection whose answer it no longer awaits."""


class LateSnake(Battlesnake):
    """Has the same opinion, but too late."""

    def move(self, told: Mapping[str, Any]) -> tuple[int, bytes]:
        self.stopped.wait(LATE_S)
        return super().move(told)


class GarbageSnake(Battlesnake):
    """Answers each turn with other garbage; its answers to `/start` and `/end` are errors."""

    answers = (
        (200, b'{"move": "sideways"}'),
        (200, b'{"shout": "no move"}'),
        (200, b"[" * 10_000),
        (200, b'\xff{"move": "left"}'),
        (500, b'{"move": "left"}'),
        (200, b'{"move": "left", "shout": "' + b"x" * 70_000 + b'"}'),
        (200, b""),
    )

    def move(self, told: Mapping[str, Any]) -> tuple[int, bytes]:
        return self.answers[told["turn"] % len(self.answers)]


class Handler(BaseHTTPRequestHandler):
    """A connection that is kept open between requests."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and content are two packets
    server: Battlesnake

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_GET(self) -> None:
        self.reply(*self.server.details)

    def do_POST(self) -> None:
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, told))
        if self.path == "/move":
            self.reply(*self.server.move(told))
        else:
            self.reply(404 if isinstance(self.server, GarbageSnake) else 200, b"ok")

    def reply(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def snaking(kind: type[Battlesnake] = Battlesnake) -> Iterator[Battlesnake]:
    """Run a Battlesnake in a thread."""
    with kind() as snake:
        thread = threading.Thread(target=snake.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield snake
        finally:
            snake.stopped.set()
            snake.shutdown()
            thread.join()
