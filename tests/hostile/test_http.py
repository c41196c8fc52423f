"""HTTP without end, without haste and without sense: requests are bounded, and no request leaves a traceback."""

import contextlib
import json
import re
import select
import socket
from collections.abc import Callable

import pytest
from rumble_server.limits.bounds import Bounds

from tests.hostile.attacker import PATIENCE_S, TEXT, Attacker, frame, statuses, text
from tests.hostile.conftest import BODY_MS, HEADER_MS
from tests.hostile.target import Target

pytestmark = [pytest.mark.e2e, pytest.mark.long]

BOUNDS = Bounds()
TOO_MUCH = BOUNDS.header_bytes + 8_192
"""Bytes of headers that no request may have."""
ENDLESS = 150 << 20
MOST_GROWTH_KB = 32_768
DRIP_S = 0.05
"""Pause between two bytes of a request that is in no haste, in s."""
PATIENT_DRIPS = int(3 * max(HEADER_MS, BODY_MS) / 1000 / DRIP_S)
"""Maximum number of bytes that a request sends: more than three times the number its deadline allows."""
PATHS = ("/api/tournaments", "/", "/nowhere")
REFUSED = range(400, 500)


def endless(start: str) -> bytes:
    """Build the beginning of an endless request: `start`, then the letter x."""
    return start.encode().ljust(TOO_MUCH, b"x")


@pytest.mark.parametrize(
    "start", ["GET /", "GET / HTTP/1.1\r\nHost: a\r\nX-Long: ", "GET / HTTP/1.1\r\nHost: a\r\nX", "x"]
)
def test_what_has_no_end_is_refused(attacker: Attacker, start: str) -> None:
    """An endless URL, header value, header name and method."""
    answer = attacker.send(endless(start))
    assert statuses(answer)[0] in REFUSED if answer else True


def test_many_headers_are_refused(attacker: Attacker) -> None:
    line = f"X-Header: {'x' * 100}\r\n"
    answer = attacker.send(f"GET / HTTP/1.1\r\nHost: a\r\n{line * (TOO_MUCH // len(line))}".encode())
    assert statuses(answer)[0] in REFUSED if answer else True


def test_150_mb_of_headers_take_no_memory(server: Target, attacker: Attacker) -> None:
    before_kb = server.resident_kb()
    piece = f"X-Header: {'x' * 1_000}\r\n".encode() * 1_000
    sent = 0
    with attacker.socket() as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n")
        try:
            while sent < ENDLESS:
                sock.sendall(piece)
                sent += len(piece)
        except ConnectionError:
            pass
    assert server.resident_kb() - before_kb < MOST_GROWTH_KB
    assert sent < ENDLESS, "all of it was taken"


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


def test_pipelined_requests_take_no_memory(server: Target, attacker: Attacker) -> None:
    """Send some 100,000 short requests at once: few are read before the first ones are answered."""
    before_kb = server.resident_kb()
    with attacker.socket() as sock:
        sock.settimeout(DRIP_S)
        with contextlib.suppress(TimeoutError, ConnectionError):
            sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" * 100_000)
        sock.settimeout(PATIENCE_S)
        assert sock.recv(1 << 16)
        assert attacker.ask("/healthz") == 200
        assert server.resident_kb() - before_kb < MOST_GROWTH_KB


def test_pipelined_requests_are_answered_in_order(attacker: Attacker) -> None:
    paths = [f"/api/tournaments/nowhere-{number}" for number in range(4 * BOUNDS.pipelined_requests)]
    requests = [attacker.get(path) for path in paths[:-1]] + [attacker.get(paths[-1], "Connection: close\r\n")]
    answer = attacker.send(b"".join(requests))
    assert statuses(answer) == [404] * len(paths)
    assert re.findall(rb"nowhere-\d+", answer) == [path.rpartition("/")[2].encode() for path in paths]


def test_a_get_before_an_upgrade_is_answered_first(attacker: Attacker) -> None:
    with attacker.socket() as sock:
        sock.sendall(attacker.get("/healthz") + attacker.upgrade())
        answer = b""
        while b'"welcome"' not in answer:
            part = sock.recv(1 << 16)
            assert part, answer
            answer += part
    assert statuses(answer) == [200, 101]


def test_frames_that_come_with_the_upgrade_are_read(attacker: Attacker) -> None:
    with attacker.bot(text({"type": "login", "name": "hasty"})) as bot:
        assert bot.until("session")["name"] == "hasty"


def test_a_frame_that_begins_with_the_upgrade_is_read(attacker: Attacker) -> None:
    login = frame(TEXT, json.dumps({"type": "login", "name": "hasty"}).encode())
    with attacker.bot(login[:9]) as bot:
        bot.send(login[9:])
        assert bot.until("session")["name"] == "hasty"


TWO_HOSTS, TWO_ORIGINS = "Host: evil.example\r\n", "Origin: http://127.0.0.1\r\nOrigin: http://evil.example\r\n"


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("/bot", TWO_HOSTS),
        ("/bot", TWO_ORIGINS),
        ("/bot", "Origin: http://[\r\n"),
        ("/bot", "Origin: http://evil.example\r\n"),
        ("/bot", "Content-Length: 5\r\n"),
        ("/bot", "Transfer-Encoding: chunked\r\n"),
        ("//[/bot", ""),
        ("//evil/bot", ""),
        ("http://evil.example/bot", ""),
    ],
)
def test_upgrades_without_sense_are_refused(attacker: Attacker, path: str, more: str) -> None:
    answer = attacker.send(attacker.upgrade(path, more) + (b"hello" if "Content" in more else b""))
    assert statuses(answer)[0] in REFUSED


def test_an_upgrade_by_http_1_0_is_refused(attacker: Attacker) -> None:
    answer = attacker.send(attacker.upgrade().replace(b"HTTP/1.1", b"HTTP/1.0"))
    assert b" 101 " not in answer


@pytest.mark.parametrize("more", [TWO_HOSTS, TWO_ORIGINS, "Origin: http://[\r\n"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_requests_without_sense_are_answered(attacker: Attacker, method: str, more: str) -> None:
    expected = range(200, 500) if more != TWO_HOSTS else REFUSED
    assert attacker.ask("/api/tournaments", more, method=method) in expected


@pytest.mark.parametrize("path", ["//[/bot", "//evil/api/tournaments", "/%00", "/\x7f", "http://[/"])
def test_paths_without_sense_are_answered(attacker: Attacker, path: str) -> None:
    assert attacker.ask(path) in REFUSED


@pytest.mark.parametrize(
    "name", ["X-Forwarded-For", "Forwarded", "X-Client-IP", "CF-Connecting-IP", "X-Whatever", "Via"]
)
def test_what_was_forwarded_is_not_local(attacker: Attacker, name: str) -> None:
    """No proxy is believed here: a connection through a proxy needs a key, whatever header names the client."""
    value = {"Forwarded": "for=203.0.113.9", "Via": "1.1 proxy"}.get(name, "203.0.113.9")
    with attacker.bot(more=f"{name}: {value}\r\n") as bot:
        bot.say(type="login", name="through-a-proxy")
        assert bot.until("session", "error")["type"] == "error"
