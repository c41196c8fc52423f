"""The newest chunks of a channel, kept for readers that come back."""

from collections import deque

from rumble_server.web.feed.feed_reader import Chunk

MOST_KEPT_BYTES = 1 << 20
"""Maximum size in bytes of the kept chunks; a reader that missed more gets a snapshot."""


class KeptChunks:
    """The newest chunks, in the order of sending, bounded in bytes."""

    def __init__(self, first_id: int) -> None:
        self.first_id = first_id
        """Number of a fact. Readers with this last id or a later one can resume: they have missed only kept chunks."""
        self._chunks: deque[tuple[int, Chunk]] = deque()
        """The chunks, each with the last id that was sent before the chunk."""
        self._bytes = 0

    def keep(self, last_id: int, chunk: Chunk) -> None:
        """Keep a chunk, sent after the id `last_id`. If there are too many bytes, drop the oldest chunks."""
        self._chunks.append((last_id, chunk))
        self._bytes += len(chunk.data)
        while self._bytes > MOST_KEPT_BYTES and len(self._chunks) > 1:
            before, dropped = self._chunks.popleft()
            self._bytes -= len(dropped.data)
            self.first_id = before + 1

    def missed(self, last_id: int) -> list[Chunk]:
        """Return the chunks that a reader with the last id `last_id` has missed."""
        return [chunk for before, chunk in self._chunks if before >= last_id]
