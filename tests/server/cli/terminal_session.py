"""A command on a real pseudo terminal, as a person types and sees it."""

import os
import re
import select
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

PATIENCE_S = 60.0
CTRL_C = "\x03"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")


class Terminal:
    """The person's side of the terminal."""

    def __init__(self, pid: int, descriptor: int) -> None:
        self._pid = pid
        self._descriptor = descriptor
        self.raw = ""

    @property
    def text(self) -> str:
        """The text written so far, without escape sequences."""
        return ESCAPES.sub("", self.raw).replace("\r\n", "\n")

    def press(self, keys: str) -> None:
        os.write(self._descriptor, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        _resize(self._descriptor, columns, rows)

    def until(self, text: str, after: int = 0) -> None:
        """Read until this text is in the output from character `after` on."""
        while text not in self.text[after:]:
            assert self._read(), f"{text!r} never came: {self.text}"

    def ended(self) -> int:
        """Read to the end, and return the exit code, negative after a signal."""
        while self._read():
            pass
        _, status = os.waitpid(self._pid, 0)
        self._pid = 0
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._descriptor)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._descriptor], [], [], PATIENCE_S)
        assert ready, f"nothing is written: {self.text}"
        try:
            read = os.read(self._descriptor, 65536)
        except OSError:  # Linux reports the end of a pseudo terminal as an error
            return False
        self.raw += read.decode("utf-8", "replace")
        return bool(read)


@contextmanager
def on_a_terminal(
    *arguments: str, columns: int = 80, rows: int = 24, environment: Mapping[str, str] | None = None
) -> Iterator[Terminal]:
    """Run `rumble` with these arguments on a new terminal, as the terminal's foreground process."""
    import pty

    variables = {**os.environ, "TERM": "xterm-256color", **(environment or {})}
    for name in ("COLUMNS", "LINES"):  # readline sets both, and they would hide every later size of the terminal
        variables.pop(name, None)
    pid, descriptor = pty.fork()
    if pid == 0:
        try:
            os.execve(sys.executable, [sys.executable, "-m", "rumble_server.cli", *arguments], variables)
        finally:
            os._exit(127)
    _resize(descriptor, columns, rows)
    terminal = Terminal(pid, descriptor)
    try:
        yield terminal
    finally:
        terminal.close()


def _resize(descriptor: int, columns: int, rows: int) -> None:
    import termios

    termios.tcsetwinsize(descriptor, (rows, columns))
