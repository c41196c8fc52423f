"""The stream of events over ASGI: headers, `Last-Event-ID`, and what happens when either side goes."""

import asyncio
import zlib
from typing import Any

import pytest
from rumble_server.web.api.events import read_event_id

from tests.server.web.feed.reading import held_up
from tests.server.web.memory_server import MemoryServer, parse


class Stream:
    """A request for events that is being answered."""

    def __init__(self, server: MemoryServer, tournament: str, **headers: str) -> None:
        self._sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._gone = asyncio.Event()
        path = f"/api/tournaments/{tournament}/events"
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()],
            "server": ("rumble.test", 80),
            "client": ("192.0.2.1", 1),
        }
        self.task = asyncio.ensure_future(server.web(scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        await self._sent.put(message)

    async def message(self) -> dict[str, Any]:
        return await asyncio.wait_for(self._sent.get(), 5)

    async def headers(self) -> dict[str, str]:
        """Return the headers of the answer, which come first."""
        start = await self.message()
        assert start["status"] == 200
        return {name.decode(): value.decode() for name, value in start["headers"]}

    async def kinds(self, until: str) -> list[str]:
        kinds: list[str] = []
        while until not in kinds:
            kinds += [event.kind for event in parse((await self.message())["body"])]
        return kinds

    async def leave(self) -> None:
        self._gone.set()
        await asyncio.wait_for(self.task, 5)


async def test_the_answer_is_an_event_stream(server: MemoryServer) -> None:
    tournament = server.world.create()
    server.pass_ms()
    stream = Stream(server, tournament.id)
    headers = await stream.headers()
    assert headers["content-type"].startswith("text/event-stream")
    assert headers["cache-control"] == "no-store"
    assert (await stream.message())["body"] == b"retry: 1000\n\n"
    assert await stream.kinds("snapshot") == ["snapshot"]
    await stream.leave()
    assert server.feed.reader_count == 0


async def test_a_reader_that_takes_gzip_gets_a_packed_stream(server: MemoryServer) -> None:
    stream = Stream(server, server.world.create().id, accept_encoding="br, gzip")
    server.pass_ms()
    headers = await stream.headers()
    assert (headers["content-encoding"], headers["vary"]) == ("gzip", "Accept-Encoding")
    unpack = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress
    pieces = [unpack((await stream.message())["body"]) for _ in range(2)]
    assert pieces[0] == b"retry: 1000\n\n"
    assert [event.kind for event in parse(pieces[1])] == ["snapshot"]
    await stream.leave()


async def test_last_event_id_resumes(server: MemoryServer) -> None:
    tournament = server.world.create()
    server.pass_ms()
    stream = Stream(server, tournament.id)
    await stream.message()
    await stream.kinds("snapshot")
    server.bots("ann", join=tournament.id)
    server.pass_ms()
    await stream.kinds("field")
    await stream.leave()
    last = server.world.log.last
    resumed = Stream(server, tournament.id, last_event_id=str(last))
    await resumed.message()
    assert await resumed.kinds("field") == ["field"]
    await resumed.leave()


async def test_the_feed_of_a_tournament_that_has_just_ended_has_the_last_final_boards(server: MemoryServer) -> None:
    """A page that was made before the end shows them with the last results."""
    tournament = server.played("alice", "bob")
    assert tournament.id not in server.world.arena.tournaments
    stream = Stream(server, tournament.id)
    await stream.message()
    await stream.message()
    (snapshot,) = parse((await stream.message())["body"])
    moves = {board["match"]: board["moves"] for board in snapshot.data["ended"]}
    assert moves == {match: list(over.moves) for match, over in tournament.results.items()}
    await stream.leave()


async def test_streams_end_with_the_server(server: MemoryServer) -> None:
    tournament = server.world.create()
    server.pass_ms()
    stream = Stream(server, tournament.id)
    await stream.message()
    await stream.kinds("snapshot")
    server.feed.close()
    await asyncio.wait_for(stream.task, 5)
    async with asyncio.timeout(5), server.browser() as browser:
        answer = await browser.get(f"/api/tournaments/{tournament.id}/events")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")


@pytest.mark.parametrize(
    ("text", "seen"), [(None, None), ("17", 17), ("", None), ("-1", None), ("x", None), ("9" * 5000, None)]
)
def test_a_last_event_id_of_another_form_is_none(text: str | None, seen: int | None) -> None:
    assert read_event_id(text) == seen


async def test_a_stream_whose_snapshot_is_read_while_the_streams_end_ends_too(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = server.played("alice", "bob")
    called, goes_on = held_up(monkeypatch, server.reader, "of_tournament")
    stream = Stream(server, tournament.id)
    await asyncio.wait_for(called.wait(), 5)
    server.feed.end_streams()
    goes_on.set()
    await asyncio.wait_for(stream.task, 5)
    assert server.feed.reader_count == 0
