"""Log of a server's process while strangers, bots and hosts come: one JSON object per line, and no secret."""

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from tests.e2e.processes import PATIENCE_S, TOKEN, serving

pytestmark = pytest.mark.e2e

KEY, WRONG_KEY, INVITE, WRONG = "key-of-ann-secret", "wrong-key-secret", "invite-secret", "something-else-secret"


async def log_in(url: str, **login: Any) -> list[str]:
    """Log in and return the types of the first two frames."""
    async with connect(url) as socket:
        welcome = json.loads(await socket.recv())
        await socket.send(json.dumps({"type": "login", **login}))
        return [welcome["type"], json.loads(await socket.recv())["type"]]


def read(path: Path) -> Iterable[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("own_file", [True, pytest.param(False, marks=pytest.mark.long)])
@pytest.mark.slow
def test_the_log_tells_who_came_and_no_secret(own_file: bool, tmp_path: Path) -> None:
    audit_file = tmp_path / "audit.log"
    options = ["--log-json", "--log-level", "debug", *(["--audit-log", str(audit_file)] if own_file else [])]
    with serving(tmp_path, *options) as server:
        host, bad = {"Authorization": f"Bearer {TOKEN}"}, {"Authorization": f"Bearer {WRONG}"}
        with httpx.Client(base_url=server.url, timeout=PATIENCE_S) as browser:
            friday = {"name": "Friday", "game": "tictactoe", "invite": INVITE}
            assert browser.post("/api/tournaments", json=friday, headers=host).status_code == 201
            assert browser.post("/api/tournaments/friday/cancel", headers=bad).status_code == 401
            browser.post("/api/tournaments/friday/invite", json={"code": INVITE}, headers=host)
            browser.get(f"/tournaments/friday?invite={INVITE}&key={KEY}")
            browser.get(f"/nowhere?invite={INVITE}")
            browser.post("/api/tournaments", content=json.dumps({"invite": INVITE, "key": KEY}), headers=host)
            browser.get("/metrics", headers={"X-Forwarded-For": "10.0.0.1", **bad})
        url = server.bot_url
        joining = {"join": "friday", "invite": INVITE}
        assert asyncio.run(log_in(url, name="ann", key=KEY, **joining)) == ["welcome", "session"]
        assert asyncio.run(log_in(url, name="ann", key=WRONG_KEY)) == ["welcome", "error"]
        assert asyncio.run(log_in(url, name="bob", key=KEY, join="friday", invite=WRONG)) == ["welcome", "session"]
    log = read(tmp_path / "serve.log")
    audit = [line for line in log if line["logger"] == "rumble_server.audit"]
    if own_file:
        assert audit == []
        audit = list(read(audit_file))
    everything = (tmp_path / "serve.log").read_text() + (audit_file.read_text() if own_file else "")
    assert [secret for secret in (KEY, WRONG_KEY, INVITE, WRONG, TOKEN) if secret in everything] == []
    assert {line["bot"] for line in audit if line["message"] == "logged in"} == {"ann", "bob"}
    commands = [line["command"] for line in audit if line["message"] == "host command"]
    assert commands[:2] == ["POST /api/tournaments", "POST /api/tournaments/friday/invite"]
    assert "host token" in [line["about"] for line in audit if line["message"] == "refused" and "about" in line]
    assert {"draining"} <= {line["message"] for line in log}
