"""The kept chunks of a channel."""

import pytest
from rumble_server.web.feed import kept_chunks
from rumble_server.web.feed.feed_reader import Chunk
from rumble_server.web.feed.kept_chunks import KeptChunks


def test_the_oldest_chunks_are_dropped_and_the_newest_is_always_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_chunks, "MOST_KEPT_BYTES", 10)
    kept, (old, new, large) = KeptChunks(6), [Chunk(0, bytes(size)) for size in (5, 5, 11)]
    kept.keep(5, old)
    kept.keep(7, new)
    assert (kept.first_id, kept.missed(6), kept.missed(5)) == (6, [new], [old, new])
    kept.keep(9, large)
    assert (kept.first_id, kept.missed(8)) == (8, [large])
