"""The club that a path leads to: `/c/NAME/...`; every other path is one of main."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from urllib.parse import quote

from rumble_protocol.clubs import MAIN, is_club_name, split_path, web_path
from rumble_protocol.codes import ErrorCode
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from rumble_server.web.errors import WebError
from rumble_server.web.path_owner import OF_NODE, Owner, owner_of
from rumble_server.web.site import Clubs, Process, Site
from rumble_server.web.static_files import PREFIX
from rumble_server.web.tries import source_of

OF_SERVER = (*OF_NODE, f"{PREFIX}/", "/clubs", "/admin", "/api/clubs")
"""Beginnings of paths that no club but main has."""
WITHOUT_CLUB = ("/healthz", "/readyz", "/metrics", f"{PREFIX}/")
"""Beginnings of paths that a process answers whatever becomes of main."""
ELSEWHERE = "another node leads this club; ask again"


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
        owner = owner_of(path, scope["query_string"].decode("latin-1"))
        if path.startswith(WITHOUT_CLUB):
            await self._app(scope, receive, send)
        elif rest != path and (name == MAIN or not rest):
            await _moved(web_path(name), rest, scope["query_string"])(scope, receive, send)
        else:
            name = owner if isinstance(owner, str) else name
            with self._clubs.visit(name):
                app = await self._of_club(name, rest, owner, scope)
                await app(scope, receive, send)

    async def _of_club(self, name: str, rest: str, owner: str | Owner, scope: Scope) -> ASGIApp:
        """Return what answers a request for a path inside a club."""
        clubs = self._clubs
        try:
            if "\0" in rest or b"%00" in scope["query_string"]:  # PostgreSQL takes no such text
                raise WebError.not_found("no address has a NUL")
            if not is_club_name(name):  # main is not read for what no club can be called
                raise WebError.not_found(f"there is no club {name!r}")
            if isinstance(owner, str) and clubs.is_elsewhere(name):
                raise WebError(HTTPStatus.MISDIRECTED_REQUEST, "misdirected", ELSEWHERE)
            site = await clubs.site(name) if isinstance(owner, str) else None
            entry = clubs.directory.get(name)
            if entry is None:
                raise WebError.not_found(f"there is no club {name!r}")
            is_of_club = rest != scope["path"]
            scope["state"]["title"] = entry.title or (name if is_of_club else "")
            if is_of_club:
                scope["root_path"] = web_path(name)
                self._need_welcome(site, rest, source_of(Request(scope)))
        except WebError as error:
            return self._refuse(Request(scope), error)
        scope["state"]["site"] = site
        return self._app

    def _need_welcome(self, site: Site | None, path: str, address: str) -> None:
        """Raise WebError for a path that only the server has, and for an address that the club has banned."""
        if path.startswith(OF_SERVER):
            raise WebError.not_found(f"a club has no {path}")
        ban = None if site is None else site.arena.door.bans.of_address(address, self._process.now_ms())
        if ban is not None:
            raise WebError(HTTPStatus.FORBIDDEN, ErrorCode.BANNED, ban.told)


def _moved(root: str, rest: str, query: bytes) -> Response:
    """Send on to a path below `root`. It has one slash at its start: with two, it would name another server."""
    address = f"{root}/{quote(rest.lstrip('/'), safe='/:@!$&()*+,;=~')}"
    more = "?" + query.decode("latin-1") if query else ""
    return RedirectResponse(address + more, HTTPStatus.PERMANENT_REDIRECT)
