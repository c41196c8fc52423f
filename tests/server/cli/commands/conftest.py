"""A real server, on a thread of this process, and a host's commands for it."""

from collections.abc import Iterator

import pytest

from tests.server.arena.fake_house import FakeHouse
from tests.server.cli.server_thread import TOKEN, server_on_thread


@pytest.fixture(scope="module")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of a server that runs during all tests of a module."""
    with server_on_thread(tmp_path_factory.mktemp("server") / "rumble.db", FakeHouse()) as address:
        yield address


@pytest.fixture
def as_host(server_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have commands ask the server, with the host's token."""
    monkeypatch.setenv("RUMBLE_SERVER", server_url)
    monkeypatch.setenv("RUMBLE_HOST_TOKEN", TOKEN)
