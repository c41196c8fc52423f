"""Public answers are sent as gzip to clients that accept gzip, and no answer with a secret is compressed."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import httpx
import pytest
from rumble_protocol.secret import make_secret
from rumble_server.web.compression import LEAST_BYTES, MOST_BYTES_ON_LOOP, Compression, mark_public
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.server.failing import note_calls
from tests.server.web.memory_server import HOST, TOKEN, MemoryServer
from tests.server.web.test_path_owner import filled, routes

LONG = "a line of text that repeats\n" * 4000
CODE = make_secret(b"hush-hush-hush--")
NEW_TOKEN = "another-token-of-a-host"
GZIP = {"Accept-Encoding": "gzip"}


async def _answer(request: Request) -> Response:
    kind = request.path_params["kind"]
    if kind != "private":
        await mark_public(request)
    if kind == "stream":
        return StreamingResponse(_pieces(), media_type="text/plain")
    if kind == "packed":
        return Response(gzip.compress(LONG.encode()), headers={"Content-Encoding": "gzip"}, media_type="text/plain")
    if kind == "picture":
        return Response(LONG, media_type="image/png")
    status = 404 if kind == "missing" else 200
    return PlainTextResponse(LONG[: LEAST_BYTES - 1] if kind == "short" else LONG, status)


async def _pieces() -> AsyncIterator[bytes]:
    for line in LONG.splitlines(keepends=True):
        yield line.encode()


@pytest.fixture
async def small_app() -> AsyncIterator[httpx.AsyncClient]:
    app = Compression(Starlette(routes=[Route("/{kind}", _answer, methods=["GET", "POST"])]))
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://rumble.test", headers=GZIP
    ) as client:
        yield client


async def raw(client: httpx.AsyncClient, path: str, **given: Any) -> tuple[httpx.Response, bytes]:
    async with client.stream("GET", path, **given) as answer:
        return answer, b"".join([piece async for piece in answer.aiter_raw()])


@pytest.mark.parametrize("kind", ["whole", "stream", "packed"])
async def test_a_public_answer_is_packed(small_app: httpx.AsyncClient, kind: str) -> None:
    answer, sent = await raw(small_app, f"/{kind}")
    assert (answer.headers["Content-Encoding"], answer.headers["Vary"]) == ("gzip", "Accept-Encoding")
    assert gzip.decompress(sent).decode() == LONG
    assert len(sent) < len(LONG) / 50
    assert answer.headers.get("Content-Length", str(len(sent))) == str(len(sent))


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/private", {}),
        ("/short", {}),
        ("/missing", {}),
        ("/picture", {}),
        ("/whole", {"Accept-Encoding": "br"}),
        ("/whole", {"Authorization": "Bearer x"}),
        ("/whole?invite=x", {}),
        ("/stream?join=friday&invite=", {}),
    ],
)
async def test_any_other_answer_is_sent_unpacked(
    small_app: httpx.AsyncClient, path: str, headers: dict[str, str]
) -> None:
    answer, sent = await raw(small_app, path, headers=headers)
    assert "Content-Encoding" not in answer.headers
    assert LONG.startswith(sent.decode())
    assert answer.headers.get("Vary", "") == ("" if path == "/private" else "Accept-Encoding")


async def test_only_answers_to_get_are_packed(small_app: httpx.AsyncClient) -> None:
    for method in ("HEAD", "POST"):
        assert "Content-Encoding" not in (await small_app.request(method, "/whole")).headers


async def test_a_stream_is_packed_as_it_comes() -> None:
    """A long answer is not held until its end: each piece is packed and passed on before the next is made."""
    sent: list[dict[str, Any]] = []
    sizes: list[int] = []
    random = Random(1)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await mark_public(Request(scope))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for number in range(3):
            body = random.randbytes(200_000)  # more than the buffer of a packer
            await send({"type": "http.response.body", "body": body, "more_body": number < 2})
            sizes.append(sum(len(each.get("body", b"")) for each in sent))

    async def take(message: Any) -> None:
        sent.append(message)

    async def nothing() -> Any:
        raise AssertionError("there is no body to be read")

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "query_string": b"",
        "headers": [(b"accept-encoding", b"gzip")],
    }
    await Compression(app)(scope, nothing, take)
    assert 0 < sizes[0] < sizes[1] < sizes[2]
    assert [each.get("more_body", True) for each in sent][-1] is False


async def test_long_pieces_are_packed_off_the_event_loop(
    small_app: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_threads = note_calls(monkeypatch, asyncio, "to_thread")
    assert (await small_app.get("/stream")).text == LONG
    assert on_threads == []
    assert (await small_app.get("/whole")).text == LONG
    assert len(LONG) > MOST_BYTES_ON_LOOP
    assert len(on_threads) == 1


# --- no secret is compressed ---


@pytest.mark.slow
async def test_an_answer_with_a_secret_is_not_compressed(server: MemoryServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rumble_server.web.api.host.host_tokens.make_secret", lambda: NEW_TOKEN)
    monkeypatch.setattr("rumble_server.web.api.host.organising.make_secret", lambda: CODE)
    server.world.create(invite=CODE, start_at_bots=9)
    times: dict[str, int] = dict.fromkeys((CODE, NEW_TOKEN, TOKEN, "<title>QR code</title>"), 0)
    packed = 0
    async with server.browser(headers=GZIP) as browser:
        for method, path in sorted(await routes(server)):
            if path.startswith("/static") or path.endswith(("/end", "/cancel", "/remove", "/withdraw", "/events")):
                continue
            for query in ({}, {"invite": CODE}, {"join": "friday", "invite": CODE}, {"invite": "wrong"}):
                for headers in ({}, HOST, {"Authorization": f"Bot alice:{CODE}"}):
                    body = {"name": f"n{sum(times.values())}"} if method == "POST" else None
                    answer = await browser.request(method, filled(path), params=query, headers=headers, json=body)
                    found = [secret for secret in times if secret in answer.text]
                    for secret in found:
                        times[secret] += 1
                    assert not found or "Content-Encoding" not in answer.headers, f"{method} {answer.url}"
                    packed += "Content-Encoding" in answer.headers
    assert times[CODE] > 5
    assert min(times[NEW_TOKEN], times["<title>QR code</title>"]) > 0
    assert packed > 10


async def test_a_page_with_an_invitation_is_never_stored(server: MemoryServer) -> None:
    server.world.create(invite=CODE)
    async with server.browser(headers=GZIP) as browser:
        for path in ("/tournaments/friday", "/write?join=friday", "/?join=friday"):
            plain = await browser.get(path)
            assert (plain.headers["Cache-Control"], plain.headers["Content-Encoding"]) == ("no-cache", "gzip"), path
            secret = await browser.get(path, params={**plain.url.params, "invite": CODE})
            assert CODE in secret.text
            assert secret.headers["Cache-Control"] == "no-store", path
            assert "Content-Encoding" not in secret.headers
