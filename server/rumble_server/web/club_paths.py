"""The club that a path leads to: `/c/NAME/...`; every other path is one of main."""

import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from urllib.parse import quote

from rumble_protocol.clubs import MAIN, is_club_name, split_path, web_path
from rumble_protocol.codes import ErrorCode
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from rumble_server.web.errors import WebError
from rumble_server.web.needs import needs_of
from rumble_server.web.site import Clubs, Process, Site
from rumble_server.web.static_files import PREFIX
from rumble_server.web.tries import source_of

LED = "/api/led"
"""What other nodes ask this one; followed by the name of a club, to read that ahead."""
OF_PROCESS = ("/healthz", "/readyz", LED, f"{PREFIX}/")
"""What the paths begin with that need no club: a process answers them whatever becomes of main."""
METRICS = "/metrics"
"""Of the process, too, but the tokens of main open it."""
OF_SERVER = (*OF_PROCESS, METRICS, "/clubs", "/admin", "/api/clubs")
"""What the paths begin with that no club but main has."""
TOKENS = re.compile(r"/api/clubs/([^/]+)/tokens")
"""Where the administrator makes tokens of a club: a path of the server, but the club's leader answers."""


class ClubPaths:
    """ASGI middleware: puts the `site` of a request's club into the state, and its path into `root_path`."""

    def __init__(
        self,
        app: ASGIApp,
        clubs: Clubs,
        process: Process,
        shared: Mapping[str, object],
        refuse: Callable[[Request, WebError], Response],
    ) -> None:
        """`shared` is put into the state of every request.

        `refuse` makes the answer for a club that is not there, or not now.
        """
        self._app = app
        self._clubs = clubs
        self._process = process
        self._shared = shared
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path: str = scope["path"]
        scope.setdefault("state", {}).update(self._shared)
        scope["root_path"] = ""
        name, rest = split_path(path)
        of_tokens = TOKENS.fullmatch(path)
        if of_tokens is not None:
            name = of_tokens[1]
        if path.startswith(OF_PROCESS):
            await self._app(scope, receive, send)
        elif rest != path and (name == MAIN or not rest):
            await _moved(web_path(name), rest, scope["query_string"])(scope, receive, send)
        else:
            with self._clubs.visit(name):
                app = await self._of_club(name, rest, scope, receive, send)
                if app is not None:
                    await app(scope, receive, send)

    async def _of_club(self, name: str, rest: str, scope: Scope, receive: Receive, send: Send) -> ASGIApp | None:
        """Return what answers a request about a club; None if another node has answered it."""
        try:
            if "\0" in rest or b"%00" in scope["query_string"]:  # PostgreSQL takes no such text
                raise WebError.not_found("no address has a NUL")
            if not is_club_name(name):  # main is not read for what no club can be called
                raise WebError.not_found(f"there is no club {name!r}")
            needs = needs_of(scope, rest)
            if await self._clubs.passing(name, needs, scope, receive, send):
                return None
            site = await self._clubs.site(name, needs)
            if site is None:
                raise WebError.not_found(f"there is no club {name!r}")
            if rest != scope["path"]:
                scope["root_path"] = site.root
                self._need_welcome(site, rest, source_of(Request(scope)))
        except WebError as error:
            return self._refuse(Request(scope), error)
        scope["state"]["site"] = site
        return self._app

    def _need_welcome(self, site: Site, path: str, address: str) -> None:
        """Raise WebError for a path that only the server has, and for an address that the club has banned."""
        if path.startswith(OF_SERVER):
            raise WebError.not_found(f"a club has no {path}")
        ban = site.arena.door.bans.of_address(address, self._process.now_ms())
        if ban is not None:
            raise WebError(HTTPStatus.FORBIDDEN, ErrorCode.BANNED, ban.told)


def _moved(root: str, rest: str, query: bytes) -> Response:
    """Send on to a path below `root`. It has one slash at its start: with two, it would name another server."""
    address = f"{root}/{quote(rest.lstrip('/'), safe='/:@!$&()*+,;=~')}"
    more = "?" + query.decode("latin-1") if query else ""
    return RedirectResponse(address + more, HTTPStatus.PERMANENT_REDIRECT)
