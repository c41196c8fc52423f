"""A server socket at which bots open WebSockets, for `rumble check` and for the proxy of `rumble practice`."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus

from rumble_protocol import SUBPROTOCOL
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from rumble_bots.check.errors import BadCommand

OPEN_S = 3.0
"""Time in s for the opening handshake."""
CLOSE_S = 1.0
"""Time in s for the closing handshake."""
LARGEST = 1 << 20
"""Maximum size of a frame in bytes.

The limit that `welcome` announces is lower. A frame of a size between the two limits is still read.
"""

quiet = logging.getLogger(f"{__name__}.websockets")
quiet.setLevel(logging.CRITICAL)


@dataclass(slots=True)
class Listener:
    """A server socket at an address.

    To imitate a restart, call `down`, and then `up`, which listens at the same address.
    """

    host: str
    port: int
    """The port. If it is 0, `up` chooses a free port, and stores it here."""
    path: str
    talk: Callable[[ServerConnection], Awaitable[None]]
    """Function called with each connection at `path`. The function must return once the connection has ended."""
    turned_away: Callable[[str], object]
    """Function called for each request whose path is not `path`. The argument is a text about the request."""
    ping_s: float | None = None
    """Time in s between two pings; None for no pings."""
    _server: Server | None = field(default=None, init=False)

    async def up(self) -> None:
        """Begin to listen. Raises BadCommand if the address cannot be used."""
        try:
            self._server = await serve(
                self.talk,
                self.host,
                self.port,
                process_request=self._look,
                select_subprotocol=_subprotocol,
                compression=None,
                ping_interval=self.ping_s,
                ping_timeout=None,
                open_timeout=OPEN_S,
                close_timeout=CLOSE_S,
                max_size=LARGEST,
                logger=quiet,
            )
        except OSError as error:
            raise BadCommand(f"cannot listen on {self.host} port {self.port}: {error.strerror or error}") from None
        self.port = next(iter(self._server.sockets)).getsockname()[1]

    async def down(self) -> None:
        """Stop listening, and close the open connections with the close code 1001."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None

    def _look(self, socket: ServerConnection, request: Request) -> Response | None:
        path = request.path.partition("?")[0]
        if path == self.path:
            return None
        self.turned_away(f"asked for {path[:80]}; bots connect at {self.path}")
        return socket.respond(HTTPStatus.NOT_FOUND, f"bots connect at {self.path}\n")


def _subprotocol(socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    ours = Subprotocol(SUBPROTOCOL)
    return ours if ours in offered else None
