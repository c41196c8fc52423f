"""Long answers, sent a piece at a time: no more of one is in memory than its reader can take."""

import asyncio
from collections.abc import AsyncIterator, Mapping

from starlette.responses import Response, StreamingResponse

SENT_BYTES = 65_536
"""How many bytes of an answer are handed to a connection at a time; the next when its reader has taken most of them."""


async def streamed(pieces: AsyncIterator[bytes], media_type: str, headers: Mapping[str, str] | None = None) -> Response:
    """Answer with these pieces. The first is awaited here, so that what it raises is an answer of its own."""
    first = await anext(pieces, b"")
    return StreamingResponse(_slices(first, pieces), headers=headers, media_type=media_type)


async def only(piece: bytes) -> AsyncIterator[bytes]:
    """Yield the one piece of an answer."""
    yield piece


async def _slices(first: bytes, more: AsyncIterator[bytes]) -> AsyncIterator[memoryview]:
    piece: bytes | None = first
    while piece is not None:
        for at in range(0, len(piece), SENT_BYTES):
            yield memoryview(piece)[at : at + SENT_BYTES]
            await asyncio.sleep(0)  # where the connection takes it all at once, nothing else would have a turn
        piece = await anext(more, None)
