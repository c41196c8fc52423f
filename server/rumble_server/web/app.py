"""The web of a server: API, feed, pages and guards of all clubs in a single ASGI application, for `app.Server`."""

import logging
from functools import cache
from http import HTTPStatus
from importlib.metadata import version

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from rumble_protocol.clubs import split_path
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from rumble_server.host.fair_queue import Crowded
from rumble_server.store.errors import DamagedLog, Pruned, StoreError
from rumble_server.tournament.errors import RequestRefused
from rumble_server.web.api import (
    boards,
    events,
    exports,
    forecasting,
    health,
    joining,
    me,
    metrics,
    opponents,
    reading,
    transcripts,
    versions,
    zips,
)
from rumble_server.web.api.admin import clubs as admin_clubs
from rumble_server.web.api.answer_cache import AnswerCache
from rumble_server.web.api.host import banning, commands, host_tokens, lessons, organising
from rumble_server.web.api.metrics import figures
from rumble_server.web.api.problems import bad_request
from rumble_server.web.client import client_address
from rumble_server.web.club_paths import ClubPaths
from rumble_server.web.compression import Compression
from rumble_server.web.errors import WebError
from rumble_server.web.guards.headers import HeaderGuard
from rumble_server.web.guards.rate_limits import RateLimits, RequestShares
from rumble_server.web.pages import pictures
from rumble_server.web.pages.pages import add_pages
from rumble_server.web.pages.rendering import html
from rumble_server.web.site import ClubSites, Process, process_of
from rumble_server.web.static_files import PREFIX, static_files

log = logging.getLogger(__name__)

PARTS = (
    *(reading, events, opponents, joining, boards, exports),
    *(commands, organising, lessons, forecasting, banning, host_tokens),
    *(transcripts, versions, zips, me, health, metrics, pictures),
)
"""Modules with the routes of the API, in the order in which routes are tried."""
HEADERS = {
    401: {"WWW-Authenticate": "Bearer"},
    421: {"Cache-Control": "no-store"},
    429: {"Retry-After": "60"},
    503: {"Retry-After": "1"},
}
"""Extra headers of answers, by status."""


def make_web(clubs: ClubSites, process: Process) -> ASGIApp:
    """Make the web of a server, which takes HTTP requests alone.

    All servers of a Python process share the routes, which find `process` and the club in the request's state.
    """
    shared = {
        "clubs": clubs,
        "process": process,
        "answer_cache": AnswerCache(process.bounds.kept_answer_bytes),
        "figures": figures(clubs, process.figures),
    }
    guarded = RequestShares(ClubPaths(RateLimits(Compression(application()), process), clubs), process)

    async def web(scope: Scope, receive: Receive, send: Send) -> None:
        scope.setdefault("state", {}).update(shared)
        try:
            await guarded(scope, receive, send)
        except WebError as error:  # from a middleware; the application answers its own errors
            await _answer(Request(scope), error)(scope, receive, send)

    return HeaderGuard(web, process.host_names)


@cache
def application() -> FastAPI:
    """Make the application with all routes. The result is cached, because the work takes 0.2 s."""
    app = FastAPI(
        title="Rumble",
        version=version("botrumble"),
        description="A bot tournament server.",
        openapi_url=None,
        redirect_slashes=False,
    )
    for part in PARTS:
        app.include_router(part.router)
    add_pages(app)
    app.include_router(admin_clubs.router)  # last: routes are tried in order, and these are asked rarely
    app.add_route(f"{PREFIX}/{{path:path}}", static_files().answer, methods=["GET"], include_in_schema=False)
    _add_errors(app)
    for route in app.routes:  # a route is prepared when first matched, which would hold up the loop later
        route.matches({"type": "http", "method": "GET", "path": "/", "root_path": "", "headers": []})
    return app


def _add_errors(app: FastAPI) -> None:
    async def on_web_error(request: Request, error: Exception) -> Response:
        if isinstance(error, RequestRefused):
            error = WebError.of(error)
        elif isinstance(error, Crowded):
            process_of(request).figures.refusals.count("costly", client_address(request), request.url.path)
            error = WebError.too_many(str(error))
        elif isinstance(error, Pruned):
            error = WebError(HTTPStatus.GONE, "pruned", str(error))
        elif isinstance(error, StoreError):
            log.error("%s %s failed: %s", request.method, request.url.path, error)
            error = _unreadable(error)
        elif isinstance(error, RequestValidationError):
            error = bad_request(error.errors(), skip=1)
        elif isinstance(error, HTTPException):
            error = _of_router(request, error)
        elif not isinstance(error, WebError):
            log.error("%s %s failed", request.method, request.url.path, exc_info=error)
            error = WebError(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "the server failed; its log says more")
        return _answer(request, error)

    for kind in (WebError, RequestRefused, Crowded, StoreError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, on_web_error)


def _unreadable(error: StoreError) -> WebError:
    """Convert an error of the store to an answer without the error's text, because the text names the database."""
    if isinstance(error, DamagedLog):
        text = "what the database holds of this is damaged; the server's log says more"
        return WebError(HTTPStatus.INTERNAL_SERVER_ERROR, "damaged", text)
    return WebError.unavailable("the database cannot be read at the moment")


def _of_router(request: Request, error: HTTPException) -> WebError:
    """Convert an error of the router, which has no such path, or no such method of the path."""
    path = request.url.path
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        return WebError(error.status_code, "method_not_allowed", f"{path} does not take {request.method}")
    return WebError.not_found(f"there is nothing at {path}")


def _answer(request: Request, error: WebError) -> Response:
    headers = HEADERS.get(error.status)
    if split_path(request.url.path)[1].startswith("/api"):
        return JSONResponse(error.answer().model_dump(mode="json"), error.status, headers)
    phrase = HTTPStatus(error.status).phrase
    page = html(request, "error.html", error.status, title=phrase, message=error.message)
    page.headers.update(headers or {})
    if error.status == HTTPStatus.SERVICE_UNAVAILABLE:
        page.headers["Refresh"] = page.headers["Retry-After"]  # a browser loads the page again by itself
    return page
