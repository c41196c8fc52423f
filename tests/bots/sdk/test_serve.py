"""The SDK over real sockets on loopback."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rumble_bots import Address, run, serve
from rumble_bots.sdk import transport
from rumble_bots.sdk.keys import kept_key
from rumble_bots.sdk.transport import Lost, Unreachable, connect
from rumble_protocol.secret import is_made
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as websockets_serve

from tests.bots.sdk.fake_server import FakeServer
from tests.bots.sdk.first import First

pytestmark = pytest.mark.e2e
KEY = "k" * 16


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUMBLE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.delenv("RUMBLE_KEY", raising=False)
    return tmp_path / "config"


async def test_serve_plays_a_tournament_with_a_key_that_is_kept() -> None:
    async with FakeServer().listening() as server:
        said: list[str] = []
        summary = await serve(First(), server.address, name="ann", join="cup", say=said.append)
    assert (summary.rank, summary.bots, summary.points) == (1, 2, 1.5)
    assert len(server.outcomes) == 2
    assert server.logins[0].key == kept_key(Address.parse(server.address), "ann")
    assert "logged in as ann" in said


async def test_the_environment_gives_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUMBLE_KEY", "from the environment")
    async with FakeServer(matches=0).listening() as server:
        await serve(First(), server.address, name="ann", join="cup")
        await serve(First(), server.address, name="ann", join="cup", key=KEY)
    assert [login.key for login in server.logins] == ["from the environment", KEY]


async def test_a_broken_connection_is_made_again() -> None:
    async with FakeServer(drop_after=2).listening() as server:
        said: list[str] = []
        await serve(First(), server.address, name="ann", join="cup", key=KEY, say=said.append)
    assert len(server.logins) == 2
    assert any("ended the connection: the connection broke (1006); connecting again" in line for line in said)


def test_run_needs_no_event_loop(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer().in_a_thread() as server:
        assert run(First(), server.address, name="ann", join="cup", key=KEY).reason == "over"
    assert capsys.readouterr().err.count("cup is finished: rank 1 of 2") == 1


SCRIPT = """
import sys
from rumble_bots import Bot, run
class First(Bot):
    def choose(self, turn):
        return turn.legal[0]
run(First(), sys.argv[1], name="ann", join=sys.argv[2])
"""


def test_a_script_that_is_refused_ends_in_one_line() -> None:
    with FakeServer().in_a_thread() as server:
        command = [sys.executable, "-c", SCRIPT, server.address, "other"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "the server refused: no such tournament (unknown_tournament)"
    assert "Traceback" not in done.stderr


def test_a_script_with_a_wrong_address_ends_in_one_line() -> None:
    with pytest.raises(SystemExit, match=r"^'http://a b' is not a server address"):
        run(First(), "http://a b", name="ann", join="cup")


def test_ctrl_c_ends_a_script_without_a_traceback() -> None:
    with FakeServer(matches=0).in_a_thread() as server:
        command = [sys.executable, "-c", SCRIPT.replace("name=", "challenges=True, name="), server.address, "cup"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as script:
            assert script.stderr is not None
            while not (line := script.stderr.readline()).startswith("cup is finished"):
                assert line
            script.send_signal(signal.SIGINT)
            rest = script.stderr.read()
        assert (script.returncode, rest) == (130, "")


@pytest.mark.slow
async def test_a_connection_on_which_nothing_comes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PING_S", "PONG_S"):
        monkeypatch.setattr(transport, name, 0.1)
    async with FakeServer(silent_after=1).listening() as server:
        summary = await serve(First(), server.address, name="ann", join="cup")
    assert (summary.rank, len(server.logins)) == (1, 2)


async def test_an_answer_says_when_to_come_again() -> None:
    server = FakeServer(refusals=[(503, "3"), (502, None), (421, "1"), (429, "60"), (404, "1")])
    told = []
    async with server.listening():
        for _ in range(5):
            with pytest.raises(Unreachable) as refused:
                await connect(Address.parse(server.address))
            told.append(refused.value.again_s)
    assert told == [3.0, 1.0, 1.0, None, None]


@pytest.mark.parametrize("proxy", ["proxy.school:3128", "http://pupil:se/cret@proxy.school:3128"])
async def test_a_proxy_that_is_no_url_is_told_without_its_password(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    with pytest.raises(Unreachable, match=r": proxy\.school:3128 isn't a valid proxy"):
        await connect(Address("rumble.invalid", 80))


@pytest.mark.parametrize("proxy", ["proxy.school:abc", "pupil:%ff@proxy.school:1", "pupil:[se]cret@proxy.school:1"])
async def test_a_proxy_with_a_wrong_part_is_told_without_its_password(
    proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://{proxy}")
    with pytest.raises(Unreachable, match=r"^cannot reach .*proxy\.school:\w+: an address is not valid$") as raised:
        await connect(Address("rumble.invalid", 80))
    assert "pupil" not in str(raised.value)


async def test_a_proxy_that_cannot_be_reached_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://pupil:secret@127.0.0.1:1")
    problem = r"^cannot reach http://rumble\.invalid:80 through the proxy 127\.0\.0\.1:1: nobody listens there$"
    with pytest.raises(Unreachable, match=problem):
        await connect(Address("rumble.invalid", 80))


async def test_a_socks_proxy_for_which_a_package_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def without_package(*args: Any, **kwargs: Any) -> None:
        raise ImportError("connecting through a SOCKS proxy requires python-socks")  # as `websockets` does

    monkeypatch.setattr("websockets.asyncio.client.connect_socks_proxy", without_package)
    monkeypatch.setenv("http_proxy", "socks5://proxy.school:1080")
    with pytest.raises(Unreachable, match=r"^cannot reach http://rumble\.invalid:80: .* requires python-socks$"):
        await connect(Address("rumble.invalid", 80))


async def test_a_name_with_two_addresses_at_which_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `localhost` has on most machines: IPv6 and IPv4."""
    look_up = socket.getaddrinfo

    def look_up_both(_: object, *wishes: Any, **more: Any) -> list[Any]:
        return [*look_up("127.0.0.1", *wishes, **more), *look_up("127.0.0.2", *wishes, **more)]

    monkeypatch.setattr(socket, "getaddrinfo", look_up_both)
    with pytest.raises(Unreachable, match=r"^cannot reach http://both\.test:1: nobody listens there$"):
        await connect(Address("both.test", 1))


async def test_another_kind_of_websocket_server() -> None:
    async def close(connection: ServerConnection) -> None:
        await connection.close()

    async with websockets_serve(close, "127.0.0.1", 0) as listener:
        port = next(iter(listener.sockets)).getsockname()[1]
        with pytest.raises(Unreachable, match=r"does not speak rumble\.v1"):
            await connect(Address("127.0.0.1", port))


@pytest.mark.parametrize(
    ("answer", "club", "problem"),
    [
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "main", "answers 404, not as a Rumble server"),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "fun", r"there is no club fun at http://127[\d.:]+$"),
        (
            b"HTTP/1.1 301 Moved\r\nLocation: https://rumble.school/bot\r\nContent-Length: 0\r\n\r\n",
            "main",
            r"^http://127[\d.:]+ has moved: write https://rumble\.school$",
        ),
        (b"HTTP/1.1 503 Not Now\r\nContent-Length: 0\r\n\r\n", "main", "is not available at the moment"),
        (b"SSH-2.0-OpenSSH\r\n", "main", "does not answer as a Rumble server"),
        (b"", "main", "does not answer as a Rumble server"),
    ],
)
async def test_another_kind_of_server(answer: bytes, club: str, problem: str) -> None:
    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(speak, "127.0.0.1", 0) as listener:
        port = listener.sockets[0].getsockname()[1]
        with pytest.raises(Unreachable, match=problem):
            await connect(Address("127.0.0.1", port, club=club))


async def test_the_close_code_of_the_server_comes_through() -> None:
    async with FakeServer(refuse_key=True).listening() as server:
        connection = await connect(Address.parse(server.address))
        await connection.receive()
        await connection.send('{"type": "login", "name": "ann"}')
        await connection.receive()
        with pytest.raises(Lost) as lost:
            await connection.receive()
        assert (lost.value.code, lost.value.reason) == (4003, "this name is protected by another key")
        with pytest.raises(Lost):
            await connection.send("{}")
        await connection.close()


@pytest.mark.slow
def test_the_bare_bot_of_the_readme(folder: Path) -> None:
    script = Path(__file__).parents[3] / "bots" / "python" / "bare_bot.py"
    assert len(script.read_text().splitlines()) <= 75, "it is read whole, on one page"

    def bare(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, str(script), *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ, check=False)

    with FakeServer().in_a_thread() as server:
        played = [bare(address, "cup", "bare") for address in (server.address, f"http://{server.address}/")]
        assert [(done.returncode, done.stderr) for done in played] == [(0, "")] * 2
        assert json.loads(played[0].stdout.splitlines()[-1])["type"] == "tournament_over"
        assert len(server.outcomes) == 4
        refused = bare(server.address, "other", "bare", "the code")
        assert (refused.returncode, refused.stderr) == (1, "no such tournament\n")
        assert [login.invite for login in server.logins] == [None, None, "the code"]
        (kept,) = folder.glob("*.key")
        assert kept.name == f"bare@127.0.0.1-{server.port}.key"
        assert kept.stat().st_mode & 0o777 == 0o600
        assert [login.key for login in server.logins] == [kept.read_text()] * 3
        assert is_made(kept.read_text())
    assert server.closes == [1000] * 3, "not 1011, the code of a program that failed"
    with FakeServer(club="fun").in_a_thread() as club:
        assert [bare(address, "cup", "bare").returncode for address in (club.address, f"ws://{club.address}")] == [0, 0]
        of_club = folder / f"bare@127.0.0.1-{club.port}+c+fun.key"
        assert [login.key for login in club.logins] == [of_club.read_text()] * 2
        assert of_club.read_text() != kept.read_text()
    usage = bare("cup")
    assert usage.returncode == 1
    assert usage.stderr.endswith("Usage: bare_bot.py SERVER TOURNAMENT NAME [INVITATION]\n")
