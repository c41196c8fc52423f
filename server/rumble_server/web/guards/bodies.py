"""The bodies of requests, bounded in size."""

from http import HTTPStatus

from fastapi import Request
from starlette.requests import ClientDisconnect

from rumble_server.web.errors import WebError

MOST_BODY_BYTES = 1 << 16
"""Largest body of a request in bytes; a larger body is refused with `too_large`."""


async def read_body(request: Request, most_bytes: int = MOST_BODY_BYTES) -> bytes:
    """Read the body of a request, of at most `most_bytes` bytes.

    Raises WebError with `too_large`, or with `bad_request` if the connection ends before the body does.
    """
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > most_bytes:
                raise WebError(
                    HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", f"a body is at most {most_bytes} bytes"
                )
    except ClientDisconnect:
        raise WebError(HTTPStatus.BAD_REQUEST, "bad_request", "the connection ended before the body did") from None
    return bytes(body)
