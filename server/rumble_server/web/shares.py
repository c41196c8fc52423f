"""What one address may ask of the web: requests and costly requests a minute, event streams at a time."""

import re

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from rumble_server.match.match_id import tournament_id_of
from rumble_server.web.errors import WebError
from rumble_server.web.needs import STREAM
from rumble_server.web.site import Process, is_of_node, site_of
from rumble_server.web.tries import source_of

COSTLY = re.compile(r"/api/tournaments/[^/]+/export\.\w+|/api/matches/[^/]+/transcript")
BOARDS = re.compile(r"(?:/api)?/matches/([^/]+)/board(?:s|\.\w+)")
"""Costly when the tournament is over, and so has to be read from the disk."""


class RequestShares:
    """ASGI middleware: refuses requests beyond the share of their address with 429, before anything is looked up."""

    def __init__(self, app: ASGIApp, process: Process) -> None:
        self._app = app
        self._process = process

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        process = self._process
        if (
            scope["type"] != "http"
            or is_of_node(scope)
            or process.places.may_request(source_of(Request(scope)), process.now_ms())
        ):
            await self._app(scope, receive, send)
        else:
            await _refuse(process, "requests", "too many requests", scope, receive, send)


class Shares:
    """ASGI middleware: refuses streams and costly requests to a club beyond the share of their address with 429."""

    def __init__(self, app: ASGIApp, process: Process) -> None:
        self._app = app
        self._process = process

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or is_of_node(scope):
            await self._app(scope, receive, send)
            return
        process, path = self._process, scope["path"][len(scope["root_path"]) :]
        if STREAM.fullmatch(path):
            await self._stream(scope, receive, send)
        elif _is_costly(scope, path) and not process.places.may_ask(source_of(Request(scope)), process.now_ms()):
            await _refuse(process, "costly", "too many exports, transcripts and boards", scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        place = self._process.places.stream(source_of(Request(scope)))
        if place is None:
            await _refuse(self._process, "streams", "too many streams", scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            place.close()


def _is_costly(scope: Scope, path: str) -> bool:
    boards = BOARDS.fullmatch(path)
    if boards is not None:
        return tournament_id_of(boards[1]) not in site_of(Request(scope)).arena.tournaments
    return COSTLY.fullmatch(path) is not None


async def _refuse(process: Process, reason: str, what: str, scope: Scope, receive: Receive, send: Send) -> None:
    process.operation.refusals.note(reason, source_of(Request(scope)), scope["path"])
    error = WebError.too_many(f"{what} from your address")
    await JSONResponse(error.answer().model_dump(mode="json"), error.status)(scope, receive, send)
