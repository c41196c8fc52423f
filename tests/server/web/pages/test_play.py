"""The choices in the address of the play page. Playing is tested in a browser."""

import httpx
import pytest
from rumble_engine import get_game
from rumble_server.web.api.models import Opponent
from rumble_server.web.pages.play import CLOCKS, choose

from tests.server.web.memory_server import MemoryServer

GAMES = [get_game(name) for name in ("chess", "connect4", "hex", "tictactoe")]
ALL = [game.name for game in GAMES]
HERE = [
    Opponent(name="random", house="random", about="", games=ALL, free=True),
    Opponent(name="house-minimax", house="minimax", about="", games=ALL, free=True),
    Opponent(name="perfect", house="perfect", about="", games=["tictactoe"], free=True),
    Opponent(name="zoe", house=None, about="", games=["hex"], free=False),
]


def test_the_default_is_tic_tac_toe_against_the_perfect_player() -> None:
    choice = choose({}, GAMES, HERE)
    assert (choice.game, choice.against, choice.seat, choice.clock) == ("tictactoe", "perfect", "lot", "long")
    assert choice.settings["connect4", "columns"] == 7
    assert choice.problems == []


def test_every_wish_is_heard() -> None:
    query = {"game": "hex", "against": "ZOE", "seat": "1", "clock": "ten", "hex.size": "5", "hex.swap": "false"}
    choice = choose(query, GAMES, HERE)
    assert (choice.game, choice.against, choice.seat, choice.clock) == ("hex", "zoe", "1", "ten")
    assert (choice.settings["hex", "size"], choice.settings["hex", "swap"]) == (5, False)
    assert choice.problems == []


def test_the_strongest_of_the_house_that_plays_the_game_is_offered() -> None:
    assert choose({"game": "hex"}, GAMES, HERE).against == "house-minimax"
    assert choose({"game": "hex"}, GAMES, HERE[3:]).against == "zoe"
    assert choose({"game": "chess"}, GAMES, HERE[3:]).against is None


def test_house_bot_is_chosen_by_its_name_or_by_its_reference_bot() -> None:
    assert choose({"against": "minimax"}, GAMES, HERE).against == "house-minimax"
    assert choose({"against": "house-minimax"}, GAMES, HERE).against == "house-minimax"
    another = Opponent(name="Minimax", house=None, about="", games=ALL, free=True)
    assert choose({"against": "minimax"}, GAMES, [*HERE, another]).against == "Minimax"


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ({"game": "poker"}, "There is no game 'poker' here."),
        ({"against": "bob"}, "'bob' is not here at the moment, or takes no challenges."),
        ({"game": "hex", "against": "perfect"}, "perfect does not play this game."),
        ({"seat": "2"}, "There is no seat '2': it is 0, 1 or lot."),
        ({"clock": "{0}"}, f"There is no clock '{{0}}': it is one of {', '.join(CLOCKS)}."),
        ({"hex.size": "99"}, "Hex: size must be from 2 to 19, not 99."),
        ({"hex.size": "²"}, "Hex: size must be an integer, not '²'."),
        ({"hex.size": "--9"}, "Hex: size must be an integer, not '--9'."),
        ({"hex.size": "9999999999"}, "Hex: size must be an integer, not '9999999999'."),
        ({"hex.swap": "maybe"}, "Hex: swap must be true or false, not 'maybe'."),
        ({"chess.claims": "me"}, "Chess: claims must be one of referee, none, not 'me'."),
    ],
)
def test_a_wish_that_cannot_be_is_told_and_the_rest_is_as_ever(query: dict[str, str], problem: str) -> None:
    choice = choose(query, GAMES, HERE)
    assert choice.problems == [problem]
    assert choice.against is not None
    assert choice.seat == "lot"
    assert choice.clock == "long"
    assert choice.settings["hex", "size"] == 11


async def test_the_page_has_its_choices_before_any_script(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.login("minimax", challenges=True)
    html = (await browser.get("/play?game=connect4&against=minimax&seat=1&connect4.columns=5&clock=ten")).text
    assert '<option value="connect4" selected>Connect four</option>' in html
    assert '<input type="radio" name="against" value="minimax" required checked>' in html
    assert '<input type="radio" name="seat" value="1" checked>' in html
    assert 'data-default="7" value="5" min="4" max="12"' in html
    assert '<option value="ten" data-move-ms="10000" data-bank-ms="0" data-increment-ms="0" selected>' in html
    assert "rumble play --server http://rumble.test --against minimax" in html


async def test_markup_in_the_query_is_shown_as_text(browser: httpx.AsyncClient) -> None:
    html = (await browser.get("/play", params={"game": "<script>", "against": "<b>", "hex.size": "<i>"})).text
    assert "<script>" not in html
    assert "<b>&#39;" not in html
    assert "There is no game &#39;&lt;script&gt;&#39; here." in html
    assert "rumble bot minimax --server http://rumble.test --challenges --name " in html
