"""The node that answers each route. A new route must be added to one of the sets below."""

import pytest
from rumble_server.web import club_paths
from rumble_server.web.app import application
from rumble_server.web.needs import LEADER, NOTHING, Needs, needs_of
from rumble_server.web.pages import rendering
from starlette.routing import Route

from tests.server.web.memory_server import HOST, MemoryServer

ANY_NODE = {
    "/admin",
    "/api/games",
    "/api/games/{game}/board",
    "/api/games/{game}/board.{kind}",
    "/console",
    "/console/{tournament}",
    "/docs",
    "/export.schema.json",
    "/metrics",
    "/openapi.json",
    "/protocol.json",
    "/write",
}
"""Paths that any node answers, whichever node leads the club."""
OF_PROCESS = {"/api/led", "/api/led/{club}", "/healthz", "/readyz", "/static/{path:path}"}
"""Paths that are not about a club."""
OF_LEADER = {
    "/",
    "/api/bans",
    "/api/refused",
    "/api/clubs",
    "/api/host",
    "/api/host/tokens",
    "/api/host/tournaments",
    "/api/opponents",
    "/api/tournaments",
    "/bots/{bot}",
    "/clubs",
    "/play",
}
"""Paths that only the leader of the club answers; commands go to the leader, too."""
OF_TOURNAMENT = ("/tournaments/{tournament}", "/matches/{match}")
"""Beginnings of paths that the leader answers, or any node from the database once the tournament is over."""
FEED = "/api/tournaments/{tournament}/events"
NAMES = {"game": "tictactoe", "kind": "svg", "tournament": "friday", "match": "friday.1.1.1.1", "bot": "ada"}


async def routes(server: MemoryServer) -> set[tuple[str, str]]:
    """Return the method and the path of every route."""
    async with server.browser() as browser:
        document = (await browser.get("/openapi.json")).json()["paths"]
    found = {(method.upper(), path) for path, methods in document.items() for method in methods}
    hidden = {route.path for route in application().routes if isinstance(route, Route)}
    return found | {("GET", path) for path in hidden | {"/api/led", "/api/led/{club}"}}


def needs(method: str, path: str, query: str = "") -> Needs:
    asked = path.format_map({**NAMES, "path:path": "x", "club": "school", "name": "ada"})
    return needs_of({"type": "http", "method": method, "query_string": query.encode()}, asked)


async def test_every_route_is_answered_where_it_can_be(server: MemoryServer) -> None:
    found = await routes(server)
    reading = {path for method, path in found if method == "GET"}
    of_tournament = {path for path in reading if path.removeprefix("/api").startswith(OF_TOURNAMENT)}
    assert of_tournament > {FEED, "/tournaments/{tournament}", "/api/matches/{match}/boards"}
    assert reading - of_tournament == (ANY_NODE | OF_PROCESS | OF_LEADER) - {"/api/games/{game}/board"}
    assert all(path.startswith(club_paths.OF_PROCESS) for path in OF_PROCESS)
    for method, path in sorted(found):
        if path in OF_PROCESS:
            continue
        if path in ANY_NODE:
            wanted = NOTHING
        elif path == FEED:
            wanted = Needs(is_live=False, tournament="friday")
        elif method == "GET" and path in of_tournament:
            wanted = Needs(is_live=True, tournament="friday")
        else:
            wanted = LEADER
        assert needs(method, path) == wanted, (method, path)


def test_a_guide_about_a_tournament_needs_that() -> None:
    assert needs("GET", "/write", "join=friday&invite=x") == Needs(tournament="friday")
    assert needs("GET", "/write", "join=friday&join=") == needs("HEAD", "/write", "joined=friday") == NOTHING


async def test_what_any_node_answers_is_the_same_whatever_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "made_name", lambda: "a-bot")
    plain, busy = MemoryServer(), MemoryServer()
    busy.world.create(start_at_bots=2)
    busy.bots("alice", "bob", think_ms=60_000, join="friday")
    busy.pass_ms()
    state = {"board": "X........"}
    for method, path in sorted(await routes(plain)):
        if path not in ANY_NODE or path == "/metrics":  # every node has its own metrics
            continue
        answers = []
        for server in (plain, busy):
            async with server.browser(headers=HOST) as browser:
                answers.append(await browser.request(method, path.format_map(NAMES), json={"state": state}))
        assert [answer.status_code for answer in answers] == [200, 200], path
        assert answers[0].text == answers[1].text, path
