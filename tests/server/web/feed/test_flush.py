"""The events of a flush: made in several iterations of the event loop, and sent in a few chunks."""

import pytest
from rumble_server.web.feed import flush
from rumble_server.web.feed.channel import Channel

from tests.server.failing import note_calls
from tests.server.web.feed.reading import watched_from_lobby
from tests.server.web.memory_server import MemoryServer


@pytest.mark.parametrize(("together_bytes", "sent"), [(1, [1, 1, 1, 1]), (flush.TOGETHER_BYTES, [4])])
async def test_many_boards_take_several_iterations_and_the_last_event_has_the_newest_id(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch, together_bytes: int, sent: list[int]
) -> None:
    monkeypatch.setattr(flush, "AT_ONCE_BYTES", 1)
    monkeypatch.setattr(flush, "TOGETHER_BYTES", together_bytes)
    _, watcher, _ = await watched_from_lobby(server, *"abcdefgh", think_ms=40)
    calls = note_calls(monkeypatch, Channel, "send")
    server.pass_ms(300)
    counts = [chunk.data.count(b"event: match_start") for _, chunk in calls]
    assert [boards for boards in counts if boards] == sent
    found = await watcher.read("status")
    started = [event for event in watcher.events if event.kind == "match_start"]
    assert len({event.data["match"] for event in started}) == 4
    assert all(event.id < found.id for event in started), "a reader that is cut off before the end is sent all again"
