"""A TCP proxy for tests, between two programs on this machine, which can fail as networks do.

The proxy runs on a thread of its own; its methods may be called from any other thread. To "cut" means to reset
connections, as when a machine on the way forgets them; the other side sees the end.
"""

import asyncio
import socket
import struct
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Literal, TypeVar

PATIENCE_S = 30.0
"""Maximum time in s of the proxy's own work, and of a test's wait for an event."""
CHUNK = 1 << 20
T = TypeVar("T")
Way = Literal["to_server", "to_client"]
_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Asks = Callable[[bytes], object]
"""Function that returns true for the bytes of the request to cut by."""


class Fate(Enum):
    """The fate of a request whose connection is cut. The client never knows the fate."""

    UNSENT = auto()
    """The server never gets the request."""
    SENT = auto()
    """The server has the request before the cut, and finishes it at an unknown time."""
    DONE = auto()
    """The server has done the request, and the answer is lost."""
    LATE = auto()
    """The server gets the request only after `Cut.release`; the client may be back by then."""


@dataclass(slots=True)
class Cut:
    """A single cut of a connection, at a request that `asks` finds."""

    asks: Asks
    fate: Fate
    taken: bool = False
    """True once the request has come."""
    cut_made: threading.Event = field(default_factory=threading.Event)
    let_go: asyncio.Event = field(default_factory=asyncio.Event)
    _loop: asyncio.AbstractEventLoop | None = None

    def wait(self) -> None:
        """Wait until the connection is cut."""
        assert self.cut_made.wait(PATIENCE_S), f"nothing asked for what would be cut as {self.fate}"

    def release(self) -> None:
        """Let the server have the held request of the fate LATE."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self.let_go.set)


class _Pair:
    """A client's connection, and the proxy's connection to the server for it."""

    def __init__(self, client: _Streams, server: _Streams) -> None:
        self.client, self.server = client, server
        self.cut: Cut | None = None
        """Cut of this pair; later bytes from the server are lost."""


class Proxy:
    """A port of this machine that forwards to a second port. Use `proxy`, which closes it."""

    def __init__(self, to: int) -> None:
        self.to = to
        """Port to forward to; a change holds for new connections."""
        self.refusing = False
        """True while new connections are reset at once."""
        self._pairs: set[_Pair] = set()
        self._cuts: list[Cut] = []
        self._flows: dict[Way, asyncio.Event] = {}
        self._is_swallowing = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._thread.start()
        self.port = self._do(self._listen())

    # --- what tests say ---

    def cut(self) -> int:
        """Reset every connection, and return their number. New connections are accepted."""

        async def cut() -> int:
            pairs = list(self._pairs)
            for pair in pairs:
                _reset(pair.client)
                _reset(pair.server)
            self._pairs.clear()
            return len(pairs)

        return self._do(cut())

    def refuse(self) -> None:
        """Reset every connection, and new ones, too, until `accept`."""
        self.refusing = True
        self.cut()

    def accept(self) -> None:
        """Accept connections again."""
        self.refusing = False

    def hold(self, *ways: Way) -> None:
        """Hold bytes in these directions, or in both, until `flow`, without loss. New connections are accepted."""

        async def hold() -> None:
            for way in ways or tuple(self._flows):
                self._flows[way].clear()

        self._do(hold())

    def swallow(self) -> None:
        """Drop bytes in both directions until `flow`. Cut first: the streams will have holes."""
        self._is_swallowing = True

    def flow(self) -> None:
        """Let bytes pass in both directions again."""

        async def flow() -> None:
            self._is_swallowing = False
            for event in self._flows.values():
                event.set()

        self._do(flow())

    def cut_by(self, asks: Asks, fate: Fate) -> Cut:
        """Cut the first connection with a request that `asks` finds; the request has this fate."""
        cut = Cut(asks, fate, _loop=self._loop)
        self._cuts.append(cut)
        return cut

    def close(self) -> None:
        """Reset every connection, and end the proxy."""
        self.refuse()
        self.flow()

        async def close() -> None:
            for cut in self._cuts:
                cut.let_go.set()
            while others := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.gather(*others)
            # Last: asyncio would never close an accepted connection without a transport when its port closes. No such
            # connection is left here, since it would have a task.
            self._server.close()
            await asyncio.sleep(0)  # an aborted transport closes its socket in the next iteration

        self._do(close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)
        self._loop.close()

    # --- what its thread does ---

    def _do(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(PATIENCE_S)

    async def _listen(self) -> int:
        self._flows = {"to_server": asyncio.Event(), "to_client": asyncio.Event()}
        for event in self._flows.values():
            event.set()
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def _accepted(self, *client: *_Streams) -> None:
        try:
            server = None if self.refusing else await asyncio.open_connection("127.0.0.1", self.to)
        except OSError:
            server = None
        if server is None or self.refusing:
            for opened in (client, server):
                if opened is not None:
                    _reset(opened)
            return
        pair = _Pair(client, server)
        self._pairs.add(pair)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._carry(pair, "to_server", client[0], server[1]))
                both.create_task(self._carry(pair, "to_client", server[0], client[1]))
            for _, writer in (client, server):
                writer.close()
                await writer.wait_closed()  # after the remaining bytes are sent; until then a cut finds the pair
        except* OSError:  # a reset ends the pair
            _reset(client)
            _reset(server)
        finally:
            self._pairs.discard(pair)

    async def _carry(self, pair: _Pair, way: Way, source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
        """Forward bytes in a direction until their end."""
        while True:
            chunk = await source.read(CHUNK)
            await self._flows[way].wait()
            if not chunk:
                break
            if not self._is_swallowing:
                await self._deliver(pair, way, chunk, to)
        with suppress(OSError):
            to.write_eof()

    async def _deliver(self, pair: _Pair, way: Way, chunk: bytes, to: asyncio.StreamWriter) -> None:
        if way == "to_client" and pair.cut is not None:
            if pair.cut.fate is Fate.DONE:
                _reset(pair.client)
                pair.cut.cut_made.set()
            return  # the client is gone
        waiting = (each for each in self._cuts if not each.taken and each.asks(chunk))
        if way == "to_server" and (cut := next(waiting, None)):
            cut.taken = True
            pair.cut = cut
            if cut.fate is Fate.UNSENT:
                _reset(pair.server)
            if cut.fate is not Fate.DONE:
                _reset(pair.client)
                cut.cut_made.set()
            if cut.fate is Fate.LATE:
                await cut.let_go.wait()
            if cut.fate is Fate.UNSENT:
                return
        to.write(chunk)
        await to.drain()


def _reset(streams: _Streams) -> None:
    """Close a connection at once, so that the other side sees a reset."""
    writer = streams[1]
    if (sock := writer.get_extra_info("socket")) is not None:
        with suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@contextmanager
def proxy(to: int) -> Iterator[Proxy]:
    """Yield a proxy to a port of this machine."""
    made = Proxy(to)
    try:
        yield made
    finally:
        made.close()
