"""The SDK's connections: the interface `Connection`, and its adapter `WebSocket` for the library `websockets`."""

import asyncio
import errno
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Protocol

from rumble_protocol import SUBPROTOCOL
from rumble_protocol.clubs import MAIN
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as websockets_connect
from websockets.exceptions import ConnectionClosed, InvalidProxy, InvalidStatus, InvalidURI, WebSocketException
from websockets.proxy import get_proxy
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from rumble_bots.sdk.address import Address
from rumble_bots.sdk.retry_after import REPLACED, retry_delay_s
from rumble_bots.sdk.tls_trouble import tls_trouble

PING_S, PONG_S, CLOSE_S = 5, 5, 2
"""Time in s between two pings, maximum time from a ping to its pong, and maximum time of the closing handshake.

Without a pong the connection is closed. So a bot leaves a silent connection after at most 12 s.
"""
REFUSED = (f"[Errno {errno.ECONNREFUSED}]", "[WinError 1225]")
"""Texts in the error of a refused connection. For a host with several IP addresses, asyncio joins the texts of the
errors to the text of a further error."""
ABNORMAL = 1006
"""The close code of a connection that ended without a close frame."""


class Unreachable(Exception):
    """A connection could not be made. The error's text gives the reason.

    `is_full` is True if the server accepts no further connection from this machine's address. `again_s` is the time in
    s until the next try if the server is being replaced; otherwise None.
    """

    def __init__(self, problem: str, *, is_full: bool = False, again_s: float | None = None) -> None:
        super().__init__(problem)
        self.is_full = is_full
        self.again_s = again_s


class Lost(Exception):
    """The connection ended."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{reason} ({code})")
        self.code = code
        self.reason = reason


class Connection(Protocol):
    """A connection to a server. `send` and `receive` raise Lost when the connection has ended."""

    @property
    def round_trip_ms(self) -> float:
        """The last measured round trip in ms; 0 before the first."""

    async def send(self, frame: str) -> None: ...

    async def receive(self) -> str | bytes: ...

    async def close(self) -> None:
        """Close with a closing handshake."""


Connect = Callable[[Address], Awaitable[Connection]]
"""A function that makes a connection, or raises Unreachable."""


class WebSocket:
    """A connection of the `websockets` library as a `Connection`."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    @property
    def round_trip_ms(self) -> float:
        return self._socket.latency * 1000

    async def send(self, frame: str) -> None:
        try:
            await self._socket.send(frame)
        except ConnectionClosed as closed:
            raise _lost(closed) from closed

    async def receive(self) -> str | bytes:
        try:
            return await self._socket.recv()
        except ConnectionClosed as closed:
            raise _lost(closed) from closed

    async def close(self) -> None:
        await self._socket.close()


async def connect(server: Address, tls: Callable[[], ssl.SSLContext] | None = None) -> Connection:
    """Connect to `server`, with pings and without compression. Raises Unreachable.

    A server on this machine is reached without a proxy. `tls` is a function that returns the context of a secure
    connection. Without `tls`, this machine must trust the server's certificate.
    """
    proxy = None if server.loopback else get_proxy(parse_uri(server.ws_url))
    shown_proxy = str(proxy).rpartition("@")[2]  # without a password
    place = f"{server.http_base} through the proxy {shown_proxy}" if proxy else server.http_base
    secured: dict[str, Any] = {"ssl": tls()} if tls is not None and server.secure else {}
    try:
        socket = await websockets_connect(
            server.ws_url,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            compression=None,
            ping_interval=PING_S,
            ping_timeout=PONG_S,
            close_timeout=CLOSE_S,
            proxy=proxy,
            **secured,
        )
    except InvalidStatus as error:
        status = error.response.status_code
        if status == HTTPStatus.NOT_FOUND and server.club != MAIN:
            raise Unreachable(f"there is no club {server.club} at {replace(server, club=MAIN).http_base}") from error
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            raise Unreachable(f"{server.http_base} has too many connections from this address", is_full=True) from error
        if status in REPLACED:
            again_s = retry_delay_s(error.response.headers.get("Retry-After"))
            raise Unreachable(f"{server.http_base} is not available at the moment", again_s=again_s) from error
        trouble = await asyncio.to_thread(tls_trouble, error, server) if status == HTTPStatus.BAD_REQUEST else ""
        raise Unreachable(trouble or f"{server.http_base} answers {status}, not as a Rumble server") from error
    except InvalidURI as error:  # the server redirects bots, usually from http to https
        raise Unreachable(f"{server.http_base} has moved: write {error.uri.removesuffix('/bot')}") from error
    except (InvalidProxy, ImportError) as error:  # the package for a SOCKS proxy may be missing
        problem = str(error).replace(str(proxy), shown_proxy)
        raise Unreachable(f"cannot reach {server.http_base}: {problem}") from error
    except (WebSocketException, OSError, EOFError) as error:
        trouble = await asyncio.to_thread(tls_trouble, error, server)
        if trouble:
            raise Unreachable(trouble) from error
        if isinstance(error, WebSocketException):
            raise Unreachable(f"{place} does not answer as a Rumble server: {error}") from error
        raise Unreachable(f"cannot reach {place}: {_plain(error)}") from error
    except ValueError as error:  # such as a proxy's port that is no number; the text may have a part of a password
        raise Unreachable(f"cannot reach {place}: an address is not valid") from error
    if socket.subprotocol != SUBPROTOCOL:
        await socket.close()
        raise Unreachable(f"{server.http_base} does not speak {SUBPROTOCOL}")
    return WebSocket(socket)


def _lost(closed: ConnectionClosed) -> Lost:
    if closed.rcvd is None:
        return Lost(ABNORMAL, "the connection broke")
    return Lost(closed.rcvd.code, closed.rcvd.reason)


def _plain(error: Exception) -> str:
    """Return the text of an error. Leave out the address that asyncio puts into the text."""
    if isinstance(error, ConnectionRefusedError) or any(refused in str(error) for refused in REFUSED):
        return "nobody listens there"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
