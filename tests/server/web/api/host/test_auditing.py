import logging
from typing import Any

import httpx
import pytest

from tests.server.web.memory_server import HOST, MemoryServer


def commands(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    names = ("command", "about", "address", "refused")
    return [{name: getattr(each, name) for name in names} for each in caplog.records if hasattr(each, "command")]


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
    address = "127.0.0.1"
    assert commands(caplog) == [
        {
            "command": "POST /api/tournaments",
            "about": "name: Friday, game: tictactoe",
            "address": address,
            "refused": "",
        },
        {"command": "POST /api/tournaments/friday/invite", "about": "", "address": address, "refused": ""},
        {
            "command": "POST /api/tournaments/friday/remove",
            "about": "name: ann",
            "address": address,
            "refused": "friday has no bot 'ann'",
        },
        {"command": "POST /api/bans", "about": "name: eve, reason: many faults", "address": address, "refused": ""},
        {
            "command": "POST /api/names/eve/reset",
            "about": "",
            "address": address,
            "refused": "no bot was ever called 'eve'",
        },
    ]
