"""The guard before all routes: known host names, and security headers of answers."""

from http import HTTPStatus

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rumble_server.host.host_names import host_name, is_allowed_host, is_host_header, is_loopback_host

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
"""Header only for pages over HTTPS or from a loopback host. On other pages, browsers ignore the header, and log an
error."""

NOT_STORED = (b"cache-control", b"no-store")
"""Header for answers to requests with a key or a token. Browsers then keep no copy of the answer. So nobody else who
uses the same computer can read the answer later."""


class HeaderGuard:
    """ASGI middleware that refuses invalid or unknown host names, and adds missing security headers to answers."""

    def __init__(self, app: ASGIApp, host_names: frozenset[str]) -> None:
        self._app = app
        self._host_names = host_names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = message.get("headers", ())
                names = {name for name, _ in own}
                message["headers"] = [*own, *(each for each in added if each[0] not in names)]
            await send(message)

        host_headers = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        host_header = host_headers[0] if host_headers else ""
        added = (*HEADERS, OPENER) if scope["scheme"] == "https" or is_loopback_host(host_header) else HEADERS
        if any(name == b"authorization" for name, _ in scope["headers"]):
            added = (*added, NOT_STORED)
        local_address = scope["server"][0] if scope.get("server") else ""
        app = self._app
        if len(host_headers) > 1 or not is_host_header(host_header):
            app = PlainTextResponse("a request has one Host, the name of this server\n", HTTPStatus.BAD_REQUEST)
        elif not is_allowed_host(host_header, local_address, self._host_names):
            text = f"this server is not known as {host_name(host_header)!r}\n"
            app = PlainTextResponse(text, HTTPStatus.FORBIDDEN)
        await app(scope, receive, send_guarded)
