"""Pictures of boards by address."""

from typing import Any

import httpx
import pytest
from rumble_engine import get_game
from rumble_server.web.pages import pictures
from rumble_server.web.pages.picture import MAKES_PNG, picture

from tests.needs import missing
from tests.server.web.memory_server import MemoryServer


async def test_every_ply_of_a_match_has_a_picture(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.played("alice", "bob", legs=1, game="connect4")
    over = next(iter(tournament.results.values()))
    address, game = f"/matches/{over.match}/board.svg", get_game("connect4")
    state, last = game.initial(), None
    for ply in range(len(over.moves) + 1):
        answer = await browser.get(address, params={"ply": ply})
        drawing = game.drawing(state.view(), last)
        assert drawing is not None
        assert answer.text == picture(drawing, f"{over.match}, ply {ply}")
        if ply < len(over.moves):
            last = over.moves[ply]
            state = state.play(last)
    assert (await browser.get(address)).text == answer.text, "the last ply if none is asked for"
    assert answer.headers["Content-Type"] == "image/svg+xml"
    assert "style-src 'unsafe-inline'" in answer.headers["Content-Security-Policy"]


async def test_a_picture_is_kept_as_long_as_it_is_true(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.played("alice", "bob", legs=1)
    address = f"/matches/{next(iter(tournament.results))}/board.svg"
    for_now = await browser.get(address, params={"ply": 3})
    for_good = await browser.get(address, params={"ply": 3, "attempt": 1})
    assert for_now.headers["Cache-Control"] == "no-cache", "the match may be played again"
    assert "immutable" in for_good.headers["Cache-Control"]
    again = await browser.get(address, params={"ply": 3}, headers={"If-None-Match": for_now.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert (await browser.get(address, params={"ply": 3, "attempt": 2})).status_code == 404
    assert (await browser.get(address, params={"ply": 99})).status_code == 404
    assert (await browser.get(address, params={"ply": "x"})).status_code == 422
    assert (await browser.get("/matches/nothing.1.1.1.1/board.svg")).status_code == 404
    assert (await browser.get(address.replace("svg", "gif"))).status_code == 422


async def test_a_running_match_has_pictures_of_which_the_newest_is_not_kept(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    tournament, _ = server.begun("alice", "bob", think_ms=1_000, legs=1)
    server.pass_ms(2_500)
    match = next(iter(tournament.running))
    newest = await browser.get(f"/matches/{match}/board.svg", params={"attempt": 1})
    assert f"{match}, ply 2. X: 0. O: 1." in newest.text
    assert newest.headers["Cache-Control"] == "no-cache", "the next move changes it"


async def test_any_position_has_a_picture(browser: httpx.AsyncClient) -> None:
    game = get_game("chess")
    state = game.initial().play("e2e4").play("e7e5")
    drawing = game.drawing(state.view(), "e7e5")
    assert drawing is not None
    address = "/api/games/chess/board.svg"
    moves = await browser.get(address, params={"move": ["e2e4", "e7e5"], "flipped": "1"})
    assert moves.text == picture(drawing, "Chess", flipped=True)
    position = await browser.get(address, params={"position": game.initial().play("e2e4").text(), "move": "e7e5"})
    assert position.text == picture(drawing, "Chess")
    small = await browser.get("/api/games/hex/board.svg", params={"settings": '{"size": 3}', "move": "a1"})
    assert "Blue: a1." in small.text or "blue: a1." in small.text
    assert small.headers["Cache-Control"] == "public, max-age=86400"


@pytest.mark.parametrize(
    ("game", "query", "status", "code"),
    [
        ("go", {}, 404, "unknown_game"),
        ("tictactoe", {"position": "XXX......"}, 422, "bad_position"),
        ("tictactoe", {"position": "." * 9_999}, 422, "bad_message"),
        ("tictactoe", {"settings": "3"}, 422, "bad_settings"),
        ("tictactoe", {"settings": "{"}, 422, "bad_settings"),
        ("tictactoe", {"settings": '{"size": 3}'}, 422, "bad_settings"),
        ("tictactoe", {"move": ["0", "0"]}, 422, "illegal_move"),
        ("tictactoe", {"move": "nonsense"}, 422, "illegal_move"),
        ("tictactoe", {"move": ["0"] * 401}, 422, "bad_message"),
        ("tictactoe", {"flipped": "perhaps"}, 422, "bad_message"),
    ],
)
async def test_an_impossible_picture_is_refused_with_status_and_code(
    browser: httpx.AsyncClient, game: str, query: dict[str, Any], status: int, code: str
) -> None:
    answer = await browser.get(f"/api/games/{game}/board.svg", params=query)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


async def test_png_is_for_servers_with_the_extra(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MAKES_PNG", False)
    answer = await browser.get("/api/games/tictactoe/board.png")
    assert answer.status_code == 404
    assert "the extra `pictures`" in answer.json()["error"]["message"]
    monkeypatch.undo()
    if not MAKES_PNG:
        missing("resvg-py is not installed (the extra `pictures`)")
    answer = await browser.get("/api/games/tictactoe/board.png", params={"move": "4"})
    assert answer.headers["Content-Type"] == "image/png"
    assert answer.content.startswith(b"\x89PNG")


async def test_a_game_without_drawings_has_no_pictures(browser: httpx.AsyncClient) -> None:
    pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    answer = await browser.get("/api/games/openspiel:tic_tac_toe/board.svg")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
