"""Reading from a terminal or a pipe, and writing text and pictures to a terminal or a pipe."""

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
"""Width in columns of a console for a pipe. Wider tables are cut off."""
Data = TypeVar("Data")


def plain(data: Data) -> Data:
    """Escape the characters that would control a terminal, in a text or in every text of JSON data."""
    shown: Any = data
    match data:
        case str():
            shown = plain_text(data)
        case dict():
            shown = {plain(name): plain(value) for name, value in data.items()}
        case list():
            shown = [plain(each) for each in data]
    return cast(Data, shown)


def plain_lines(text: str) -> str:
    """Escape each line of a text with `plain`, and keep the line breaks."""
    return "\n".join(map(plain, text.split("\n")))


def coloured(stream: IO[str]) -> bool:
    """Return whether text in `stream` may have colours.

    NO_COLOR has priority over FORCE_COLOR, and FORCE_COLOR over the kind of the terminal.
    """
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (os.environ.get("TERM") != "dumb" and stream.isatty())


def plain_or_rich(*, stderr: bool = False) -> "Console":
    """Return a console that draws on a terminal and prints plain text in a pipe. Brackets in texts are no markup."""
    from rich.console import Console

    file = sys.stderr if stderr else sys.stdout
    width, no_color = (None, None) if file.isatty() else (PIPE_WIDTH, not coloured(file))
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, width=width, no_color=no_color)


def is_screen(console: "Console") -> bool:
    """Return whether a console can redraw a picture: the console must be a terminal that can move its cursor."""
    return console.file.isatty() and not console.is_dumb_terminal


def writer(console: "Console") -> "Callable[[str | Text], None]":
    """Return a function that prints a text, escaped by `plain_lines`, or a drawn picture."""
    from rich.text import Text

    def write(shown: "str | Text") -> None:
        console.print(Text(plain_lines(shown)) if isinstance(shown, str) else shown, soft_wrap=True)

    return write


def stdin_lines() -> Callable[[], str | None]:
    """Return a function that reads a line of standard input, and returns None at the end of the input.

    The function does not use `sys.stdin`: a thread that still reads when the process exits would hold the lock of
    `sys.stdin`, and Python would abort.
    """
    raw = io.FileIO(sys.stdin.fileno(), closefd=False)

    def read() -> str | None:
        line = raw.readline()
        return line.decode("utf-8", "replace") if line else None

    return read
