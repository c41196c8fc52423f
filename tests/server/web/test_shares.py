"""Streams and costly requests of one address have a bound; another address does not feel it."""

from collections import Counter
from types import SimpleNamespace

import httpx
import pytest
from rumble_server.bounds import Bounds
from rumble_server.limits.connections import Connections
from rumble_server.web.shares import RequestShares, Shares
from rumble_server.web.site import Operation, Process
from starlette.types import Message, Receive, Scope, Send


class Pages:
    """An application that answers with 200; a stream first waits for its peer."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        if scope["path"].endswith("/events"):
            await receive()
        await send({"type": "http.response.body", "body": b""})


class Web:
    """The middleware before an application, and who asks it."""

    def __init__(self, **bounds: int) -> None:
        operation = Operation()
        self.refusals = operation.refusals
        self.now_ms = 0
        places = Connections(Bounds(**bounds))  # type: ignore[arg-type]
        process = Process(lambda: self.now_ms, operation=operation, places=places)
        shares = Shares(Pages(), process)

        async def of_club(scope: Scope, receive: Receive, send: Send) -> None:
            scope["root_path"] = "/c/class-7" if scope["path"].startswith("/c/class-7/") else ""
            live = {"friday"} if scope["root_path"] else {"live"}
            scope.setdefault("state", {})["site"] = SimpleNamespace(arena=SimpleNamespace(tournaments=live))
            await shares(scope, receive, send)

        self.app = RequestShares(of_club, process)

    async def get(self, path: str, address: str = "192.0.2.1") -> int:
        transport = httpx.ASGITransport(self.app, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            answer = await client.get(path)
        if answer.status_code == 429:
            assert answer.json()["error"]["code"] == "too_many_requests"
        return answer.status_code


COSTLY = [
    "/api/tournaments/friday/export.json",
    "/api/tournaments/friday/export.csv",
    "/api/matches/friday.1.1.1.1/transcript",
    "/api/matches/friday.1.1.1.1/boards",
]
CHEAP = ["/", "/api/tournaments/friday", "/api/matches/live.1.1.1.1/boards", "/api/games/chess/board"]


@pytest.mark.parametrize("path", COSTLY)
async def test_an_address_has_so_many_costly_requests_a_minute(path: str) -> None:
    web = Web(costly_per_minute=2)
    assert [await web.get(path) for _ in range(3)] == [200, 200, 429]
    assert [await web.get(each) for each in COSTLY] == [429] * 4
    assert [await web.get(each) for each in CHEAP] == [200] * 4
    assert await web.get(path, "192.0.2.2") == 200
    assert web.refusals.counts == {"costly": 5}
    web.now_ms += 30_000
    assert [await web.get(path) for _ in range(2)] == [200, 429]


async def test_cheap_requests_and_loopback_are_not_counted() -> None:
    web = Web(costly_per_minute=1)
    assert [await web.get(each) for each in CHEAP * 3] == [200] * 12
    assert [await web.get(COSTLY[0], "127.0.0.1") for _ in range(5)] == [200] * 5
    assert await web.get(COSTLY[0]) == 200


async def test_pictures_count_as_boards() -> None:
    web = Web(costly_per_minute=1)
    assert [await web.get(f"/matches/live.1.1.1.1/board.{kind}") for kind in ("svg", "png") * 2] == [200] * 4
    assert [await web.get(f"/matches/friday.1.1.1.1/board.{kind}") for kind in ("svg", "png")] == [200, 429]


async def test_an_address_has_so_many_requests_a_minute() -> None:
    web = Web(requests_per_minute=6)
    assert [await web.get(each) for each in [*CHEAP, *COSTLY]] == [200] * 6 + [429] * 2
    assert await web.get("/", "192.0.2.2") == 200
    assert [await web.get("/", "127.0.0.1") for _ in range(20)] == [200] * 20
    assert web.refusals.counts == {"requests": 2}
    web.now_ms += 10_000
    assert [await web.get("/") for _ in range(2)] == [200, 429]


async def test_a_class_behind_one_address_is_never_refused() -> None:
    """40 browsers load a page with 25 files each, five times in a minute."""
    web, statuses = Web(), Counter[int]()

    async def receive() -> Message:
        raise AssertionError("nothing is waited for")

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses[message["status"]] += 1

    for _ in range(40 * 25 * 5):
        await web.app({"type": "http", "path": "/", "client": ("192.0.2.1", 1), "headers": []}, receive, send)
    assert statuses == {200: 40 * 25 * 5}


async def test_an_address_has_so_many_streams_at_a_time() -> None:
    web = Web(streams_per_address=1)
    within: list[int] = []

    async def receive() -> Message:
        """While this stream is open, ask for another one, here and elsewhere."""
        within.append(await web.get("/api/tournaments/friday/events"))
        within.append(await web.get("/api/tournaments/friday/events", "192.0.2.2"))
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        """Nobody reads it."""

    scope = {"type": "http", "path": "/api/tournaments/friday/events", "client": ("192.0.2.1", 1), "headers": []}
    await web.app(scope, receive, send)
    assert within == [429, 200]
    assert web.refusals.counts == {"streams": 1}
    assert await web.get("/api/tournaments/friday/events") == 200


async def test_what_is_costly_in_a_club_is_found_out_in_that_club() -> None:
    web = Web(costly_per_minute=1)
    assert [await web.get("/c/class-7/api/matches/friday.1.1.1.1/boards") for _ in range(3)] == [200] * 3
    assert [await web.get("/c/class-7/api/matches/live.1.1.1.1/boards") for _ in range(2)] == [200, 429]
    assert await web.get("/c/class-7/api/tournaments/friday/export.json") == 429
    assert web.refusals.counts == {"costly": 2}


async def test_what_a_node_asks_for_all_its_visitors_has_no_share() -> None:
    web = Web(streams_per_address=1, requests_per_minute=1, limit_loopback=True)
    statuses: list[int] = []

    async def ask(*, of_node: bool, within: bool = False) -> None:
        async def receive() -> Message:
            if within:
                await ask(of_node=of_node)
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        scope: Scope = {"type": "http", "path": "/api/tournaments/friday/events", "client": None, "headers": []}
        await web.app({**scope, "root_path": "", "state": {"is_passed_on": of_node}}, receive, send)

    await ask(of_node=True, within=True)
    await ask(of_node=False, within=True)
    assert statuses == [200, 200, 200, 429]
