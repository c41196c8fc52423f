import logging

import httpx
import pytest

from tests.server.web.memory_server import HOST, MemoryServer


def commands(caplog: pytest.LogCaptureFixture) -> list[tuple[str, ...]]:
    names = ("command", "about", "refused", "address")
    return [tuple(getattr(each, name) for name in names) for each in caplog.records if hasattr(each, "command")]


async def test_commands_of_hosts_are_in_the_audit_log_without_their_secrets(
    server: MemoryServer, browser: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "rumble_server.audit"):
        config = {"name": "Friday", "game": "tictactoe", "invite": "sesame"}
        await browser.post("/api/tournaments", json=config, headers=HOST)
        await browser.post("/api/tournaments/friday/invite", json={"code": "sesame"}, headers=HOST)
        await browser.post("/api/tournaments/friday/remove", json={"name": "ann"}, headers=HOST)
        await browser.post("/api/bans", json={"name": "eve", "reason": "many faults"}, headers=HOST)
        await browser.post("/api/names/eve/reset", json={"key": "a key, with a blank"}, headers=HOST)
        await browser.post("/api/tournaments/friday/cancel")
        await browser.get("/api/host", headers=HOST)
    here = "127.0.0.1"
    assert commands(caplog) == [
        ("POST /api/tournaments", "name: Friday, game: tictactoe", "", here),
        ("POST /api/tournaments/friday/invite", "", "", here),
        ("POST /api/tournaments/friday/remove", "name: ann", "friday has no bot 'ann'", here),
        ("POST /api/bans", "name: eve, reason: many faults", "", here),
        ("POST /api/names/eve/reset", "", "no bot was ever called 'eve'", here),
    ]
