"""The form that answers with a bot as a zip: its name, its key, and its game."""

import json
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import httpx
import pytest
from rumble_protocol.secret import is_made
from rumble_server.tournament.config import TournamentConfig
from rumble_server.web.api.opponents import playable_games
from rumble_server.web.api.zips import first_turn

from tests.server.web.memory_server import MemoryServer

KEY = "the-key-of-anna-is-long"


async def asked(browser: httpx.AsyncClient, path: str = "/join/zip", **form: str) -> httpx.Response:
    return await browser.post(path, data={"language": "javascript", **form})


def kept_in(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    kept: dict[str, Any] = json.loads(ZipFile(BytesIO(answer.content)).read("bot/key.json"))
    return kept


async def test_a_bot_with_its_own_key(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create(name="Friday", game="connect4")
    server.world.login("anna", key=KEY)
    answer = await asked(browser, name="anna", key=KEY, tournament="friday")
    expected = {"server": "rumble.test", "tournament": "friday", "name": "anna", "key": KEY, "game": "connect4"}
    assert kept_in(answer) == expected
    assert answer.headers["Content-Type"] == "application/zip"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="anna-javascript.zip"'
    turn = json.loads(ZipFile(BytesIO(answer.content)).read("bot/turn.json"))
    assert (turn["game"], turn["legal"]) == ("connect4", list("abcdefg"))


async def test_a_bot_without_a_key_or_a_name_gets_new_ones(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    kept = kept_in(await asked(browser, name="bob", key="", tournament=""))
    assert is_made(kept["key"])
    assert {**kept, "key": ""} == {"server": "rumble.test", "name": "bob", "key": ""}
    others = [kept_in(await asked(browser)) for _ in range(2)]
    assert len({other["name"] for other in others} | {other["key"] for other in others}) == 4


async def test_an_invitation_is_carried_along(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    assert kept_in(await asked(browser, invite="hush hush"))["invite"] == "hush hush"


@pytest.mark.parametrize(
    ("form", "status", "said"),
    [
        ({"name": "anna", "key": "a-wrong-key-of-length"}, 401, "not the key of the name anna"),
        ({"name": "nobody", "key": KEY}, 401, "not the key of the name nobody"),
        ({"name": "Anna"}, 409, "the name anna is taken"),
        ({"name": "Jürgen"}, 422, "name"),
        ({"name": "anna", "key": "short"}, 422, "key"),
        ({"language": "cobol"}, 422, "language"),
        ({"language": ""}, 422, "language"),
        ({"tournament": "nope"}, 404, "nope"),
    ],
)
async def test_a_wrong_form_for_a_zip_is_refused(
    server: MemoryServer, browser: httpx.AsyncClient, form: dict[str, str], status: int, said: str
) -> None:
    server.world.login("anna", key=KEY)
    answer = await asked(browser, **form)
    assert answer.status_code == status
    assert said in answer.text


async def test_a_name_with_umlauts_is_refused_as_a_page_and_a_strange_body_too(browser: httpx.AsyncClient) -> None:
    answer = await browser.post("/join/zip", content=b"\xff\xfe=%%%&language")
    assert answer.status_code == 422
    assert answer.headers["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("game", [game.name for game in playable_games()])
def test_every_game_has_a_first_turn(game: str) -> None:
    turn = first_turn(TournamentConfig(name="Friday", game=game))
    assert turn["legal"]
    json.dumps(turn)


def test_the_first_turn_of_a_table_has_all_its_seats() -> None:
    assert len(first_turn(TournamentConfig(name="Friday", game="snakes", seats=6))["state"]["snakes"]) == 6
