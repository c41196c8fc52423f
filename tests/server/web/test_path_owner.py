"""The owner of each route. A new route needs an entry here with its owner."""

from typing import Any

import httpx
import pytest
from rumble_server.web.app import application
from rumble_server.web.pages import rendering
from rumble_server.web.path_owner import Owner, is_of_main, needs_no_club, owner_of
from starlette.routing import Route

from tests.server.web.memory_server import HOST, MemoryServer

ANY_NODE = {"/clubs", "/code/files/{path:path}", "/code/frame", "/docs", "/static/{path:path}", "/write"}
"""Paths that every node answers alike."""
THIS_NODE = {"/healthz", "/metrics", "/readyz"}
"""Paths with which a node describes only itself."""
TOKENS = "/api/clubs/{club}/tokens"
NAMES = {
    "game": "tictactoe",
    "kind": "svg",
    "tournament": "friday",
    "match": "friday.1.1.1.1",
    "bot": "ada",
    "name": "ada",
    "club": "school",
    "code": "KMRTVA",
    "number": "1",
}
"""Values for the parameters of paths."""


def filled(path: str) -> str:
    """Return the path of a route with a value for each parameter."""
    return path.replace("{path:path}", "x").format_map(NAMES)


async def operations(browser: httpx.AsyncClient) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the description of each route of the API, by method and path."""
    paths = (await browser.get("/openapi.json")).json()["paths"]
    return {(method.upper(), path): found for path, methods in paths.items() for method, found in methods.items()}


async def routes(server: MemoryServer) -> set[tuple[str, str]]:
    """Return the method and the path of every route."""
    async with server.browser() as browser:
        found = {*await operations(browser)}
    return found | {("GET", route.path) for route in application().routes if isinstance(route, Route)}


async def test_every_route_has_an_owner(server: MemoryServer) -> None:
    found = {path for _, path in await routes(server)}
    assert found > ANY_NODE | THIS_NODE | {TOKENS}
    for path in found:
        asked = filled(path)
        if path in THIS_NODE:
            assert owner_of(asked, "") is Owner.THIS_NODE
        elif path in ANY_NODE:
            assert owner_of(asked, "") is Owner.ANY_NODE
        else:
            assert owner_of(asked, "") == ("school" if path == TOKENS else "main"), path
            assert owner_of(f"/c/chess{asked}", "") == "chess", path


@pytest.mark.parametrize(
    ("path", "query", "owner"),
    [
        ("/bot", "", "main"),
        ("/api/leader", "", Owner.THIS_NODE),
        ("/c/chess/bot", "", "chess"),
        ("/c/chess/", "", "chess"),
        ("/c/no name/", "", "main"),
        ("/c/chess/docs", "", Owner.ANY_NODE),
        ("/c/chess/metrics", "", "chess"),
        ("/c/chess/static/x", "", "chess"),
        ("/nothing", "", "main"),
        ("/write", "join=friday&invite=x", "main"),
        ("/c/chess/write", "join=friday", "chess"),
        ("/write", "join=friday&join=", Owner.ANY_NODE),
        ("/write", "joined=friday", Owner.ANY_NODE),
        ("/api/clubs", "", "main"),
        ("/api/clubs/a/b/tokens", "", "main"),
    ],
)
def test_a_path_has_one_owner(path: str, query: str, owner: str | Owner) -> None:
    assert owner_of(path, query) == owner


@pytest.mark.parametrize(
    ("path", "no_club", "of_main"),
    [
        ("/metrics", True, True),
        ("/static/x", True, True),
        ("/clubs", False, True),
        ("/admin", False, True),
        ("/api/clubs/school/tokens", False, True),
        ("/metrics-of-mine", False, False),
        ("/docs", False, False),
        ("/api/host", False, False),
    ],
)
def test_some_paths_are_of_main_alone_or_need_no_club(path: str, no_club: bool, of_main: bool) -> None:
    assert (needs_no_club(path), is_of_main(path)) == (no_club, of_main)


async def test_an_answer_of_any_node_is_the_same_whatever_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "random_name", lambda: "a-bot")
    plain, busy = MemoryServer(), MemoryServer()
    busy.begun("alice", "bob", think_ms=60_000)
    busy.pass_ms()
    for path in ("/docs", "/write"):  # the list of clubs tells what goes on in them
        answers = []
        for server in (plain, busy):
            server.elsewhere = {"main"}
            async with server.browser(headers=HOST) as browser:
                answers.append(await browser.get(path))
        assert [answer.status_code for answer in answers] == [200, 200], path
        assert answers[0].text == answers[1].text, path
