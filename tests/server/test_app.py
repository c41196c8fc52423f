"""A whole server in this process: its start and its end, its addresses, and who is refused."""

import asyncio
import contextlib
import inspect
import json
import socket
import time
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any
from weakref import ref

import httpx
import pytest
import uvicorn
from pydantic import ValidationError
from rumble_engine import registry
from rumble_server.app import Server, StartError, _listen
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.clubs.club import Club
from rumble_server.clubs.lone_loader import LoneLoader
from rumble_server.clubs.reading_thread import ReadingThread
from rumble_server.clubs.registry import ClubRegistry
from rumble_server.config import ServerConfig
from rumble_server.host.side_process import SideProcess
from rumble_server.limits.bounds import Bounds
from rumble_server.store.errors import StoreError
from rumble_server.store.sqlite.store import SqliteStore
from rumble_server.tournament.config import TournamentConfig
from websockets.asyncio.client import connect

from tests.server.arena.fake_house import FakeHouse
from tests.server.failing import fail, fail_if
from tests.server.gateway.served import until
from tests.server.whole_server import PATIENCE_S, running


async def ask(
    server: Server, path: str, *headers: str, source: str = "127.0.0.1"
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Send a request from a loopback address."""
    host, port = server.address
    reader, writer = await asyncio.open_connection(host, port, local_addr=(source, 0))
    writer.write("\r\n".join([f"GET {path} HTTP/1.1", f"Host: {host}:{port}", *headers, "", ""]).encode())
    await writer.drain()
    return reader, writer


async def streaming(folder: Path) -> tuple[Server, asyncio.StreamReader, asyncio.StreamWriter]:
    """Start a server, and ask for the events of a tournament."""
    server = Server(ServerConfig(port=0, db=str(folder / "x.db"), drain_ms=0))
    await server.start()
    Organiser(server.arena).create(TournamentConfig(name="Friday", game="tictactoe"))
    await server.log.wait(server.log.last)
    return server, *(await ask(server, "/api/tournaments/friday/events"))


@pytest.mark.e2e
async def test_the_server_stops_while_streams_are_open(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    server, reader, writer = await streaming(tmp_path)
    async with asyncio.timeout(PATIENCE_S):
        head = await reader.readuntil(b"event: snapshot")
        assert head.startswith(b"HTTP/1.1 200")
        assert server.clubs.main.feed.reader_count == 1
        await server.stop()
        assert server.address[1] > 0, "a page that is still being answered names it"
        rest = await reader.read()
    assert rest.endswith(b"0\r\n\r\n"), "the stream has a proper end"
    assert [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []
    writer.close()


@pytest.mark.usefixtures("without_collector")
@pytest.mark.e2e
async def test_a_stream_whose_reader_goes_is_freed_without_the_collector(tmp_path: Path) -> None:
    server, reader, writer = await streaming(tmp_path)
    await reader.readuntil(b"event: snapshot")
    freed = asyncio.Event()
    (_reader,) = [ref(each, lambda _: freed.set()) for each in server.clubs.main.feed._channels["friday"].readers]
    writer.close()
    async with asyncio.timeout(PATIENCE_S):
        await freed.wait()
    await server.stop()


@pytest.mark.e2e
async def test_a_command_whose_body_has_not_come_is_refused_when_the_server_stops(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server = Server(ServerConfig(port=0, db=str(tmp_path / "x.db"), drain_ms=0, host_token="a-host-token"))
    await server.start()
    host, port = server.address
    reader, writer = await asyncio.open_connection(host, port)
    head = f"Host: {host}:{port}\r\nAuthorization: Bearer a-host-token\r\nContent-Length: 100\r\nExpect: 100-continue"
    writer.write(f"POST /api/tournaments HTTP/1.1\r\n{head}\r\n\r\n{{".encode())
    async with asyncio.timeout(PATIENCE_S):
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        await server.stop()
        answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert answer.endswith(b"the server stops\n")
    assert [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []
    writer.close()


@pytest.mark.e2e
async def test_a_start_names_a_game_that_is_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = EntryPoint("nim", "rumble_no_such_module:GAME", registry.GROUP)
    found = {"nim": broken, **registry.entries()}
    monkeypatch.setattr(registry, "entries", lambda: found)
    async with running(tmp_path / "x.db"):
        pass
    (warning,) = (record.getMessage() for record in caplog.records if record.levelname == "WARNING")
    assert warning.startswith("a game is left out: the entry point rumble.games:nim")


def test_a_node_needs_a_database_that_nodes_share(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="give --db postgresql://"):
        Server(ServerConfig(node_address="http://node1:8765", db=str(tmp_path / "rumble.db")))


@pytest.mark.e2e
async def test_a_server_that_cannot_listen_lets_go_of_its_database(tmp_path: Path) -> None:
    path = tmp_path / "rumble.db"
    async with running(path) as other:
        port = other.address[1]
        refused = Server(ServerConfig(port=port, db=str(tmp_path / "refused.db")))
        with pytest.raises(StartError, match="is in use"):
            await refused.start()
        with pytest.raises(StoreError, match="closed"):
            refused.store.get("runs")
        async with running(tmp_path / "refused.db"):
            pass


def test_connections_send_each_piece_of_an_answer_at_once() -> None:
    with _listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.e2e
async def test_a_server_that_cannot_load_its_clubs_lets_go_of_port_and_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        fail_if(broken, LoneLoader, "start", lambda *_: True, error=StoreError("main cannot be read"))
        refused = Server(ServerConfig(port=0, db=str(tmp_path / "refused.db")))
        with pytest.raises(StoreError, match="main cannot be read"):
            await refused.start()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(*refused.address)
    async with running(tmp_path / "refused.db"):
        pass


@pytest.mark.e2e
async def test_a_tournament_begins_at_its_time_though_the_machine_slept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept_s = 0.0
    async with running(tmp_path / "x.db") as server, contextlib.AsyncExitStack() as stack:
        monkeypatch.setattr(server._clock, "_wall_s", lambda: time.time() + slept_s)
        at_ms = server._clock.now_ms() + 3_600_000
        given = TournamentConfig(name="Friday", game="tictactoe", start_at_ms=at_ms)
        tournament = Organiser(server.arena).create(given)
        for name in ("ann", "ben"):
            bot = await stack.enter_async_context(connect(f"ws{server.url.removeprefix('http')}/bot", proxy=None))
            await bot.send(json.dumps({"type": "login", "name": name, "join": tournament.id}))
        await until(lambda: len(tournament.field) == 2)
        slept_s = 7_200.0
        await until(lambda: tournament.status == "running")
        assert server._clock.now_ms() > at_ms


async def of_source(server: Server, source: str, path: str, *headers: str) -> tuple[int, bytes]:
    """Send a request from a loopback address; return the status and the whole answer."""
    reader, writer = await ask(server, path, *(headers or ("Connection: close",)), source=source)
    async with asyncio.timeout(PATIENCE_S):
        answer = await reader.read()
    writer.close()
    return int(answer.split(None, 2)[1]), answer


UPGRADE = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {'A' * 22}==")


@pytest.mark.e2e
async def test_a_banned_address_is_closed_and_refused_at_the_door(tmp_path: Path) -> None:
    async with running(tmp_path / "x.db") as server:
        organiser = Organiser(server.arena)
        tournament = organiser.create(TournamentConfig(name="Friday", game="tictactoe"))
        await server.log.wait(server.log.last)
        reader, writer = await ask(server, f"/api/tournaments/{tournament.id}/events", source="127.0.1.9")
        async with asyncio.timeout(PATIENCE_S):
            await reader.readuntil(b"event: snapshot")
            organiser.ban("127.0.1.9/32", by_name=False, until_ms=None, reason="floods")
            with contextlib.suppress(ConnectionResetError):
                assert not (await reader.read()).endswith(b"0\r\n\r\n"), "its stream is cut off"
        writer.close()
        for path, headers in (("/healthz", ()), ("/bot", UPGRADE)):
            status, answer = await of_source(server, "127.0.1.9", path, *headers)
            assert (status, b"your address is banned here: floods" in answer) == (403, True)
            assert server.refusals.counts["banned"] > 0
        assert (await of_source(server, "127.0.1.8", "/healthz"))[0] == 200
        organiser.lift_ban("127.0.1.9/32", by_name=False)
        assert (await of_source(server, "127.0.1.9", "/healthz"))[0] == 200


@pytest.mark.e2e
async def test_an_address_is_limited_in_names_and_guesses_over_sockets_and_others_are_not(tmp_path: Path) -> None:
    bounds = Bounds(limit_loopback=True, names_per_hour=2, wrong_tries_per_minute=3)
    async with running(tmp_path / "x.db", host_token="the-host-token", bounds=bounds) as server:
        codes = []
        for source, name in [("127.0.1.7", "a"), ("127.0.1.7", "b"), ("127.0.1.7", "c"), ("127.0.1.8", "d")]:
            async with connect(f"{server.url.replace('http', 'ws')}/bot", local_addr=(source, 0)) as bot:
                await bot.recv()
                await bot.send(json.dumps({"type": "login", "name": name, "key": "correct-horse-battery"}))
                frame = json.loads(await bot.recv())
                codes.append(frame.get("code", frame["type"]))
        assert codes == ["session", "session", "too_many_messages", "session"]
        wrong, right = "Authorization: Bearer wrong-wrong-wrong", "Authorization: Bearer the-host-token"
        tries = [await of_source(server, "127.0.1.7", "/api/host", wrong, "Connection: close") for _ in range(4)]
        assert [status for status, _ in tries] == [401, 401, 401, 429]
        assert b"retry-after: 60" in tries[-1][1].lower()
        assert (await of_source(server, "127.0.1.7", "/api/host", right, "Connection: close"))[0] == 429
        assert (await of_source(server, "127.0.1.8", "/api/host", right, "Connection: close"))[0] == 200


@pytest.mark.parametrize(
    ("host", "token", "is_taken"),
    [
        ("127.0.0.1", "short-one", True),
        ("localhost", "short-one", True),
        ("::1", "short-one", True),
        ("0.0.0.0", "short-one", False),  # nothing listens there
        ("192.0.2.1", "eleven-char", False),
        ("192.0.2.1", "twelve-chars", True),
    ],
)
def test_beyond_this_machine_a_host_token_has_twelve_characters(host: str, token: str, is_taken: bool) -> None:
    if is_taken:
        assert ServerConfig(host=host, host_token=token).host_token == token
    else:
        with pytest.raises(ValidationError, match="at least 12 characters"):
            ServerConfig(host=host, host_token=token)


class House(FakeHouse):
    """A fake runner of house bots that tells when it was closed."""

    is_closed = False

    async def close(self) -> None:
        self.is_closed = True


ORDER = (
    (ClubRegistry, "drain"),
    (SqliteStore, "wait_all"),
    (Club, "stop"),
    (House, "close"),
    (Club, "close"),
    (uvicorn.Server, "shutdown"),
    (SqliteStore, "end_writing"),
    (Server, "_end_lease"),
    (ReadingThread, "close"),
    (SqliteStore, "close"),
    (SideProcess, "close"),
)
"""The steps in which a server stops, each with the class of its method, in order."""


def note_steps(monkeypatch: pytest.MonkeyPatch, *broken: str) -> list[str]:
    """Return the list in which a stopping server will note its steps. The steps `broken` fail after their work."""
    steps: list[str] = []

    def noted(name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        def begin() -> bool:
            is_first = name not in steps
            if is_first:
                steps.append(name)
            return is_first and name in broken

        async def run(*given: Any, **named: Any) -> None:
            fails = begin()
            await step(*given, **named)
            if fails:
                raise RuntimeError(f"a bug of {name}")

        def run_at_once(*given: Any) -> None:
            fails = begin()
            step(*given)
            if fails:
                raise RuntimeError(f"a bug of {name}")

        return run if inspect.iscoroutinefunction(step) else run_at_once

    for kind, method in ORDER:
        monkeypatch.setattr(kind, method, noted(f"{kind.__name__}.{method}", getattr(kind, method)))
    return steps


def names_of(steps: Sequence[tuple[type, str]]) -> list[str]:
    return [f"{kind.__name__}.{method}" for kind, method in steps]


@pytest.mark.e2e
@pytest.mark.parametrize("broken", [(), *([name] for name in names_of(ORDER[:-1])), names_of(ORDER[:4])])
async def test_a_server_stops_in_order_whatever_step_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, broken: Sequence[str]
) -> None:
    with monkeypatch.context() as patched:
        steps = note_steps(patched, *broken)
        server = Server(ServerConfig(port=0, db=str(tmp_path / "x.db"), drain_ms=0), lambda *_: House())
        await server.start()
        async with asyncio.timeout(PATIENCE_S):
            is_raised = not {"Club.stop", "Club.close"}.issuperset(broken)  # the failure of a club alone is only logged
            with pytest.raises(ExceptionGroup, match="not stop in order") if is_raised else contextlib.nullcontext():
                await server.stop()
        assert steps == names_of(ORDER)
    for name in broken:
        assert f"a bug of {name}" in caplog.text
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(*server.address)
    async with running(tmp_path / "x.db"):
        pass  # the first server let go of its database


@pytest.mark.e2e
async def test_a_server_that_must_end_drains_no_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ClubRegistry, "is_playing", True)
    async with asyncio.timeout(10):
        server = Server(ServerConfig(port=0, db=str(tmp_path / "x.db"), drain_ms=60_000))
        await server.start()
        stopping = asyncio.create_task(server.stop())
        await asyncio.sleep(0.1)
        assert not stopping.done()
        server.clubs.must_end.set()
        await stopping


@pytest.mark.e2e
async def test_a_start_that_fails_late_stops_all_started_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = note_steps(monkeypatch)
    monkeypatch.setattr(uvicorn.Config, "load", fail)
    server = Server(ServerConfig(port=0, db=str(tmp_path / "x.db")), lambda *_: House())
    with pytest.raises(RuntimeError, match="a bug of the test"):
        await server.start()
    assert steps == [name for name in names_of(ORDER) if name not in ("ClubRegistry.drain", "Server.shutdown")]


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::"])
async def test_the_addresses_for_others_are_of_the_kind_that_it_listens_on(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rumble_server.app.network_addresses", lambda: ["192.168.1.5", "2001:db8::5"])
    server = Server(ServerConfig(host=host, port=0, db=str(tmp_path / "rumble.db")))
    try:
        await server.start()
    except StartError as error:  # no IPv6 here
        pytest.skip(str(error))
    try:
        _, port = server.address
        assert (
            server.network_urls()
            == {
                "127.0.0.1": [],
                "0.0.0.0": [f"http://192.168.1.5:{port}"],
                "::": [f"http://[2001:db8::5]:{port}"],
            }[host]
        )
        assert server.url == f"http://{'[::1]' if host == '::' else '127.0.0.1'}:{port}"
        async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE_S) as client:
            page = (await client.get("/write")).text
        assert all(f'<a href="{url}/write">' in page for url in server.network_urls())
    finally:
        await server.stop()


async def test_a_public_url_is_a_known_host_and_is_shown(tmp_path: Path) -> None:
    async with (
        running(tmp_path / "rumble.db", public_url="https://Rumble.example/") as server,
        httpx.AsyncClient(base_url=server.url, timeout=PATIENCE_S) as client,
    ):
        known = await client.get("/write", headers={"Host": "rumble.example"})
        other = await client.get("/write", headers={"Host": "evil.example"})
    assert (known.status_code, other.status_code) == (200, 403)
    assert "curl -O https://rumble.example/static/bare_bot.py" in known.text


async def test_a_proxy_that_is_believed_tells_the_host_and_nobody_else(tmp_path: Path) -> None:
    headers = {"X-Forwarded-For": "198.51.100.7", "X-Forwarded-Host": "rumble.example", "X-Forwarded-Proto": "https"}
    for proxies, base in ((frozenset({"127.0.0.1"}), "https://rumble.example"), (frozenset[str](), None)):
        async with running(tmp_path / "rumble.db", behind_proxy=proxies) as server:
            async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE_S) as client:
                page = (await client.get("/write", headers=headers)).text
            assert f"curl -O {base or server.url}/static/bare_bot.py" in page
