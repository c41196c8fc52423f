"""The server's side of the process that writes the database. The process itself runs `store/log/commit_loop.py`."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from typing import cast

from rumble_server.store.errors import StoreError
from rumble_server.store.log.commit_loop import FAILED, message
from rumble_server.store.log.content import Content

STDIN = 0
"""File descriptor of standard input."""


class WriterProcess:
    """The process that writes a database. A commit starts the process if it is not running.

    A start of the process takes much more time than a commit. Call `start` to have the process ready before the first
    commit.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        inherits: int | None = None,
        environment: Mapping[str, str] | None = None,
        patience_s: float | None = None,
    ) -> None:
        """Prepare to run `command` in a process, which inherits the file descriptor `inherits`.

        The process is killed if it does not answer a commit within `patience_s`.
        """
        self.command = command
        self._environment = environment
        self.patience_s = patience_s
        self._inherited = () if inherits is None or sys.platform == "win32" else (inherits,)
        self.child: _Child | None = None
        """The running process; None if there is none."""
        self._starting = asyncio.Lock()

    async def start(self) -> "_Child":
        """Start the process unless it is running already, and return it. Raises OSError."""
        async with self._starting:
            if self.child is None:
                loop = asyncio.get_running_loop()
                started = await loop.subprocess_exec(
                    _Child, *self.command, stderr=None, pass_fds=self._inherited, env=self._environment
                )
                self.child = started[1]
            return self.child

    async def write(self, contents: Sequence[Content], *, again: bool) -> Sequence[str]:
        """Let the process write a commit, and return `lead_id` of each content whose club another server leads.

        Such a content is not written. `again` is true if the commit is a repetition. Await each call before the
        next call. Raises StoreError or OSError; the commit may be written nevertheless.
        """
        child = self.child or await self.start()
        try:
            async with asyncio.timeout(self.patience_s):
                return (await child.ask(message(contents, again=again))).split()
        except ProcessEnded:
            self.child = None
            raise
        except TimeoutError:
            self.child = None
            child.kill()
            raise StoreError(f"the database has not answered for {self.patience_s:g} s") from None

    async def close(self) -> None:
        """Let the process finish its commit and end. Kill the process if it has not ended within `patience_s`."""
        if self.child is not None:
            try:
                async with asyncio.timeout(self.patience_s):
                    await self.child.end()
            except TimeoutError:
                self.child.kill()


class ProcessEnded(StoreError):
    """Raised if the writing process has ended. The next commit starts a new process, which may succeed."""


class _Child(asyncio.SubprocessProtocol):
    """The running process, which answers each message with one line.

    The class is an asyncio protocol, because asyncio streams take several times as long.
    """

    def __init__(self) -> None:
        self._answer = b""
        self._answered: asyncio.Future[str] | None = None
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)
        self._stdin = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(STDIN))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._answer += data
        if self._answer.endswith(b"\n"):
            answer, self._answer = self._answer.decode().strip(), b""
            if self._answered is None or self._answered.done():  # the caller has given up
                return
            if answer.startswith(FAILED):
                self._answered.set_exception(StoreError(answer.removeprefix(FAILED)))
            else:
                self._answered.set_result(answer)

    def connection_lost(self, error: Exception | None) -> None:
        self._transport.close()
        self._ended.set_result(None)
        if self._answered is not None and not self._answered.done():
            self._answered.set_exception(self._death())

    async def ask(self, content: bytes) -> str:
        """Send a message to the process, and return the answer.

        Raises StoreError if the answer reports a failure, and ProcessEnded if the process has ended.
        """
        if self._answered is not None and not self._answered.done():
            raise RuntimeError("the commit before has not been answered")
        if self._ended.done():
            raise self._death()
        self._answered = asyncio.get_running_loop().create_future()
        self._stdin.write(content)
        return await self._answered

    async def end(self) -> None:
        """Close the standard input of the process, so that the process ends, and wait for the end."""
        self._stdin.close()
        await asyncio.shield(self._ended)

    def kill(self) -> None:
        """End the process by SIGKILL, also while a commit hangs."""
        self._transport.kill()

    def _death(self) -> ProcessEnded:
        return ProcessEnded(f"the process that writes it ended with {self._transport.get_returncode()}")
