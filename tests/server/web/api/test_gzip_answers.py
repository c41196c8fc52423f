"""Packed answers reach every client: as gzip, unpacked, or as 304."""

import gzip
from hashlib import blake2b

import httpx
import pytest
from rumble_server.web.api.gzip_answers import gzip_answer
from rumble_server.web.api.streamed import SENT_BYTES
from rumble_server.web.compression import Compression, mark_public
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.server.web.memory_server import MemoryServer

WHOLE = b"".join(blake2b(bytes([number])).hexdigest().encode() * 40 for number in range(250))
assert len(WHOLE) > 15 * SENT_BYTES
PACKED = gzip.compress(WHOLE, mtime=0)
"""The packed document. It holds no time, so its ETag stays."""


@pytest.fixture
def client() -> httpx.AsyncClient:
    async def of_all(request: Request) -> Response:
        await mark_public(request)
        return await gzip_answer(request, PACKED, "text/plain")

    async def of_one(request: Request) -> Response:
        return await gzip_answer(request, PACKED, "text/plain")

    app = Compression(Starlette(routes=[Route("/all", of_all), Route("/one", of_one)]))
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://rumble.test")


@pytest.mark.parametrize(
    ("path", "accepted", "is_packed"), [("/all", "gzip", True), ("/all", "br", False), ("/one", "gzip", False)]
)
async def test_an_answer_is_packed_as_its_reader_takes_it(
    client: httpx.AsyncClient, path: str, accepted: str, is_packed: bool
) -> None:
    async with client:
        answer = await client.get(path, headers={"Accept-Encoding": accepted})
    assert answer.content == WHOLE
    assert ("Content-Encoding" in answer.headers) is is_packed
    assert answer.headers["Cache-Control"] == "no-cache"


async def test_a_reader_that_has_the_answer_is_not_sent_it_again(client: httpx.AsyncClient) -> None:
    async with client:
        etags = {
            (await client.get("/all", headers={"Accept-Encoding": each})).headers["ETag"] for each in ("br", "gzip")
        }
        (etag,) = etags
        again = await client.get("/all", headers={"If-None-Match": f'"other", {etag}'})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
        assert (await client.get("/all", headers={"If-None-Match": '"other"'})).status_code == 200


@pytest.mark.parametrize(
    "path", ["/tournaments/friday", "/tournaments/friday/matches", "/api/tournaments/friday/audit"]
)
async def test_pages_of_ended_tournaments_are_not_sent_again(server: MemoryServer, path: str) -> None:
    server.played("alice", "bob")
    server.forget_tournaments()
    async with server.browser() as browser:
        first = await browser.get(path)
        again = await browser.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
