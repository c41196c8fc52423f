"""Streams, requests and costly work are limited by address; a limit of an address does not affect other addresses."""

from dataclasses import replace

import httpx
from rumble_server.host.fair_queue import Crowded, current_asker
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.permits import Permits
from rumble_server.web.errors import WebError
from rumble_server.web.guards.rate_limits import BYTES_OF_A_MS, FREE_BYTES, RateLimits, RequestShares
from starlette.types import Message, Receive, Scope, Send

from tests.server.web.memory_server import MemoryServer


class Pages:
    """An application that answers with 200. A stream waits for its client first, and `/work` is costly."""

    def __init__(self) -> None:
        self.bytes = self.cost_ms = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        status = 200
        if scope["path"] == "/work":
            try:
                current_asker().begin()
                current_asker().spend(self.cost_ms)
            except Crowded:
                status = 429
        await send({"type": "http.response.start", "status": status, "headers": []})
        if scope["path"].endswith("/events"):
            await receive()
        for piece in (self.bytes // 3, self.bytes - self.bytes // 3):
            await send({"type": "http.response.body", "body": bytes(piece), "more_body": True})
        await send({"type": "http.response.body"})


class Web:
    """The middleware in front of an application, with clients that send requests."""

    def __init__(self, **bounds: int) -> None:
        self.now_ms = 0
        permits = Permits(Bounds(**bounds))  # type: ignore[arg-type]
        self.process = process = replace(MemoryServer().process, now_ms=lambda: self.now_ms, permits=permits)
        self.refusals = process.figures.refusals
        self.pages = Pages()
        shares = RateLimits(self.pages, process)

        async def of_club(scope: Scope, receive: Receive, send: Send) -> None:
            await shares({**scope, "root_path": ""}, receive, send)

        self.app = RequestShares(of_club, process)

    async def get(self, path: str, address: str = "192.0.2.1") -> int:
        transport = httpx.ASGITransport(self.app, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            try:
                return (await client.get(path)).status_code
            except WebError as error:
                return error.status


PAGES = ["/", "/api/tournaments/friday", "/api/tournaments/friday/matches", "/matches/friday.1.1.1.1/board.svg"]


async def test_the_work_of_the_server_for_an_address_is_bounded_each_minute() -> None:
    web = Web(reading_ms_per_minute=1_000)
    web.pages.cost_ms = 600
    assert [await web.get("/work") for _ in range(3)] == [200, 200, 429]
    assert [await web.get(each) for each in PAGES] == [200] * 4
    assert await web.get("/work", "192.0.2.2") == 200
    web.now_ms += 15_000
    assert [await web.get("/work") for _ in range(2)] == [200, 429]
    assert [await web.get("/work", "127.0.0.1") for _ in range(5)] == [200] * 5


async def test_long_answers_cost_by_their_bytes() -> None:
    web = Web(reading_ms_per_minute=1_000)
    web.pages.bytes = FREE_BYTES
    assert [await web.get("/work") for _ in range(9)] == [200] * 9
    web.pages.bytes = FREE_BYTES + 500 * BYTES_OF_A_MS
    assert [await web.get("/work") for _ in range(3)] == [200, 200, 429]


async def test_the_requests_of_an_address_are_bounded_each_minute() -> None:
    web = Web(requests_per_minute=6)
    assert [await web.get(each) for each in PAGES * 2] == [200] * 6 + [429] * 2
    assert await web.get("/", "192.0.2.2") == 200
    assert [await web.get("/", "127.0.0.1") for _ in range(20)] == [200] * 20
    assert web.refusals.counts == {"requests": 2}
    web.now_ms += 10_000
    assert [await web.get("/") for _ in range(2)] == [200, 429]


def test_a_class_behind_one_address_is_never_refused() -> None:
    """40 browsers load a page with 25 files each, five times in a minute."""
    permits = Permits(Bounds())
    assert all(permits.requests.take("192.0.2.1", 0) for _ in range(40 * 25 * 5))


async def test_the_streams_of_an_address_are_bounded() -> None:
    web = Web(streams_per_address=1)
    within: list[int] = []

    async def receive() -> Message:
        """Ask for a second stream from the same and from another address, while the first is open."""
        within.append(await web.get("/api/tournaments/friday/events"))
        within.append(await web.get("/api/tournaments/friday/events", "192.0.2.2"))
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        """Drop the answer."""

    scope = {"type": "http", "path": "/api/tournaments/friday/events", "client": ("192.0.2.1", 1), "headers": []}
    await web.app(scope, receive, send)
    assert within == [429, 200]
    assert web.refusals.counts == {"streams": 1}
    assert await web.get("/api/tournaments/friday/events") == 200


async def test_a_request_of_another_machine_is_noted() -> None:
    web = Web()
    for address in ("127.0.0.1", "::1", "localhost"):  # the last is the server's own address in these requests
        await web.get("/", address)
        assert not web.process.remote_access.was_reached
    await web.get("/", "192.0.2.1")
    await web.get("/", "127.0.0.1")
    assert web.process.remote_access.was_reached
