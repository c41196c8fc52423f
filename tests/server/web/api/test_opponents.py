from typing import Any

import httpx

from tests.server.web.memory_server import MemoryServer


async def listed(browser: httpx.AsyncClient) -> list[dict[str, Any]]:
    answer = await browser.get("/api/opponents")
    assert answer.status_code == 200
    return list(answer.json()["opponents"])


async def test_only_connected_bots_that_take_challenges_are_opponents(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    assert await listed(browser) == []
    server.world.login("zoe")
    ann = server.world.login("ann", challenges=True, games=["chess", "tictactoe", "a game nobody has"])
    assert await listed(browser) == [
        {"name": "ann", "house": None, "about": "", "games": ["chess", "tictactoe"], "free": True}
    ]
    ann.drop()
    assert await listed(browser) == []


async def test_the_house_comes_first_weakest_first_and_is_known_by_its_keys() -> None:
    server = MemoryServer(residents=("perfect", "our.py:own", "random"))
    for bot in server.house_bots.bots():
        server.world.login(bot.name, challenges=True, key=bot.key)
    for name in ("bob", "Ann", "perfect"):
        server.world.login(name, challenges=True)
    async with server.browser() as browser:
        found = await listed(browser)
    names = ["house-random", "house-perfect", "house-own", "Ann", "bob", "perfect"]
    assert [each["name"] for each in found] == names
    assert [each["house"] for each in found] == ["random", "perfect", "our.py:own", None, None, None]
    assert [each["name"] for each in found if each["about"]] == names[:2]


async def test_an_opponent_that_is_playing_is_not_free(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.login("ben", challenges=True)
    ann = server.world.login("ann")
    ann.say(type="challenge", against="ben", game="tictactoe")
    assert [each["free"] for each in await listed(browser)] == [False]


async def test_games_come_with_their_settings(browser: httpx.AsyncClient) -> None:
    games = {game["name"]: game for game in (await browser.get("/api/games")).json()["games"]}
    assert games["tictactoe"] == {
        "name": "tictactoe",
        "title": "Tic-tac-toe",
        "seat_names": ["X", "O"],
        "marks": ["X", "O"],
        "settings": {},
    }
    columns = games["connect4"]["settings"]["columns"]
    assert (columns["default"], columns["minimum"], columns["maximum"], columns["choices"]) == (7, 4, 12, None)
    assert games["chess"]["settings"]["claims"]["choices"] == ["referee", "none"]
    assert games["hex"]["settings"]["swap"]["default"] is True
