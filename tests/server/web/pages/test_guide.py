"""The page for writers of bots: its program is the repository's, and its messages are the protocol's."""

import re
import shlex
from html import unescape
from pathlib import Path

import httpx
import pytest
from rumble_bots.functions.load import load_bot
from rumble_bots.sdk.bot import Turn
from rumble_engine import get_game
from rumble_protocol.schema import schemas
from rumble_server.web.pages import guide
from rumble_server.web.texts import first_bot

from tests.server.web.memory_server import MemoryServer
from tests.server.web.pages.html import Page

ROOT = Path(__file__).parents[4]


async def test_the_bare_bot_is_the_one_of_the_repository(browser: httpx.AsyncClient) -> None:
    bot = (ROOT / "bots" / "python" / "bare_bot.py").read_bytes()
    assert (await browser.get("/static/bare_bot.py")).content == bot


def test_every_message_is_there_with_its_fields() -> None:
    by_type = {message.type: message for _, messages in guide.protocol() for message in messages}
    unions = {"bot_message", "server_message", "feed_event"}
    assert set(by_type) == {name.removesuffix(".json") for name in schemas()} - unions
    optional = "key version client games max_matches join invite challenges omit worker exchange_key follow"
    assert dict(by_type["login"].fields) == {"name": True} | dict.fromkeys(optional.split(), False)
    assert all(message.about.endswith(".") for message in by_type.values())


async def test_the_commands_join_the_tournament_that_is_asked_for(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    server.world.create(name="Friday")
    server.pass_ms()
    page = Page((await browser.get("/write?join=friday")).text).text
    assert "--join friday" in page
    assert "--invite" not in page
    assert "--join TOURNAMENT" in (await browser.get("/write")).text
    assert (await browser.get("/write?join=nope")).status_code == 404


async def test_the_commands_have_the_invitation_and_a_name_of_the_reader_s_own(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    made = server.world.create(name="Friday", invite="hush's").made_invite
    server.pass_ms()
    names = set()
    for _ in range(2):
        html = (await browser.get("/write?join=friday&invite=hush%27s")).text
        commands = {
            kind: unescape(re.sub("<[^>]*>", "", text))
            for kind, text in re.findall(r'data-command="(\w+)"><pre tabindex="0"><code>(.*?)</code>', html, re.DOTALL)
        }
        words = {kind: shlex.split(text.splitlines()[-1]) for kind, text in commands.items() if kind != "source"}
        joining = ["--server", "http://rumble.test", "--join", "friday", "--invite", made]
        name = words["bare"][4]
        assert words == {
            "bare": ["python", "bare_bot.py", "rumble.test", "friday", name, made],
            "function": ["rumble", "bot", "mine.py:ai", *joining, "--name", name],
            "reference": ["rumble", "bot", "minimax", *joining, "--name", name],
            "starter": ["rumble", "new", name, "--language", "python", *joining],
        }
        names.add(name)
    assert len(names) == 2


@pytest.mark.parametrize("game", ["chess", "gomoku", "connect4", "tictactoe", "snakes"])
async def test_the_function_plays_every_game(
    server: MemoryServer, browser: httpx.AsyncClient, tmp_path: Path, game: str
) -> None:
    server.world.create(name="Friday", game=game)
    server.pass_ms()
    html = (await browser.get("/write?join=friday")).text
    _, source = re.findall(r'data-command="source"><pre tabindex="0"><code>(.*?)</code>', html, re.DOTALL)
    (tmp_path / "mine.py").write_text(unescape(source))
    turn = Turn.at(get_game(game).initial(), game, 1000)
    assert load_bot(f"{tmp_path}/mine.py:ai").choose(turn) in turn.legal
    assert f"rumble bot {first_bot(game)} " in Page(html).text


async def test_without_the_invitation_the_commands_have_a_place_for_it(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    server.world.create(name="Friday", invite="hush")
    server.pass_ms()
    page = Page((await browser.get("/write?join=friday")).text).text
    assert "--join friday --invite CODE --name " in page
    assert "hush" not in page
    assert "not valid any more" in (await browser.get("/write?join=friday&invite=guess")).text


async def test_the_schemas_are_served(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/protocol.json")
    assert answer.json() == schemas()
