"""The live feed over HTTP, as server-sent events. The route needs no token."""

import asyncio
from typing import Annotated, Any, cast

from fastapi import APIRouter, Header, Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from rumble_server.web.api import from_log
from rumble_server.web.api.answers import answers_of
from rumble_server.web.api.reading import ERRORS
from rumble_server.web.errors import WebError
from rumble_server.web.request_headers import takes_gzip
from rumble_server.web.site import site_of

LONGEST_EVENT_ID = 18
"""Maximum number of digits of a `Last-Event-ID`. A longer id is ignored."""
EVENTS: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}


class EventStream(StreamingResponse):
    """Server-Sent Events. The iterator of the events is closed as soon as the answer ends, for any reason."""

    media_type = "text/event-stream"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the stream ends, or the reader is gone.

        Starlette's own method cancels a task group, which leaves a reference cycle of a hundred objects. If many
        readers left at once, the garbage collector would hold up the event loop. So this method has no task group.
        """
        streaming = asyncio.create_task(self.stream_response(send))
        listening = asyncio.create_task(self.listen_for_disconnect(receive))
        try:
            await asyncio.wait((streaming, listening), return_when=asyncio.FIRST_COMPLETED)
            if streaming.cancelled():  # the reader takes nothing, and the feed has ended the stream
                await listening
        finally:
            streaming.cancel()
            listening.cancel()
            await asyncio.wait((streaming, listening))
        if not streaming.cancelled():
            streaming.result()

    async def stream_response(self, send: Send) -> None:
        try:
            await super().stream_response(send)
        finally:
            await cast(Any, self.body_iterator).aclose()


router = APIRouter(prefix="/api", tags=["read"], responses=ERRORS)


@router.get("/tournaments/{tournament}/events", response_class=EventStream, responses=EVENTS)
async def get_events(
    request: Request,
    tournament: str,
    last_event_id: Annotated[str | None, Header()] = None,
    accept_encoding: Annotated[str, Header(include_in_schema=False)] = "",
) -> EventStream:
    """Stream Server-Sent Events: first a `snapshot`, then changes. `Last-Event-ID` resumes a stream."""
    site, answers = site_of(request), answers_of(request)
    seen, gzipped = read_event_id(last_event_id), takes_gzip(accept_encoding)
    headers = {"Cache-Control": "no-store", "Vary": "Accept-Encoding"}
    if gzipped:
        headers["Content-Encoding"] = "gzip"
    found, endings = answers.open_tournament(tournament), site.feed.ending_count
    if site.feed.is_closed:
        raise WebError.unavailable("the server is about to stop")
    if found is not None:
        return EventStream(site.feed.stream(found, seen, endings=endings, gzipped=gzipped), headers=headers)
    snapshot = await answers.made_from_log(tournament, from_log.snapshot_json)
    stream = site.feed.stream_of_ended(tournament, snapshot, endings=endings, gzipped=gzipped)
    return EventStream(stream, headers=headers)


def read_event_id(text: str | None) -> int | None:
    """Return the id in the header `Last-Event-ID`; None if `text` cannot be an id of this feed."""
    return int(text) if text is not None and text.isdecimal() and len(text) <= LONGEST_EVENT_ID else None
