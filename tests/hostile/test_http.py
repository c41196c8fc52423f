"""HTTP without haste and without sense: requests are bounded, and no request leaves a traceback."""

import contextlib
import select
import socket
from collections.abc import Callable

import pytest

from tests.hostile.attacker import Attacker
from tests.hostile.conftest import BODY_MS, HEADER_MS

pytestmark = [pytest.mark.e2e, pytest.mark.long]

DRIP_S = 0.05
"""Pause between two bytes of a request that is in no haste, in s."""
PATIENT_DRIPS = int(3 * max(HEADER_MS, BODY_MS) / 1000 / DRIP_S)
"""Maximum number of bytes that a request sends: more than three times the number its deadline allows."""
PATHS = ("/api/tournaments", "/", "/nowhere")
REFUSED = range(400, 500)


def test_requests_have_deadlines(attacker: Attacker) -> None:
    """Silent sockets, sockets that fall silent, and sockets with a byte now and then are closed."""
    silent = [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: a\r\n"]
    slow = [b"", b"GET /", b"GET / HTTP/1.1\r\nHost: a\r\nX-Long: ", *map(slow_body(attacker), PATHS)]
    with contextlib.ExitStack() as opened:
        sockets = [opened.enter_context(attacker.socket()) for _ in (*silent, *slow)]
        for sock, data in zip(sockets, (*silent, *slow), strict=True):
            sock.sendall(data)
        open_now = dict(enumerate(sockets))
        for _ in range(PATIENT_DRIPS):
            readable, _, _ = select.select(open_now.values(), [], [], DRIP_S)
            open_now = {number: sock for number, sock in open_now.items() if sock not in readable or has_more(sock)}
            for number in open_now.keys() - range(len(silent)):
                with contextlib.suppress(ConnectionError):
                    sockets[number].sendall(b"x")
            if not open_now:
                break
    assert [(*silent, *slow)[number] for number in open_now] == []


def slow_body(attacker: Attacker) -> Callable[[str], bytes]:
    """Build the beginning of a request with a body. The answer may come at once; the rest of the body still comes."""
    return lambda path: attacker.get(path, "Content-Length: 100000\r\n", method="POST") + b"{"


def has_more(sock: socket.socket) -> bool:
    """Read from a readable socket. Return whether the socket is open."""
    try:
        return bool(sock.recv(1 << 16))
    except ConnectionError:
        return False


TWO_HOSTS, TWO_ORIGINS = "Host: evil.example\r\n", "Origin: http://127.0.0.1\r\nOrigin: http://evil.example\r\n"


@pytest.mark.parametrize("more", [TWO_HOSTS, TWO_ORIGINS, "Origin: http://[\r\n"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_requests_without_sense_are_answered(attacker: Attacker, method: str, more: str) -> None:
    expected = range(200, 500) if more != TWO_HOSTS else REFUSED
    assert attacker.ask("/api/tournaments", more, method=method) in expected


@pytest.mark.parametrize("path", ["//[/bot", "//evil/api/tournaments", "/%00", "/\x7f", "http://[/"])
def test_paths_without_sense_are_answered(attacker: Attacker, path: str) -> None:
    assert attacker.ask(path) in REFUSED
