"""A TCP proxy of the tests' own, between two programs on this machine, which fails as networks do when told to.

It runs on a thread of its own, and its methods may be called from any other. To "cut" is to reset connections, as when
a machine on the way forgets them; the other side sees an end.
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
"""Time in s within which the proxy must do what it is told, and within which what a test waits for must happen."""
CHUNK = 1 << 20
T = TypeVar("T")
Way = Literal["to_server", "to_client"]
_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Asks = Callable[[bytes], object]
"""Whether bytes on their way to the server are the request that is meant."""


class Fate(Enum):
    """What becomes of a request after which its connection is cut. The client never knows which it was."""

    UNSENT = auto()
    """The server never has it."""
    SENT = auto()
    """The server has it when the connection is cut; nobody knows when it is done."""
    DONE = auto()
    """The server has done it, and its answer is lost."""
    LATE = auto()
    """The server has it only after `Cut.release`: the client may have come back by then."""


@dataclass(slots=True)
class Cut:
    """A connection that is to be cut by a request, once."""

    asks: Asks
    fate: Fate
    taken: bool = False
    """Whether its request has come."""
    cut_made: threading.Event = field(default_factory=threading.Event)
    let_go: asyncio.Event = field(default_factory=asyncio.Event)
    _loop: asyncio.AbstractEventLoop | None = None

    @property
    def happened(self) -> bool:
        return self.cut_made.is_set()

    def wait(self) -> None:
        """Wait until the connection has been cut."""
        assert self.cut_made.wait(PATIENCE_S), f"nothing asked for what would be cut as {self.fate}"

    def release(self) -> None:
        """Let the server have the request of fate LATE."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self.let_go.set)


class _Pair:
    """One connection of a client, and that to the server."""

    def __init__(self, client: _Streams, server: _Streams) -> None:
        self.client, self.server = client, server
        self.cut: Cut | None = None
        """What cuts it; what the server says from then on is lost."""


class Proxy:
    """A port of this machine that leads to another. Use `proxy`, which closes it."""

    def __init__(self, to: int, delay_s: float = 0.0) -> None:
        self.to = to
        """The port it leads to; it may be changed, for connections to come."""
        self.delay_s = delay_s
        """How long bytes are on their way, in s, in each direction."""
        self.refusing = False
        """Whether new connections are reset at once."""
        self.accepted = 0
        """How many connections there have been."""
        self.passed: dict[Way, int] = {"to_server": 0, "to_client": 0}
        """How many bytes have gone each way."""
        self._pairs: set[_Pair] = set()
        self._cuts: list[Cut] = []
        self._flows: dict[Way, asyncio.Event] = {}
        self._swallowed: set[Way] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._thread.start()
        self.port = self._do(self._listen())

    # --- what tests say ---

    @property
    def connections(self) -> int:
        """How many connections there are."""
        return len(self._pairs)

    def cut(self) -> int:
        """Reset all connections, and return how many there were. New ones may come."""

        async def cut() -> int:
            pairs = list(self._pairs)
            for pair in pairs:
                _reset(pair.client)
                _reset(pair.server)
            self._pairs.clear()
            return len(pairs)

        return self._do(cut())

    def refuse(self) -> None:
        """Reset all connections, and new ones, until `accept`."""
        self.refusing = True
        self.cut()

    def accept(self) -> None:
        """Take connections again."""
        self.refusing = False

    def hold(self, *ways: Way) -> None:
        """Keep bytes that go these ways, or both, until `flow`: none is lost. New connections may come."""

        async def hold() -> None:
            for way in ways or tuple(self._flows):
                self._flows[way].clear()

        self._do(hold())

    def swallow(self, *ways: Way) -> None:
        """Lose bytes that go these ways, or both, until `flow`. What comes afterwards has a hole: cut it first."""
        self._swallowed.update(ways or tuple(self._flows))

    def flow(self) -> None:
        """Let bytes go both ways again."""

        async def flow() -> None:
            self._swallowed.clear()
            for event in self._flows.values():
                event.set()

        self._do(flow())

    def cut_by(self, asks: Asks, fate: Fate) -> Cut:
        """Cut the first connection by which goes what `asks` finds, with this fate of it."""
        cut = Cut(asks, fate, _loop=self._loop)
        self._cuts.append(cut)
        return cut

    def close(self) -> None:
        """Reset all connections, and end."""
        self.refuse()
        self.flow()

        async def close() -> None:
            for cut in self._cuts:
                cut.let_go.set()
            while others := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.gather(*others)
            # Only now: asyncio never closes a connection that it has accepted, and has no transport of yet, when the
            # port is closed. Here there is none, because it would have a task.
            self._server.close()
            await asyncio.sleep(0)  # a transport that was aborted closes its socket in the next turn

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
        self.accepted += 1
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._carry(pair, "to_server", client[0], server[1]))
                both.create_task(self._carry(pair, "to_client", server[0], client[1]))
            for _, writer in (client, server):
                writer.close()
                await writer.wait_closed()  # what is left is sent first; a cut finds the pair until then
        except* OSError:  # one side has reset it: so it is for the other
            _reset(client)
            _reset(server)
        finally:
            self._pairs.discard(pair)

    async def _carry(self, pair: _Pair, way: Way, source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
        """Carry bytes one way until their end, each `delay_s` after it came."""
        due = asyncio.Queue[tuple[float, bytes]](64)

        async def read() -> None:
            chunk = b"first"
            while chunk:
                chunk = await source.read(CHUNK)
                await due.put((self._loop.time() + self.delay_s, chunk))

        async with asyncio.TaskGroup() as group:
            group.create_task(read())
            while True:
                at, chunk = await due.get()
                if (rest_s := at - self._loop.time()) > 0:
                    await asyncio.sleep(rest_s)
                await self._flows[way].wait()
                if not chunk:
                    break
                if way not in self._swallowed:
                    await self._deliver(pair, way, chunk, to)
        with suppress(OSError):
            to.write_eof()

    async def _deliver(self, pair: _Pair, way: Way, chunk: bytes, to: asyncio.StreamWriter) -> None:
        if way == "to_client" and pair.cut is not None:
            if pair.cut.fate is Fate.DONE:
                _reset(pair.client)
                pair.cut.cut_made.set()
            return  # its client is gone
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
        self.passed[way] += len(chunk)
        to.write(chunk)
        await to.drain()


def _reset(streams: _Streams) -> None:
    """Close a connection at once, so that its other side sees a reset."""
    writer = streams[1]
    if (sock := writer.get_extra_info("socket")) is not None:
        with suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@contextmanager
def proxy(to: int, delay_s: float = 0.0) -> Iterator[Proxy]:
    """Have a proxy to a port of this machine for a block."""
    made = Proxy(to, delay_s)
    try:
        yield made
    finally:
        made.close()
