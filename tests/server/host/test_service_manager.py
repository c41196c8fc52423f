"""Messages to systemd, received as datagrams on a socket like systemd's."""

import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from rumble_server.host.service_manager import IDLE_S, beat_s, tell_alive, tell_ready, tell_stopping

from tests.e2e.processes import PATIENCE_S, RUMBLE, announced_port, clean_environment, running

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no such sockets")


@pytest.fixture(params=["file", "name"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of a manager's socket: a file, or an abstract name of Linux."""
    if request.param == "file":
        return str(tmp_path / "notify")
    if not Path("/proc").is_dir():
        pytest.skip("only Linux has such addresses")
    return f"@{tmp_path}/notify"


@pytest.fixture
def manager(address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as listening:
        listening.bind(address.replace("@", "\0"))
        listening.settimeout(PATIENCE_S)
        monkeypatch.setenv("NOTIFY_SOCKET", address)
        yield listening


def test_each_state_is_a_datagram(manager: socket.socket) -> None:
    for tell in (tell_ready, tell_alive, tell_stopping):
        tell()
    assert [manager.recv(100) for _ in range(3)] == [b"READY=1", b"WATCHDOG=1", b"STOPPING=1"]


def test_nobody_is_told_where_no_manager_listens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    tell_ready()
    assert caplog.text == ""
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "gone"))
    tell_ready()
    assert "the service manager was not told READY=1" in caplog.text


@pytest.mark.parametrize(("given", "every_s"), [("10000000", 5.0), ("0", IDLE_S), ("soon", IDLE_S), ("", IDLE_S)])
def test_a_sign_of_life_comes_twice_in_the_time_of_the_watchdog(
    given: str, every_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", given)
    assert beat_s() == every_s


@pytest.mark.e2e
@pytest.mark.parametrize("address", ["file"], indirect=True)
def test_a_server_tells_that_it_is_ready_lives_and_stops(manager: socket.socket, address: str, tmp_path: Path) -> None:
    given = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "200000"}
    command = [*RUMBLE, "serve", "--port", "0", "--house", "none"]
    with running(command, clean_environment(tmp_path, given), tmp_path / "serve.log") as process:
        while manager.recv(100) != b"READY=1":
            pass
        for _ in range(3):
            assert manager.recv(100) == b"WATCHDOG=1"
        process.terminate()
        while (state := manager.recv(100)) != b"STOPPING=1":
            assert state == b"WATCHDOG=1"


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.parametrize("address", ["file"], indirect=True)
def test_a_server_that_stands_by_is_ready(manager: socket.socket, postgres_url: str, tmp_path: Path) -> None:
    command = [*RUMBLE, "serve", "--port", "0", "--house", "none"]
    stands_by = clean_environment(tmp_path, {"RUMBLE_DB": postgres_url})  # the fixture has the manager's address there
    leads = {name: value for name, value in stands_by.items() if name != "NOTIFY_SOCKET"}
    with running(command, leads, tmp_path / "leads.log") as first:
        announced_port(first, tmp_path / "leads.log")
        with running(command, stands_by, tmp_path / "stands_by.log"):
            assert manager.recv(100) == b"READY=1"
