"""Requests to a Battlesnake over loopback: valid answers, bounds, and problems in a line."""

import pytest
from rumble_bots.bridges.battlesnake.objects import body_of
from rumble_bots.bridges.battlesnake.webhooks import NoAnswer, Webhooks
from rumble_bots.sdk.errors import BadAddress, BadProgram
from rumble_engine.games.snakes import GAME

from tests.bots.bridges.battlesnake.servers import Battlesnake, GarbageSnake, LateSnake, snaking

pytestmark = pytest.mark.e2e
FULL_MS = 20_000
STALE_MS = 50
"""A time limit in ms that a late answer misses."""


def body(turn: int = 0) -> dict[str, object]:
    return body_of(GAME.initial_for(2, None, 1).view(), 0, ["ann", "bob"], "cup.1-1", 500) | {"turn": turn}


async def test_moves_come_over_one_connection() -> None:
    with snaking() as snake:
        webhooks = Webhooks(f"{snake.url}/")
        await webhooks.check()
        await webhooks.event("start", body(), FULL_MS)
        moves = [await webhooks.move(body(turn), FULL_MS) for turn in range(3)]
        await webhooks.close()
    assert {(each.move, each.shout) for each in moves} == {(moves[0].move, f"going {moves[0].move}")}
    assert snake.requests == [("/start", body()), *(("/move", body(turn)) for turn in range(3))]
    assert snake.connections == 1


@pytest.mark.parametrize(
    ("turn", "problem"),
    [
        (0, "answers wrongly: move: Input should be 'up', 'down', 'left' or 'right'"),
        (1, "answers wrongly: move: Field required"),
        (2, "answers wrongly: the answer: Invalid JSON"),
        (3, "answers wrongly: the answer: Invalid JSON"),
        (4, "answers with status 500, not 200"),
        (5, "answers with more than 64 KiB"),
        (6, "answers wrongly: the answer: Invalid JSON"),
    ],
)
async def test_garbage_is_no_answer(turn: int, problem: str) -> None:
    with snaking(GarbageSnake) as snake:
        webhooks = Webhooks(snake.url)
        with pytest.raises(NoAnswer) as raised:
            await webhooks.move(body(turn), FULL_MS)
        await webhooks.close()
    assert str(raised.value).startswith(problem)
    assert "\n" not in str(raised.value)


async def test_a_late_answer_is_none_and_the_next_request_does_not_get_it() -> None:
    with snaking(LateSnake) as snake:
        webhooks = Webhooks(snake.url)
        with pytest.raises(NoAnswer, match=f"did not answer within {STALE_MS} ms"):
            await webhooks.move(body(), STALE_MS)
        snake.stopped.set()
        assert (await webhooks.move(body(), FULL_MS)).shout
        await webhooks.close()
    assert snake.connections == 2


@pytest.mark.parametrize(
    ("details", "problem"),
    [
        ((404, b"not here"), "it answers with status 404, not 200"),
        ((200, b"<html>hello</html>"), "it answers wrongly: the answer: Invalid JSON"),
        ((200, b'{"author": "me"}'), "it answers wrongly: apiversion: Field required"),
        ((200, b'{"apiversion": "0"}'), "has apiversion '0', not '1'"),
    ],
)
async def test_a_server_that_is_no_battlesnake(details: tuple[int, bytes], problem: str) -> None:
    with snaking() as snake:
        snake.details = details
        webhooks = Webhooks(snake.url)
        with pytest.raises(BadProgram) as raised:
            await webhooks.check()
        await webhooks.close()
    assert snake.url in str(raised.value)
    assert problem in str(raised.value)


async def test_a_proxy_whose_port_cannot_be_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:65536")
    with pytest.raises(BadProgram, match=r"no Battlesnake at http://a\.b: it cannot be reached"):
        await Webhooks("a.b").check()


async def test_nobody_answers() -> None:
    with Battlesnake() as unheard:
        url = unheard.url
    with pytest.raises(BadProgram, match=rf"no Battlesnake at {url}: it cannot be reached"):
        await Webhooks(url).check()


@pytest.mark.parametrize(
    "text", ["ftp://snake", "http://", "", "http://snake:port", "http://xn--a", "http://snake:65536"]
)
def test_a_text_that_is_no_address_of_a_battlesnake_is_refused(text: str) -> None:
    with pytest.raises(BadAddress, match="is not the address of a Battlesnake"):
        Webhooks(text)


@pytest.mark.parametrize("proxy", ["http://proxy:abc", "ftp://proxy", "http://pupil:se/cret@proxy:1", "socks5://proxy"])
def test_a_proxy_that_cannot_be_used_is_told_without_its_password(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    with pytest.raises(
        BadProgram, match=r"^no Battlesnake at http://a\.b: the proxy that the environment names cannot"
    ):
        Webhooks("a.b")


@pytest.mark.parametrize(
    ("text", "url"), [("localhost:8000/", "http://localhost:8000"), ("https://a.b/snake", "https://a.b/snake")]
)
def test_an_address_may_lack_the_scheme(text: str, url: str) -> None:
    assert Webhooks(text).url == url
