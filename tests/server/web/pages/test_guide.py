"""The page for those who write a bot: its program is the repository's, and its messages are the protocol's."""

from pathlib import Path

import httpx
from rumble_protocol.schema import schemas
from rumble_server.web.pages import guide

from tests.server.web.memory_server import MemoryServer

ROOT = Path(__file__).parents[4]


def test_the_bare_bot_is_the_one_of_the_repository() -> None:
    assert guide.BARE_BOT.read_bytes() == (ROOT / "bots" / "python" / "bare_bot.py").read_bytes()


def test_every_message_is_there_with_its_fields() -> None:
    told = {message.type: message for _, messages in guide.protocol() for message in messages}
    unions = {"bot_message", "server_message", "feed_event"}
    assert set(told) == {name.removesuffix(".json") for name in schemas()} - unions
    assert dict(told["login"].fields) == {"name": True} | dict.fromkeys(
        ("key", "version", "client", "games", "max_matches", "join", "invite", "challenges", "omit"), False
    )
    assert all(message.about.endswith(".") for message in told.values())


async def test_the_commands_join_the_tournament_that_is_asked_for(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    server.world.create(name="Friday")
    server.pass_ms()
    assert "--join friday" in (await browser.get("/write?join=friday")).text
    assert "--join TOURNAMENT" in (await browser.get("/write")).text
    assert (await browser.get("/write?join=nope")).status_code == 404


async def test_the_schemas_are_served(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/protocol.json")
    assert answer.json() == schemas()
