"""A whole tournament as a file: as JSON, or in one of the formats of `tournament.exports`."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from http import HTTPStatus

import orjson
from fastapi import APIRouter
from rumble_protocol.codes import ErrorCode
from starlette.responses import Response

from rumble_server.tournament.exports import WRITERS, Document
from rumble_server.tournament.exports.document import Export
from rumble_server.web.api.library import Library
from rumble_server.web.api.models import ExportDocument
from rumble_server.web.api.reading import ERRORS
from rumble_server.web.errors import WebError
from rumble_server.web.site import Site

JSON = "application/json"


def export_routes(site: Site, library: Library) -> APIRouter:
    """Make a route for each format; they need no token."""
    router = APIRouter(prefix="/api", tags=["read"], responses=ERRORS)

    async def export_of(tournament: str) -> Export:
        export = Export(await library.tournament(tournament))
        await site.on_disk()
        return export

    def route(kind: str, media_type: str, write: Callable[[Export], bytes]) -> Callable[[str], Awaitable[Response]]:
        async def export_file(tournament: str) -> Response:
            export = await export_of(tournament)
            try:
                content = await asyncio.to_thread(write, export)
            except ValueError as error:
                raise WebError(HTTPStatus.UNPROCESSABLE_ENTITY, ErrorCode.BAD_SETTINGS, str(error)) from None
            disposition = f'attachment; filename="{tournament}.{kind}"'
            return Response(content, media_type=media_type, headers={"Content-Disposition": disposition})

        export_file.__doc__ = ABOUT[kind]
        return export_file

    router.get("/tournaments/{tournament}/export.json", response_model=ExportDocument)(
        route("json", JSON, lambda export: orjson.dumps(export.document()))
    )
    for kind, (writer, media_type) in WRITERS.items():
        plain = re.sub(";.*", "", media_type)
        router.get(
            f"/tournaments/{{tournament}}/export.{kind}",
            response_class=Response,
            responses={200: {"content": {plain: {}}}},
            name=f"export_{kind}",
        )(route(kind, media_type, _encoded(writer)))
    return router


def _encoded(writer: Callable[[Document], str]) -> Callable[[Export], bytes]:
    return lambda export: writer(export.document()).encode()


ABOUT = {
    "json": "The whole tournament as one document, with every match and its moves.",
    "csv": "A row for each match; `rumble standings` and `rumble ratings` read this file.",
    "pgn": "The matches with their moves as PGN; games other than chess have the same headers.",
    "trf": "The results as TRF16, for FIDE's tools.",
}
