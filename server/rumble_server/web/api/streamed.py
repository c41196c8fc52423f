"""Long answers, sent a piece at a time, so that a long answer to a slow reader does not fill the memory."""

import asyncio
from collections.abc import AsyncIterator, Mapping

from starlette.responses import Response, StreamingResponse

SENT_BYTES = 65_536
"""Maximum size in bytes of a slice of an answer. The next slice follows when most of the previous slice is sent."""


async def streamed(pieces: AsyncIterator[bytes], media_type: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response that sends `pieces`.

    The first piece is awaited here. If making the first piece fails, the client gets an error answer.
    """
    first = await anext(pieces, b"")
    return StreamingResponse(_slices(first, pieces), headers=headers, media_type=media_type)


async def single_piece(piece: bytes) -> AsyncIterator[bytes]:
    """Yield the only piece of an answer."""
    yield piece


async def _slices(first: bytes, more: AsyncIterator[bytes]) -> AsyncIterator[memoryview]:
    piece: bytes | None = first
    while piece is not None:
        for at in range(0, len(piece), SENT_BYTES):
            yield memoryview(piece)[at : at + SENT_BYTES]
            await asyncio.sleep(0)  # a connection that takes all at once would leave other tasks no turn
        piece = await anext(more, None)
