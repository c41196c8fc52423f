"""Answers that are made and kept as gzip. They are unpacked only for clients that do not accept gzip."""

import zlib
from collections.abc import AsyncIterator
from hashlib import blake2b

from starlette.requests import Request
from starlette.responses import Response

from rumble_server.web.api.streamed import SENT_BYTES, streamed
from rumble_server.web.compression import GZIP, may_compress
from rumble_server.web.request_headers import has_etag

NO_CACHE = {"Cache-Control": "no-cache"}
"""The header that lets a browser keep an answer. The browser must ask at each use whether the answer has changed."""


async def gzip_answer(request: Request, gzipped: bytes, media_type: str) -> Response:
    """Answer a request with a public document that is gzipped, or with 304 if the browser has the document already."""
    headers = {**NO_CACHE, "ETag": f'W/"{blake2b(gzipped, digest_size=8).hexdigest()}"'}
    if has_etag(request.headers.get("If-None-Match", ""), headers["ETag"]):
        return Response(status_code=304, headers=headers)
    if may_compress(request):
        return Response(gzipped, media_type=media_type, headers={**headers, "Content-Encoding": "gzip"})
    return await streamed(_ungzipped(gzipped), media_type, headers)


async def _ungzipped(gzipped: bytes) -> AsyncIterator[bytes]:
    decompressor = zlib.decompressobj(GZIP)
    while piece := decompressor.decompress(decompressor.unconsumed_tail or gzipped, SENT_BYTES):
        gzipped = b""
        yield piece
