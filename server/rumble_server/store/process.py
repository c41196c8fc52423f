"""The server's end of the process that writes the database (`store/writer.py`)."""

import asyncio
import sys
from typing import cast

from rumble_server.store.errors import StoreError
from rumble_server.store.lock import DatabaseLock
from rumble_server.store.writer import Statement, message

STDIN = 0
"""The file descriptor."""


class WriterProcess:
    """The process that writes one database. It starts with the first batch, and with the next one if it has ended."""

    def __init__(self, path: str, lock: DatabaseLock, identity: str) -> None:
        """Make the server's end of it. Nothing is written unless the files have this identity (`store/files.py`)."""
        self._path = path
        self._lock = lock
        self._identity = identity
        self._child: _Child | None = None

    async def write(self, last: int, statements: list[Statement]) -> None:
        """Have a batch written, one at a time. Raises StoreError or OSError; it may be on disk nevertheless."""
        if self._child is None:
            self._child = await self._start()
        try:
            await self._child.ask(message(last, statements))
        except ProcessEnded:
            self._child = None
            raise

    async def close(self) -> None:
        """End the process."""
        if self._child is not None:
            await self._child.end()

    async def _start(self) -> "_Child":
        # It holds the lock until it ends, so that nobody takes up the database before its last transaction is over.
        inherited = () if sys.platform == "win32" else (self._lock.file,)
        command = (sys.executable, "-m", "rumble_server.store.writer", self._path, self._identity)
        loop = asyncio.get_running_loop()
        return (await loop.subprocess_exec(_Child, *command, stderr=None, pass_fds=inherited))[1]


class ProcessEnded(StoreError):
    """The process has ended: the next one may do better."""


class _Child(asyncio.SubprocessProtocol):
    """A process that answers each message with a line. (The streams of asyncio cost several times as much.)"""

    def __init__(self) -> None:
        self._answer = b""
        self._answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)
        self._stdin = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(STDIN))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._answer += data
        if self._answer.endswith(b"\n"):
            answer, self._answer = self._answer.decode().strip(), b""
            if answer:
                self._answered.set_exception(StoreError(answer))
            else:
                self._answered.set_result(None)

    def connection_lost(self, error: Exception | None) -> None:
        self._transport.close()
        self._ended.set_result(None)
        if not self._answered.done():
            self._answered.set_exception(self._death())

    async def ask(self, content: bytes) -> None:
        """Send a message, and wait for a good answer. Raises StoreError with any other; ProcessEnded."""
        if self._ended.done():
            raise self._death()
        self._answered = asyncio.get_running_loop().create_future()
        self._stdin.write(content)
        await self._answered

    async def end(self) -> None:
        """Close its standard input, and wait until it has ended."""
        self._stdin.close()
        await self._ended

    def _death(self) -> ProcessEnded:
        return ProcessEnded(f"the process that writes it ended with {self._transport.get_returncode()}")
