"""The clubs of paths: `/c/NAME/...` is a path of the club NAME, and any other path belongs to main or the server."""

from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote

from rumble_protocol.clubs import MAIN, is_club_name, split_path, web_path
from rumble_protocol.codes import ErrorCode
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from rumble_server.web.client import client_address
from rumble_server.web.errors import WebError
from rumble_server.web.path_owner import Owner, is_of_main, needs_no_club, owner_of
from rumble_server.web.site import ClubSites, entry_of

ELSEWHERE = "another node leads this club; ask again"


@dataclass(frozen=True, slots=True)
class ClubPaths:
    """ASGI middleware that finds the club of a request. Raises WebError for a request that it refuses.

    The `site` of the club is put into the state of the request, and the path of the club into `root_path`.
    """

    app: ASGIApp
    clubs: ClubSites

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        scope["root_path"] = ""
        name, rest = split_path(path)
        owner = owner_of(path, scope["query_string"].decode("latin-1"))
        if needs_no_club(path):
            await self.app(scope, receive, send)
        elif rest != path and (name == MAIN or not rest):
            await _redirect(web_path(name), rest, scope["query_string"])(scope, receive, send)
        else:
            name = owner if isinstance(owner, str) else name
            with self.clubs.keep_loaded(name):
                await self._find(name, rest, owner, scope)
                await self.app(scope, receive, send)

    async def _find(self, name: str, rest: str, owner: str | Owner, scope: Scope) -> None:
        """Put a club's site and title into the state of `scope`. Raises WebError."""
        clubs = self.clubs
        if "\0" in rest or b"%00" in scope["query_string"]:  # PostgreSQL takes no such text
            raise WebError.not_found("no address has a NUL")
        if not is_club_name(name):  # no club can have this name, so main is not asked
            raise WebError.not_found(f"there is no club {name!r}")
        if isinstance(owner, str) and clubs.must_redirect(name):
            raise WebError(HTTPStatus.MISDIRECTED_REQUEST, "misdirected", ELSEWHERE)
        site = await clubs.site(name) if isinstance(owner, str) else None
        entry = entry_of(clubs, name)
        is_of_club = rest != scope["path"]
        scope["state"]["title"] = entry.title or (name if is_of_club else "")
        if is_of_club:
            scope["root_path"] = web_path(name)
            if is_of_main(rest):
                raise WebError.not_found(f"a club has no {rest}")
            ban = None if site is None else site.play.ban_of(client_address(Request(scope)))
            if ban is not None:
                raise WebError(HTTPStatus.FORBIDDEN, ErrorCode.BANNED, ban.message)
        scope["state"]["site"] = site


def _redirect(root: str, rest: str, query: bytes) -> Response:
    """Return a redirect to the path `rest` below `root`."""
    # Browsers read a path that begins with two slashes as the address of another server.
    address = f"{root}/{quote(rest.lstrip('/'), safe='/:@!$&()*+,;=~')}"
    more = "?" + query.decode("latin-1") if query else ""
    return RedirectResponse(address + more, HTTPStatus.PERMANENT_REDIRECT)
