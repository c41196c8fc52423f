"""The routes and their guards, the errors, and the static files."""

import logging
import sys
from dataclasses import replace
from typing import Any

import httpx
import pytest
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.buckets import MINUTE_MS
from rumble_server.limits.permits import Permits
from rumble_server.store.errors import DamagedLog, StoreError
from rumble_server.web.app import application
from starlette.routing import Route

from tests.server.failing import raising
from tests.server.web.memory_server import HOST, MemoryServer
from tests.server.web.test_path_owner import filled, operations

FOR_ANYONE = {("POST", "/api/games/{game}/board"), ("POST", "/api/join"), ("POST", "/api/slips")}
"""The only routes without a token that read a body."""
NEEDS_TOKEN = {"host", "administrator", "owner"}
READ = ("GET", "HEAD", "OPTIONS")


async def test_commands_of_the_host_are_refused_to_everybody_else(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    server.world.create(invite="hush")
    server.take_in("school", MemoryServer())
    found = await operations(browser)
    guarded = {key for key, operation in found.items() if not NEEDS_TOKEN.isdisjoint(operation["tags"])}
    assert {key for key in found if key[0] not in READ} - FOR_ANYONE == {key for key in guarded if key[0] not in READ}
    assert len(guarded) > 15
    before = server.world.log.last
    for method, path in guarded:
        server.pass_ms(MINUTE_MS)  # so that the wrong tokens do not reach the limit
        for shown in ("", "Bearer wrong", "Bearer", "Basic the-host-token", f"Basic {HOST['Authorization']}"):
            headers = {"Authorization": shown} if shown else {}
            answer = await browser.request(method, filled(path), headers=headers, content=b"{")
            assert (answer.status_code, answer.json()["error"]["code"]) == (401, "bad_token"), (method, path, shown)
            assert answer.headers["WWW-Authenticate"] == "Bearer"
            assert "hush" not in answer.text
    assert server.world.log.last == before


async def test_routes_outside_the_document_take_only_questions(browser: httpx.AsyncClient) -> None:
    known = {path for _, path in await operations(browser)}
    hidden = [route for route in application().routes if isinstance(route, Route) and route.path not in known]
    assert len(hidden) > 10
    for route in hidden:
        assert set(route.methods or ()) <= {"GET", "HEAD"}, route


async def test_an_invitation_is_nowhere_that_a_guest_may_read(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.world.create(invite="hush-hush", start_at_bots=2)
    for name in ("alice", "bob"):
        bot = server.world.login(name, join=tournament.id, invite="hush-hush")
        bot.play(lambda turn: str(turn["legal"][0]))
    server.world.run()
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
        answer = await browser.get(filled(path))
        assert "hush-hush" not in answer.text + str(answer.headers), path


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/tournaments/nope", 404, "unknown_tournament"),
        ("/api/tournaments/nope/events", 404, "unknown_tournament"),
        ("/api/matches/nope.1.1.1.1", 404, "unknown_tournament"),
        ("/api/matches/friday.9.9.9.9", 404, "not_found"),
        ("/api/nope", 404, "not_found"),
        ("/api/tournaments/", 404, "not_found"),
        ("/api/tournaments?limit=0", 422, "bad_message"),
        ("/api/tournaments?limit=many", 422, "bad_message"),
    ],
)
async def test_errors_have_one_shape(
    server: MemoryServer, browser: httpx.AsyncClient, path: str, status: int, code: str
) -> None:
    server.played("alice", "bob")
    answer = await browser.get(path)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    assert set(error) == {"code", "message", "detail"}
    assert error["message"]
    assert [each["field"] for each in error["detail"]] == (["limit"] if status == 422 else [])


async def test_requests_over_the_limit_get_a_page_or_the_apis_error_and_a_time() -> None:
    server = MemoryServer()
    permits = Permits(Bounds(requests_per_minute=2, streams_per_address=1))
    server.process = replace(server.process, permits=permits)
    assert permits.stream("192.0.2.1")
    async with server.browser(address="192.0.2.1") as browser:
        stream, _, api, page = [
            await browser.get(path)
            for path in ("/api/tournaments/friday/events", "/", "/api/tournaments", "/tournaments/friday")
        ]
    assert [each.status_code for each in (stream, api, page)] == [429] * 3
    assert [each.headers["Retry-After"] for each in (stream, api, page)] == ["60"] * 3
    assert [each.json()["error"]["code"] for each in (stream, api)] == ["too_many_requests"] * 2
    assert page.headers["Content-Type"].startswith("text/html")
    assert "too many requests from your address" in page.text


async def test_a_wrong_method_is_told(browser: httpx.AsyncClient) -> None:
    answer = await browser.delete("/api/tournaments")
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")


async def test_a_mistake_of_ours_is_told_without_its_details(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(server.reader, "listed", raising(RuntimeError("secret detail")))
    answer = await browser.get("/api/tournaments")
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal")
    assert "secret detail" not in answer.text
    assert "secret detail" in caplog.text
    assert "text/html" in (await browser.get("/")).headers["Content-Type"]


@pytest.mark.parametrize(
    ("error", "status", "code", "says"),
    [
        (DamagedLog("/srv/rumble.db: row 7 of the log is damaged"), 500, "damaged", "is damaged"),
        (StoreError("cannot read /srv/rumble.db: busy"), 503, "unavailable", "cannot be read at the moment"),
    ],
)
async def test_a_tournament_that_cannot_be_read_is_answered_by_a_sentence(
    server: MemoryServer,
    browser: httpx.AsyncClient,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: StoreError,
    status: int,
    code: str,
    says: str,
) -> None:
    server.played("alice", "bob")
    server.forget_tournaments()
    monkeypatch.setattr(server.reader, "of_tournament", raising(error))
    with caplog.at_level(logging.ERROR):
        page = await browser.get("/tournaments/friday")
        answer = await browser.get("/api/tournaments/friday")
    assert (page.status_code, answer.status_code, answer.json()["error"]["code"]) == (status, status, code)
    for text in (page.text, answer.text):
        assert says in text
        assert "/srv" not in text, "where the database is concerns only the host"
    assert [(str(error) in each.message, each.exc_info) for each in caplog.records] == [(True, None)] * 2


async def test_the_first_request_costs_little_more_than_another(server: MemoryServer) -> None:
    calls = []
    async with server.browser() as browser:
        for _ in range(2):
            count = 0

            def call(*_: Any) -> None:
                nonlocal count
                count += 1

            sys.setprofile(call)
            try:
                await browser.get("/healthz")
            finally:
                sys.setprofile(None)
            calls.append(count)
    assert calls[0] < 8 * calls[1]
