"""Refusals of `rumble serve`. Every test with a server's process tests its output and service."""

import re
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rumble_server.cli.commands.serve import _announce
from rumble_server.cli.support.settings import settings
from rumble_server.config import ServerConfig

from tests.server.cli.run_here import Captured, printed, refused


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--host-token", "short"], "--host-token: String should have at least 8 characters"),
        (["--host", "0.0.0.0", "--host-token", "short-one"], "--host-token: beyond this machine a token has at least"),
        (["--port", "65536"], "--port"),
        (["--public-url", "rumble.example"], "--public-url: this is no address of a server: write http://HOST or"),
        (["--public-url", "https://rumble.example/sub"], "--public-url: the pages are at the root of their host"),
        (["--house", "random,chaos"], "unknown bot 'chaos'"),
        (["--house", "random,"], "--house: an empty name in 'random,'"),
        (["--tls-key", "key.pem"], "--tls-key: a key without a certificate; give `tls_cert`, too"),
        (["--config", "nowhere.toml"], "nowhere.toml: No such file or directory"),
    ],
)
def test_wrong_usage(args: list[str], message: str, capsys: Captured) -> None:
    assert message in refused(capsys, 2, "serve", *args)


def test_a_port_that_is_taken(tmp_path: Path, capsys: Captured) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        line = refused(capsys, 1, "serve", "--port", port, "--db", tmp_path / "rumble.db", "--house", "none")
    assert port in line


@pytest.mark.parametrize(
    ("public_url", "address", "networks", "expected"),
    [
        (
            None,
            "127.0.0.1",
            [],
            """page        http://127.0.0.1:8765/  (only this machine can open it; --host 0.0.0.0 lets others in)
bots        ws://127.0.0.1:8765/bot
console     http://127.0.0.1:8765/console""",
        ),
        (
            None,
            "0.0.0.0",
            ["http://192.168.1.5:8765", "http://10.0.0.5:8765"],
            """page        http://192.168.1.5:8765/
            http://10.0.0.5:8765/
            http://127.0.0.1:8765/  (only on this machine)
bots        ws://192.168.1.5:8765/bot
console     http://192.168.1.5:8765/console""",
        ),
        (
            "https://rumble.example",
            "127.0.0.1",
            [],
            """page        https://rumble.example/
            http://127.0.0.1:8765/  (only on this machine)
bots        wss://rumble.example/bot
console     https://rumble.example/console""",
        ),
    ],
)
def test_serve_tells_where_others_find_the_server(
    public_url: str | None, address: str, networks: list[str], expected: str, capsys: Captured
) -> None:
    started: Any = SimpleNamespace(config=ServerConfig(public_url=public_url), address=(address, 8765))
    started.url, started.network_urls = "http://127.0.0.1:8765", lambda: networks
    started.made_token = started.made_admin_token = None
    _announce(started)
    assert capsys.readouterr().out.partition("\nhost token")[0] == expected


def test_the_help_lists_every_setting_once(capsys: Captured) -> None:
    shown = printed(capsys, "serve", "--help")
    listed = re.findall(r"^  (--[a-z0-9-]+)", shown, re.MULTILINE)
    assert listed == ["--config", *(setting.option for setting in settings().values())]
    words = " ".join(shown.split())
    for setting in settings().values():
        assert setting.shown_default in words
