"""The main loop of the writing program: read a commit from standard input, write it to the database, and answer.

An answer is one line. After a success the line has the contents that were not written, because other servers lead their
clubs: the club and epoch of each (`lead_id`). After a failure the line has `FAILED` and the problem. The program ends
when standard input ends.

This module imports very little, because every server starts the program and waits for it.
"""

import marshal
import os
import sys
from collections.abc import Callable, Sequence

from rumble_server.host.signals import ignore_stop_signals
from rumble_server.store.errors import StoreError
from rumble_server.store.log.content import Content

FAILED = "!"
"""First character of an answer that reports a failure. No club's name begins with this character."""
STDOUT = 1
"""File descriptor of standard output."""
SIZE_BYTES = 8
"""Length in bytes of the number at the beginning of a message. The number is the size of the rest in bytes."""

Commit = Callable[[Sequence[Content], bool], Sequence[str]]
"""Function that writes a commit. A content is not written if another server leads the club of the content. The function
returns `lead_id` of each such content.

The second argument is true if the call repeats a commit that seemed to fail. Such a commit may be on disk already. The
function raises StoreError.
"""


def message(contents: Sequence[Content], *, again: bool = False) -> bytes:
    """Return the bytes of a message that tells the writing program to write a commit. `again` marks a repetition."""
    content = marshal.dumps((list(contents), again))
    return len(content).to_bytes(SIZE_BYTES) + content


def answer_all(commit: Commit) -> None:
    """Write commits until standard input ends, then end the process."""
    ignore_stop_signals()
    while content := sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(SIZE_BYTES))):
        try:
            answer = " ".join(commit(*marshal.loads(content)))
        except StoreError as error:
            answer = FAILED + " ".join(str(error).split())
        try:
            os.write(STDOUT, f"{answer}\n".encode())
        except BrokenPipeError:
            break
    # The connection is not closed. Closing a connection of SQLite could remove the WAL, while the next server, which
    # does not have the lock yet, is checking the file.
    os._exit(0)
