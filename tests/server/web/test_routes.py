"""Which routes there are, and whom each of them answers."""

from typing import Any

import httpx
import pytest
from rumble_server.web.api.reading import read_event_id

from tests.server.web.scene import HOST, Scene

FOR_ANYONE = {
    ("POST", "/api/games/{game}/board"),
}
"""The only routes that take more than a question in an address, and need no token."""
NAMES = {"tournament": "friday", "name": "alice", "game": "tictactoe", "match": "friday.1.1.1.1", "bot": "alice"}
READ = ("GET", "HEAD", "OPTIONS")


async def operations(browser: httpx.AsyncClient) -> dict[tuple[str, str], dict[str, Any]]:
    paths = (await browser.get("/openapi.json")).json()["paths"]
    return {(method.upper(), path): found for path, methods in paths.items() for method, found in methods.items()}


async def test_whatever_the_host_may_do_nobody_else_may(scene: Scene, browser: httpx.AsyncClient) -> None:
    scene.world.create(invite="hush")
    scene.pass_ms()
    found = await operations(browser)
    guarded = {key for key, operation in found.items() if "host" in operation["tags"]}
    assert {key for key in found if key[0] not in READ} - FOR_ANYONE == {key for key in guarded if key[0] not in READ}
    assert len(guarded) > 15
    before = scene.world.log.last
    for method, path in guarded:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {HOST['Authorization']}"}):
            answer = await browser.request(method, path.format(**NAMES), headers=headers, content=b"{")
            assert (answer.status_code, answer.json()["error"]["code"]) == (401, "bad_token"), (method, path, headers)
            assert "hush" not in answer.text
    assert scene.world.log.last == before


async def test_what_is_not_in_the_document_takes_only_questions(scene: Scene, browser: httpx.AsyncClient) -> None:
    web: Any = scene.web
    known = {path for _, path in await operations(browser)}
    hidden = [route for route in web._app.routes if getattr(route, "methods", None) and route.path not in known]
    assert len(hidden) > 10
    for route in hidden:
        assert set(route.methods) <= {"GET", "HEAD"}, route


async def test_an_invitation_is_nowhere_that_a_guest_may_read(scene: Scene, browser: httpx.AsyncClient) -> None:
    tournament = scene.world.create(invite="hush-hush", start_at_bots=2)
    for name in ("alice", "bob"):
        bot = scene.world.login(name, join=tournament.id, invite="hush-hush")
        bot.play(lambda turn: str(turn["legal"][0]))
    scene.world.run()
    paths = [path for method, path in await operations(browser) if method == "GET" and "events" not in path]
    pages = [
        "/",
        "/tournaments/friday",
        "/tournaments/friday/matches",
        "/bots/alice",
        "/matches/friday.1.1.1.1",
        "/play",
    ]
    for path in [*paths, *pages, "/console", "/console/friday", "/write?join=friday", "/tournaments/friday?invite=x"]:
        told = await browser.get(path.format(**NAMES))
        assert "hush-hush" not in told.text + str(told.headers), path


@pytest.mark.parametrize(
    ("text", "seen"), [(None, None), ("17", 17), ("", None), ("-1", None), ("x", None), ("9" * 5000, None)]
)
def test_a_last_event_id_is_one_of_ours_or_none(text: str | None, seen: int | None) -> None:
    assert read_event_id(text) == seen
