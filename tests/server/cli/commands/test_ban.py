"""`rumble ban` against a real server, on a thread of this process."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tests.server.cli.run_here import Captured, printed, refused
from tests.server.cli.server_thread import TOKEN, server_on_thread

KEY = "correct-horse-battery"


async def log_in(address: str, name: str) -> list[Any]:
    """Log in; return the types of the frames that follow, or the close code at the end."""
    async with connect(address.replace("http", "ws") + "/bot") as socket:
        await socket.recv()
        await socket.send(json.dumps({"type": "login", "name": name, "key": KEY}))
        heard: list[Any] = [json.loads(await socket.recv())["type"]]
        if heard == ["error"]:
            try:
                await socket.recv()
            except ConnectionClosed as closed:
                heard.append(closed.rcvd and closed.rcvd.code)
        return heard


def test_a_host_bans_and_lets_in_again(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def rumble(*arguments: str) -> str:
        return printed(capsys, "ban", *arguments)

    with server_on_thread(tmp_path / "rumble.db") as address:
        monkeypatch.setenv("RUMBLE_SERVER", address)
        monkeypatch.setenv("RUMBLE_HOST_TOKEN", TOKEN)
        assert rumble("list") == "nobody is banned\n"
        assert asyncio.run(log_in(address, "ann")) == ["session"]
        assert rumble("add", "--name", "Ann", "--minutes", "5", "--reason", "floods\x1b[2J") == "Ann is banned\n"
        assert rumble("add", "--address", "2001:db8::7") == "2001:db8::/64 is banned\n"
        assert asyncio.run(log_in(address, "ann")) == ["error", 4011]
        out = rumble("list")
        assert [line.split()[:2] for line in out.splitlines()[1:]] == [["address", "2001:db8::/64"], ["name", "Ann"]]
        assert "\x1b" not in out
        assert "floods\\u001b[2J" in out
        assert rumble("remove", "--name", "ANN") == "ANN is let in again\n"
        assert asyncio.run(log_in(address, "ann")) == ["session"]
        assert "ann is not banned" in refused(capsys, 1, "ban", "remove", "--name", "ann")
    with server_on_thread(tmp_path / "rumble.db") as address:
        monkeypatch.setenv("RUMBLE_SERVER", address)
        (ban,) = json.loads(rumble("list", "--json"))["bans"]
        assert (ban["address"], ban["name"], ban["until_ms"]) == ("2001:db8::/64", None, None)


@pytest.mark.parametrize("given", [(), ("--name", "ann", "--address", "192.0.2.1")])
def test_a_ban_names_either_an_address_or_a_name(given: tuple[str, ...], capsys: Captured) -> None:
    assert refused(capsys, 2, "ban", "add", *given) == "rumble: say who: either --address or --name\n"


@pytest.mark.parametrize("host", ["xn--", "xn--ls8h.la", "\u2024.org"])
def test_a_host_that_no_look_up_can_find_is_refused(host: str, capsys: Captured) -> None:
    message = refused(capsys, 2, "ban", "list", "--server", f"http://{host}:80")
    assert message.startswith(f"rumble: 'http://{host}:80' is not a server address (")
