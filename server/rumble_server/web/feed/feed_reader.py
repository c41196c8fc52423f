"""An open stream of a feed, with a bounded queue of the chunks that have not been sent to the reader."""

import asyncio
import zlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field

MOST_UNREAD_BYTES = 1 << 20
"""Maximum size of the queue in bytes; a reader that is further behind loses the queue and gets a new snapshot."""

GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""The first bytes of a gzip stream (RFC 1952): deflate, no name, no time, system unknown."""
GZIP_LEVEL = 1
"""The fastest level of zlib, which shrinks a chunk to a fifth or less in 1 to 2 ms."""


@dataclass(slots=True, eq=False)
class Chunk:
    """Events that are sent together, as soon as the log is on disk up to the fact `number`."""

    number: int
    data: bytes
    _gzipped: bytes = field(default=b"", init=False, repr=False)

    @property
    def gzipped(self) -> bytes:
        """`data` as a piece of a gzip stream, made once for all readers.

        The piece refers to no earlier data and ends on a whole byte (Z_FULL_FLUSH), so it may follow any other piece.
        """
        if not self._gzipped:
            compressor = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
            self._gzipped = compressor.compress(self.data) + compressor.flush(zlib.Z_FULL_FLUSH)
        return self._gzipped


CatchUp = Callable[[], Awaitable[Iterable[Chunk]]]
"""A function that returns the chunks for a reader that has fallen behind."""


class FeedReader:
    """A reader of a feed."""

    def __init__(
        self,
        first: Iterable[Chunk],
        catch_up: CatchUp,
        must_wait_for_disk: Callable[["FeedReader", Chunk], bool],
        now_ms: Callable[[], int],
        wake: Callable[[Callable[[], None]], None],
        *,
        gzipped: bool,
    ) -> None:
        self._queue = deque(first)
        self._catch_up = catch_up
        self._must_wait_for_disk = must_wait_for_disk
        """A function that returns false if a chunk's facts are on disk.

        Otherwise the function hurries the next write, which wakes the reader, and returns true.
        """
        self._now_ms = now_ms
        self._wake = wake
        """A function that calls the given `resume`, now or in a later iteration of the event loop."""
        self._is_gzipped = gzipped
        self._unread_bytes = 0
        self._is_behind = False
        self._is_closed = False
        self._ready = asyncio.Event()
        self._task: asyncio.Task[object] | None = None
        self._sending_since_ms: int | None = None

    def queue(self, chunk: Chunk) -> None:
        """Queue a chunk. If the queue would be too long, begin anew."""
        if self._is_behind:
            return
        self._unread_bytes += len(chunk.data)
        if self._unread_bytes > MOST_UNREAD_BYTES:
            self.begin_anew()
        else:
            self._queue.append(chunk)
            self._wake(self.resume)

    def begin_anew(self) -> None:
        """Drop the whole queue; `catch_up` then makes a new queue."""
        self._queue.clear()
        self._unread_bytes = 0
        self._is_behind = True
        self._wake(self.resume)

    def resume(self) -> None:
        """Continue to send the queue, if the facts of the next chunk are on disk."""
        self._ready.set()

    def stuck_ms(self) -> int:
        """Return the time in ms for which the reader has not taken the chunk being sent; 0 if none is being sent."""
        return 0 if self._sending_since_ms is None else self._now_ms() - self._sending_since_ms

    def close(self) -> None:
        """End the stream, even while the reader takes no data."""
        self._is_closed = True
        self._ready.set()
        if self._task is not None and self._sending_since_ms is not None:
            self._task.cancel()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the data for the reader until the stream is closed. With `gzipped`, the data is a gzip stream."""
        self._task = asyncio.current_task()
        head = GZIP_HEAD if self._is_gzipped else b""
        try:
            while not self._is_closed:
                if self._is_behind:
                    self._queue.extend(await self._catch_up())
                    # Chunks that came during `_catch_up` were dropped, and are part of its result.
                    self._is_behind = False
                elif self._queue and not self._must_wait_for_disk(self, self._queue[0]):
                    chunk = self._queue.popleft()
                    self._unread_bytes = max(0, self._unread_bytes - len(chunk.data))
                    self._sending_since_ms = self._now_ms()
                    yield head + chunk.gzipped if self._is_gzipped else chunk.data
                    head = b""
                    self._sending_since_ms = None
                else:
                    self._ready.clear()
                    await self._ready.wait()
        finally:
            self._task = None  # breaks the cycle with a cancelled task, which would need the garbage collector
