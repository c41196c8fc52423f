"""What each program that writes a database does: commits come on standard input, one at a time, and are answered.

An answer is a line: the clubs of which nothing was written, since somebody else leads them; or `FAILED` and what went
wrong. The program ends when standard input does, after the commit that it is in. It imports next to nothing, because
it starts with every server.
"""

import marshal
import os
import signal
import sys
from collections.abc import Callable, Sequence

from rumble_server.store.content import Content
from rumble_server.store.errors import StoreError

FAILED = "!"
"""What a line begins with that says what went wrong; no club's name does."""
STDOUT = 1
"""The file descriptor."""
SIZE_BYTES = 8
"""How many bytes the size of a message takes, with which it begins."""

Commit = Callable[[Sequence[Content], bool], Sequence[str]]
"""Writes a commit, and gives the clubs that somebody else leads. Raises StoreError.

True: it may be written already, in part or whole, since the one before this was the same, and failed.
"""


def message(contents: Sequence[Content], *, again: bool = False) -> bytes:
    """Return what the program reads for a commit."""
    content = marshal.dumps((list(contents), again))
    return len(content).to_bytes(SIZE_BYTES) + content


def answer_all(commit: Commit) -> None:
    """Write commits until standard input ends, and end the process."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # they are for the server, which drains first
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
    # No connection is closed: one to SQLite could remove the WAL from under the next server, which looks at the file
    # before it has the lock.
    os._exit(0)
