"""A proxy's question over a socket: who leads the club of a path; and the ways in of a club that is led elsewhere."""

from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus

import pytest
from rumble_protocol.clubs import MAIN
from rumble_server.limits.bounds import Bounds

from tests.server.gateway.pages import UPGRADE as WEBSOCKET
from tests.server.gateway.pages import Pages, answer
from tests.server.gateway.served import GatewayServer, OneClub, served

pytestmark = pytest.mark.e2e

LEADER = b"http://10.0.0.2:8765"
HEAD = b"GET /api/leader HTTP/1.1\r\nHost: node1:8765\r\n"
QUESTION = HEAD + b"X-Original-URI: /bot\r\n\r\n"
ANSWER = b"HTTP/1.1 204 No Content\r\nRumble-Leader: " + LEADER + b"\r\n\r\n"
NOBODY = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
UPGRADE = b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
PROXY, STRANGER = "127.0.0.1", "127.0.0.2"


class Leads:
    """Answers what is asked with an `X-Original-URI`, unless it was forwarded; `asked` has what came."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.leader: bytes | None = LEADER

    def answer(self, headers: Sequence[tuple[bytes, bytes]]) -> tuple[HTTPStatus, bytes] | None:
        told = dict(headers)
        if b"x-original-uri" not in told or b"x-forwarded-for" in told:
            return None
        self.asked.append(told[b"x-original-uri"])
        if self.leader is None:
            return HTTPStatus.SERVICE_UNAVAILABLE, b"Retry-After: 1\r\n"
        return HTTPStatus.NO_CONTENT, b"Rumble-Leader: %s\r\n" % self.leader


class Elsewhere(OneClub):
    """Main, which is led here, and a club `school` that another node leads."""

    def must_redirect(self, name: str) -> bool:
        return name == "school"


def of_several(server: GatewayServer, *, abandoned: bool = False) -> Leads:
    """Make a server one node of several, which tells proxies who leads."""
    leads, clubs = Leads(), Elsewhere(server.gateway)
    clubs.refuses_bots = abandoned
    server.shared = replace(server.shared, question=leads, clubs=clubs)
    return leads


async def test_questions_are_answered_one_after_the_other_before_any_application() -> None:
    app = Pages()
    async with served(proxies=[PROXY], app=app) as server:
        leads = of_several(server)
        async with server.raw() as client:
            for question in (QUESTION, QUESTION + QUESTION):
                client.writer.write(question)
                for _ in range(question.count(HEAD)):
                    assert await client.until(b"\r\n\r\n") == ANSWER
            leads.leader = None
            client.writer.write(QUESTION)
            assert await client.until(b"\r\n\r\n") == NOBODY
            client.writer.write(b"GET /page HTTP/1.1\r\nHost: node1\r\n\r\n")
            assert (await answer(client))[0] == 200
            client.writer.write(QUESTION)
            assert await client.until(b"\r\n\r\n") == NOBODY
    assert (leads.asked, [scope["path"] for scope in app.scopes]) == (5 * [b"/bot"], ["/page"])


async def test_a_question_is_counted_by_no_limit() -> None:
    bounds = Bounds(limit_loopback=True, requests_per_minute=1, strangers_per_address=1, pipelined_requests=2)
    async with served(proxies=[PROXY], bounds=bounds) as server:
        leads = of_several(server)
        async with server.raw() as first, server.raw() as second:
            for _ in range(20):
                for client in (first, second):
                    client.writer.write(QUESTION)
                    assert await client.until(b"\r\n\r\n") == ANSWER
        assert len(leads.asked) == 40
        assert not server.refusals.counts


@pytest.mark.parametrize(
    "body", [b"Content-Length: 5\r\n\r\nhello", b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"]
)
async def test_the_body_of_a_question_is_dropped(body: bytes) -> None:
    async with served(proxies=[PROXY]) as server:
        of_several(server)
        async with server.raw() as client:
            for _ in range(2):
                client.writer.write(QUESTION[:-2] + body)
                assert await client.until(b"\r\n\r\n") == ANSWER


@pytest.mark.parametrize(
    "question",
    [QUESTION[:-2] + b"Connection: close\r\n\r\n", QUESTION.replace(b"HTTP/1.1", b"HTTP/1.0")],
    ids=["close", "HTTP/1.0"],
)
async def test_the_connection_ends_after_the_answer_where_the_proxy_wants_it(question: bytes) -> None:
    async with served(proxies=[PROXY]) as server:
        of_several(server)
        async with server.raw() as client:
            client.writer.write(question)
            assert await client.reader.read() == ANSWER[:-2] + b"Connection: close\r\n\r\n"


async def test_a_connection_between_questions_is_given_up_when_it_is_idle() -> None:
    async with served(proxies=[PROXY], bounds=Bounds(idle_ms=50)) as server:
        of_several(server)
        async with server.raw() as client:
            client.writer.write(QUESTION)
            assert await client.reader.read() == ANSWER


@pytest.mark.parametrize(
    ("address", "question"),
    [
        (STRANGER, QUESTION),
        (PROXY, QUESTION[:-2] + b"X-Forwarded-For: 192.0.2.1\r\n\r\n"),
        (PROXY, HEAD + b"\r\n"),
        (PROXY, QUESTION.replace(b"/api/leader", b"/api/leader?x")),
        (PROXY, QUESTION[:-2] + UPGRADE + b"\r\n"),
        (PROXY, QUESTION[:-2] + UPGRADE.replace(b"websocket", b"h2c") + b"\r\n"),
    ],
    ids=["a stranger", "forwarded", "about no path", "another path", "a WebSocket", "another upgrade"],
)
async def test_nobody_else_is_told(address: str, question: bytes) -> None:
    async with served(proxies=[PROXY]) as server:
        leads = of_several(server)
        async with server.raw(address) as client:
            client.writer.write(question)
            assert (await client.until(b"\r\n\r\n")).startswith(b"HTTP/1.1 404 ")
    assert leads.asked == []


async def test_a_server_that_is_no_node_of_several_has_nothing_to_tell() -> None:
    async with served(proxies=[PROXY]) as server, server.raw() as client:
        client.writer.write(QUESTION)
        assert (await client.until(b"\r\n\r\n")).startswith(b"HTTP/1.1 404 ")


@pytest.mark.parametrize(
    ("path", "abandoned", "status"),
    [("/c/school/bot", False, 503), (f"/c/{MAIN}/bot", False, 101), ("/bot", True, 503), ("/c/school/bot", True, 503)],
)
async def test_bots_of_a_club_that_is_led_elsewhere_come_again(path: str, abandoned: bool, status: int) -> None:
    async with served(proxies=[PROXY]) as server:
        of_several(server, abandoned=abandoned)
        async with server.raw() as client:
            client.writer.write(WEBSOCKET.replace(b"/bot", path.encode()) + b"\r\n")
            head = await client.until(b"\r\n\r\n")
            assert int(head.split()[1]) == status
            assert (b"\r\nRetry-After: 1\r\n" in head) == (status == 503)
