"""Long answers are sent in small slices, and a piece is made only when the reader can take it."""

from collections.abc import AsyncIterator

import pytest
from rumble_server.web.api.streamed import SENT_BYTES, single_piece, streamed
from starlette.responses import StreamingResponse


async def parts(response: object) -> list[bytes]:
    assert isinstance(response, StreamingResponse)
    return [bytes(part) async for part in response.body_iterator]  # type: ignore[arg-type]


async def test_a_long_piece_is_sent_in_portions() -> None:
    whole = bytes(range(256)) * 700
    sent = await parts(await streamed(single_piece(whole), "text/plain"))
    assert b"".join(sent) == whole
    assert [len(part) for part in sent] == [SENT_BYTES, SENT_BYTES, len(whole) - 2 * SENT_BYTES]


async def test_pieces_are_asked_for_one_by_one_and_may_be_empty() -> None:
    asked = []

    async def pieces() -> AsyncIterator[bytes]:
        for piece in (b"", b"one", b"", b"two"):
            asked.append(piece)
            yield piece

    response = await streamed(pieces(), "text/plain")
    assert asked == [b""]
    assert await parts(response) == [b"one", b"two"]
    assert await parts(await streamed(single_piece(b""), "text/plain")) == []


async def test_an_error_of_the_first_piece_is_raised_before_anything_is_sent() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for piece in (b"",):
            if not piece:
                raise LookupError("there is none")
            yield piece

    with pytest.raises(LookupError, match="none"):
        await streamed(pieces(), "text/plain")
