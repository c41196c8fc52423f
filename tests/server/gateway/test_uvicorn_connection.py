"""The inner parts of uvicorn's connection: a failure here, after an update of uvicorn, tells which part has changed."""

import asyncio
from typing import Any, cast

import pytest
import uvicorn
from httptools import HttpParserUpgrade
from rumble_server.gateway.uvicorn_connection import UvicornConnection
from uvicorn.server import ServerState

from tests.server.gateway.pages import GET, UPGRADE
from tests.server.gateway.transport import Transport

OK = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]}
END = {"type": "http.response.body", "body": b""}


class Web:
    """An application that answers requests one by one, when `answer` is called. `gone` has the paths of lost peers."""

    def __init__(self) -> None:
        self.gone: list[str] = []
        self._may_answer = asyncio.Semaphore(0)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._may_answer.acquire()
        await send(OK)
        await send(END)
        if (await receive())["type"] == "http.disconnect" and scope["path"] != "/1":
            self.gone.append(scope["path"])

    async def answer(self) -> None:
        self._may_answer.release()
        for _ in range(3):
            await asyncio.sleep(0)


class Plain(UvicornConnection):
    """A connection that runs the web for each request, and counts calls of `_continue_reading`."""

    is_last = False
    gone_on = 0

    def _continue_reading(self) -> None:
        self.gone_on += 1

    def on_headers_complete(self) -> None:
        self._run_web(is_last=self.is_last)


def opened(web: Web) -> tuple[Plain, Transport]:
    config = uvicorn.Config(cast(Any, web), ws="none", lifespan="off", log_config=None, proxy_headers=False)
    connection, transport = Plain(config=config, server_state=ServerState(), app_state={}), Transport()
    connection.connection_made(cast(Any, transport))
    return connection, transport


async def test_of_two_requests_the_second_waits_and_nothing_more_is_parsed_meanwhile() -> None:
    web = Web()
    connection, transport = opened(web)
    assert not connection._is_answering()
    connection.parser.feed_data(GET % 1)
    assert connection._is_answering()
    assert not connection._is_web_behind()
    connection.parser.feed_data(GET % 2)
    assert connection._is_web_behind()
    assert transport.is_paused
    await web.answer()
    assert connection._is_answering()
    assert not connection._is_web_behind()
    assert connection.gone_on == 1
    await web.answer()
    assert not connection._is_answering()
    assert transport.written.count(b"HTTP/1.1 200") == 2
    assert not transport.is_closed
    connection._stop_idle_timer()


@pytest.mark.parametrize("is_last", [True, False])
async def test_the_connection_ends_with_a_last_answer(is_last: bool) -> None:
    web = Web()
    connection, transport = opened(web)
    connection.is_last = is_last
    connection.parser.feed_data(GET % 1)
    await web.answer()
    assert transport.is_closed is is_last
    connection._stop_idle_timer()


async def test_a_request_that_waits_is_withdrawn_and_the_earlier_request_is_answered() -> None:
    web = Web()
    connection, transport = opened(web)
    connection.parser.feed_data(GET % 1)
    connection.parser.feed_data(GET % 2)
    assert connection._withdraw()
    assert connection._is_answering()
    await web.answer()
    assert not connection._is_answering()
    assert transport.written.count(b"HTTP/1.1 200") == 1
    connection._stop_idle_timer()


async def test_a_request_is_withdrawn_from_the_web_until_a_part_of_its_answer_is_sent() -> None:
    web = Web()
    connection, transport = opened(web)
    connection.parser.feed_data(GET % 1)
    await web.answer()
    assert not connection._withdraw()
    connection.parser.feed_data(GET % 2)
    assert connection._withdraw()
    await web.answer()
    assert transport.written.count(b"HTTP/1.1 200") == 1
    assert web.gone == ["/2"]
    connection._stop_idle_timer()


async def test_every_request_learns_that_the_peer_has_gone() -> None:
    web = Web()
    connection, transport = opened(web)
    connection.parser.feed_data(GET % 2)
    connection.parser.feed_data(GET % 3)
    connection._withdraw_all()
    await web.answer()
    assert (transport.written, web.gone) == (b"", ["/2"])


async def test_a_request_for_a_websocket_runs_no_web_and_can_be_repeated() -> None:
    connection, _ = opened(Web())
    request = UPGRADE + b"\r\n"
    with pytest.raises(HttpParserUpgrade) as upgrade:
        connection.parser.feed_data(request + b"rest")
    assert upgrade.value.args == (len(request),)
    assert connection._should_upgrade()
    assert not connection._is_answering()
    assert connection._request_bytes().lower() == request.lower()


async def test_the_idle_timer_starts_and_stops() -> None:
    connection, transport = opened(Web())
    connection.timeout_keep_alive = 0
    for is_stopped in (True, False):
        connection._start_idle_timer()
        if is_stopped:
            connection._stop_idle_timer()
        for _ in range(3):
            await asyncio.sleep(0)
        assert transport.is_closed is not is_stopped
