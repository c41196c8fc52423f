"""The loop of the programs that write a database: read a commit from standard input, write it, answer it, repeat.

An answer is a line. After a success the line has the clubs that were not written because other servers lead them. After
a failure the line has `FAILED` and the problem. When standard input ends, the program ends after the current commit.
This module imports next to nothing, because the program starts with every server.
"""

import marshal
import os
import signal
import sys
from collections.abc import Callable, Sequence

from rumble_server.store.errors import StoreError
from rumble_server.store.log.content import Content

FAILED = "!"
"""Beginning of an answer that tells a failure; no club's name begins so."""
STDOUT = 1
"""File descriptor."""
SIZE_BYTES = 8
"""Length in bytes of the number with which a message begins: the size of the rest of the message, in bytes."""

Commit = Callable[[Sequence[Content], bool], Sequence[str]]
"""Function that writes a commit, and returns the clubs not written because other servers lead them. Raises StoreError.

The second argument is true if the same commit was tried just before and seemed to fail. The commit may then be written
already.
"""


def message(contents: Sequence[Content], *, again: bool = False) -> bytes:
    """Return the message of a commit to the program."""
    content = marshal.dumps((list(contents), again))
    return len(content).to_bytes(SIZE_BYTES) + content


def answer_all(commit: Commit) -> None:
    """Write commits until standard input ends, then end the process."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # signals are for the server, which drains first
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    while content := sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(SIZE_BYTES))):
        try:
            answer = " ".join(commit(*marshal.loads(content)))
        except StoreError as error:
            answer = FAILED + " ".join(str(error).split())
        try:
            os.write(STDOUT, f"{answer}\n".encode())
        except BrokenPipeError:
            break
    # The connection stays open. To close a connection of SQLite could remove the WAL while the next server checks the
    # file, before it has the lock.
    os._exit(0)
