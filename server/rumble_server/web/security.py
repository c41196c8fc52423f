"""Guards of requests: known host names, security headers, and the tokens of hosts and the administrator."""

from http import HTTPStatus

from fastapi import Request
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rumble_server.host.host_names import SHORTEST_TOKEN, host_name, is_host, is_known, is_loopback_host
from rumble_server.limits.guesses import HOST
from rumble_server.web.errors import WebError
from rumble_server.web.guards.secret_checks import is_local
from rumble_server.web.site import Site, site_of

MOST_BODY_BYTES = 1 << 16
"""Largest body of a request in bytes; a larger body is refused with `too_large`."""
EXCHANGED = "Rumble-Token"
"""The answer header with a secret made by the server. The client uses the secret in place of a hand-chosen token."""

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)
OPENER = (b"cross-origin-opener-policy", b"same-origin")
"""The header for pages over HTTPS or from a loopback host. On other pages browsers ignore it, and log an error."""

NOT_STORED = (b"cache-control", b"no-store")
"""The header for answers to requests with a key or a token. Browsers then keep no copy, which another user of a shared
computer could read."""


class Guard:
    """ASGI middleware that refuses invalid or unknown host names, and adds missing security headers to answers."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = message.get("headers", ())
                names = {name for name, _ in own}
                message["headers"] = [*own, *(each for each in added if each[0] not in names)]
            await send(message)

        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        host = hosts[0] if hosts else ""
        added = (*HEADERS, OPENER) if scope["scheme"] == "https" or is_loopback_host(host) else HEADERS
        if any(name == b"authorization" for name, _ in scope["headers"]):
            added = (*added, NOT_STORED)
        local_address = scope["server"][0] if scope.get("server") else ""
        app = self._app
        if len(hosts) > 1 or not is_host(host):
            app = PlainTextResponse("a request has one Host, the name of this server\n", HTTPStatus.BAD_REQUEST)
        elif not is_known(host, local_address, self._hosts):
            text = f"this server is not known as {host_name(host)!r}\n"
            app = PlainTextResponse(text, HTTPStatus.FORBIDDEN)
        await app(scope, receive, send_guarded)


def bearer_token(request: Request) -> str:
    """Return the token that a request shows; empty without a token."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip().encode("latin-1").decode(errors="replace") if scheme.lower() == "bearer" else ""


def host_of(request: Request, site: Site) -> str | None:
    """Return the name of the host token that a request for a club shows; None without a valid host token.

    Raises WebError with `too_many_requests` after too many wrong tokens.
    """
    token = bearer_token(request)
    if not token or (len(token) < SHORTEST_TOKEN and not is_local(request)):
        return None
    holder = site.arena.host_tokens.holder(token)
    return holder if site.tries.is_right(request, HOST, token, lambda: holder is not None) else None


def reader_of(site: Site, request: Request, refusal: str) -> str | None:
    """Return the name of the bot whose owner asks; None if the host asks.

    Raises WebError with `too_many_requests`, or with `bad_token` and a text that begins with `refusal`.
    """
    if host_of(request, site) is not None:
        return None
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    name, _, key = credentials.strip().partition(":")
    names = site.arena.names
    is_key = scheme.lower() == "bot" and key != ""
    if is_key and site.tries.is_right(request, name, key, lambda: names.owns(name, key)):
        claim = names.get(name)
        return name if claim is None else claim.name
    how = "send `Authorization: Bearer <host token>` or `Authorization: Bot NAME:KEY`"
    raise WebError.bad_token(f"{refusal}: {how}")


def shows_token(request: Request) -> bool:
    """Return whether a request shows any text in the place of a token."""
    return "Authorization" in request.headers


def _exchange(response: Response, shown: str, made: str) -> None:
    """Send `made`, a secret made by the server, to a client that shows a hand-chosen token (`shown`).

    The secret works even after too many wrong guesses from the client's address. A hand-chosen token is refused then.
    """
    if made != shown:
        response.headers.update({EXCHANGED: made, "Cache-Control": "no-store"})


async def organiser_only(request: Request, response: Response) -> None:
    """Let only the hosts of the club through. Routes have this function as a dependency.

    Raises WebError with `bad_token`, or with `too_many_requests`.
    """
    site = site_of(request)
    request.state.host = host_of(request, site)
    if request.state.host is None:
        raise WebError.bad_token("only the host may do this: send `Authorization: Bearer <host token>`")
    token = bearer_token(request)
    _exchange(response, token, site.arena.host_tokens.exchanged(token))


async def administrator_only(request: Request, response: Response) -> None:
    """Let only the administrator of the server through. Routes of the club main have this function as a dependency.

    Raises WebError with `bad_token`, or with `too_many_requests`.
    """
    token, site = bearer_token(request), site_of(request)
    is_long = len(token) >= SHORTEST_TOKEN or (token and is_local(request))
    is_right = site.arena.clubs.is_administrator(token)
    if not is_long or not site.tries.is_right(request, HOST, token, lambda: is_right):
        how = "send `Authorization: Bearer <administrator's token>`"
        raise WebError.bad_token(f"only the administrator may do this: {how}")
    request.state.host = "administrator"
    _exchange(response, token, site.arena.clubs.exchanged(token))


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
