"""What one address may ask of the web: event streams at a time, requests and costly requests a minute."""

import re
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from rumble_server.limits.connections import Connections
from rumble_server.limits.refusals import Refusals
from rumble_server.match.match_id import tournament_id_of
from rumble_server.web.errors import WebError
from rumble_server.web.tries import source_of

STREAM = re.compile(r"/api/tournaments/[^/]+/events")
COSTLY = re.compile(r"/api/tournaments/[^/]+/export\.\w+|/api/matches/[^/]+/transcript")
BOARDS = re.compile(r"(?:/api)?/matches/([^/]+)/board(?:s|\.\w+)")
"""Costly when the tournament is over, and so has to be read from the disk."""


class Shares:
    """ASGI middleware: refuses streams and requests beyond the share of their address with 429."""

    def __init__(
        self,
        app: ASGIApp,
        places: Connections,
        refusals: Refusals,
        now_ms: Callable[[], int],
        is_in_memory: Callable[[str], bool],
    ) -> None:
        """`is_in_memory` tells of a tournament's id whether it is not over."""
        self._app = app
        self._places = places
        self._refusals = refusals
        self._now_ms = now_ms
        self._is_in_memory = is_in_memory

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif not self._places.may_request(source_of(Request(scope)), self._now_ms()):
            await self._refuse("requests", "too many requests", scope, receive, send)
        elif STREAM.fullmatch(scope["path"]):
            await self._stream(scope, receive, send)
        elif self._is_costly(scope["path"]) and not self._places.may_ask(source_of(Request(scope)), self._now_ms()):
            await self._refuse("costly", "too many exports, transcripts and boards", scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_costly(self, path: str) -> bool:
        boards = BOARDS.fullmatch(path)
        if boards is not None:
            return not self._is_in_memory(tournament_id_of(boards[1]))
        return COSTLY.fullmatch(path) is not None

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        place = self._places.stream(source_of(Request(scope)))
        if place is None:
            await self._refuse("streams", "too many streams", scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            place.close()

    async def _refuse(self, reason: str, what: str, scope: Scope, receive: Receive, send: Send) -> None:
        self._refusals.note(reason, source_of(Request(scope)), scope["path"])
        error = WebError.too_many(f"{what} from your address")
        await JSONResponse(error.answer().model_dump(mode="json"), error.status)(scope, receive, send)
