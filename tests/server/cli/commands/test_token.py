"""`rumble token` against a real server, on a thread of this process."""

import pytest
from rumble_bots.sdk.address import Address
from rumble_bots.sdk.keys import kept_token, token_file, write_private
from rumble_protocol.secret import is_made
from rumble_server.cli.support.api_client import ApiClient

from tests.server.cli.run_here import Captured, ran
from tests.server.cli.server_thread import TOKEN


@pytest.mark.usefixtures("as_host")
def test_a_host_gives_a_token_and_takes_it_back(
    server_url: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rumble(*arguments: str) -> tuple[int, str, str]:
        return ran(capsys, "token", *arguments)

    token = rumble("add", "ada")[1].strip()
    shown = kept_token(Address.parse(server_url), TOKEN)
    assert is_made(shown), "the hand-chosen token was exchanged"
    write_private(token_file(Address.parse(server_url), TOKEN), {"token": "of-another-database"}, replace=True)
    assert rumble("list")[0] == 0
    assert kept_token(Address.parse(server_url), TOKEN) == shown
    assert is_made(token)
    monkeypatch.setenv("RUMBLE_HOST_TOKEN", token)
    lines = rumble("list")[1].splitlines()
    assert [line.split()[0] for line in lines] == ["name", "default", "ada"]
    assert lines[2].endswith("the one you use")
    assert rumble("remove", "default") == (0, "the token default is not valid any more\n", "")
    monkeypatch.setenv("RUMBLE_HOST_TOKEN", TOKEN)
    code, out, error = rumble("list")
    assert (code, out) == (1, "")
    assert "this is not a host token of" in error


@pytest.mark.usefixtures("as_host")
def test_characters_that_would_steer_a_terminal_are_shown_as_escapes(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = {"name": "steer\x1b[2J", "since_ms": 0, "own": False}
    monkeypatch.setattr(ApiClient, "get", lambda *_: {"tokens": [token]})
    assert "steer\\u001b[2J" in ran(capsys, "token", "list")[1]
