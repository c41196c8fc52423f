"""Reading from and drawing on a terminal, or a pipe."""

import io
import os
import sys
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast

from rumble_protocol.plain import plain_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

PIPE_WIDTH = 1000
"""Width of text in a pipe, in columns; a table is cut off only beyond it."""
Told = TypeVar("Told")


def plain(told: Told) -> Told:
    """Return text, or what JSON holds of texts, with escapes in the place of what would steer a terminal."""
    shown: Any = told
    match told:
        case str():
            shown = plain_text(told)
        case dict():
            shown = {plain(name): plain(value) for name, value in told.items()}
        case list():
            shown = [plain(each) for each in told]
    return cast(Told, shown)


def plain_lines(text: str) -> str:
    """Return a text of several lines as `plain` does, line by line."""
    return "\n".join(map(plain, text.split("\n")))


def coloured(stream: IO[str]) -> bool:
    """Return whether text may have colours there. NO_COLOR goes before FORCE_COLOR, and that before what is found."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (os.environ.get("TERM") != "dumb" and stream.isatty())


def plain_or_rich(*, stderr: bool = False) -> "Console":
    """Return a console that draws on a terminal and prints plain text in a pipe."""
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False)
    if console.file.isatty():
        return console
    return Console(stderr=stderr, highlight=False, width=PIPE_WIDTH, no_color=not coloured(console.file))


def is_screen(console: "Console") -> bool:
    """Return whether a picture on a console can be drawn anew: on a terminal that knows how to move its cursor."""
    return console.file.isatty() and not console.is_dumb_terminal


def writer(console: "Console") -> "Callable[[str | Text], None]":
    """Return a function that writes a text with escapes, or what was drawn, on lines of their own."""
    from rich.text import Text

    def write(shown: "str | Text") -> None:
        console.print(Text(plain_lines(shown)) if isinstance(shown, str) else shown, soft_wrap=True)

    return write


def stdin_lines() -> Callable[[], str | None]:
    """Return a function that reads a line of standard input; None at its end.

    It avoids `sys.stdin`, whose lock a thread that still reads would hold when the program ends.
    """
    raw = io.FileIO(sys.stdin.fileno(), closefd=False)

    def read() -> str | None:
        line = raw.readline()
        return line.decode("utf-8", "replace") if line else None

    return read
