"""The dialogue of a bridge with a program, sans I/O.

A `Talk` is a generator. It yields the lines to write (often none), gets the program's next line by `send`, and returns
the result. The module `program` runs talks: it writes and reads the lines, and keeps the clock.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

from rumble_protocol import server_messages as server

from rumble_bots.sdk.bot import Turn

T = TypeVar("T")
Talk = Generator[Sequence[str], str, T]

About = server.MatchStart | server.Rejected | server.MatchOver
"""The messages about a match that a program may get."""


class Garbled(Exception):
    """The program wrote a line that is no answer in its protocol; the text quotes the line."""


class Dialogue(ABC):
    """The dialogue with a process. A dialogue may remember the program's state; a new process gets a new dialogue.

    `begin` and `move` raise Garbled if an answer makes no sense. `begin` raises BadProgram if the program cannot be
    used as its owner wants; `move` raises Resign if the program resigns or refuses the match.
    """

    games: Sequence[str] | None = None
    """The games for which the protocol is made; None means any game."""
    greeting: str = "its first line"
    """A description of the program's first answer, for a text that tells the owner what `begin` waits for."""
    hurry: Sequence[str] = ()
    """Lines that make the program answer at once, with its best move so far."""
    goodbye: Sequence[str] = ()
    """Lines that ask the program to end."""

    def begin(self) -> Talk[None]:
        """Hold the first exchange with a new process, after which the program is ready to play."""
        yield from ()

    @abstractmethod
    def move(self, turn: Turn, think_ms: int) -> Talk[str]:
        """Have the program choose a move, within `think_ms`."""

    def told(self, message: About) -> Sequence[str]:
        """Return the lines that report a message to the program. The program does not answer these lines."""
        return ()


def until(lines: Sequence[str], wanted: Callable[[str], bool]) -> Talk[str]:
    """Write `lines`, and return the first line of the program that `wanted` accepts. Ignore earlier lines."""
    answer = yield lines
    while not wanted(answer):
        answer = yield ()
    return answer


def quoted(line: str, longest: int = 80) -> str:
    """Return a line of the program in quotes for a message, cut at `longest` characters."""
    return ascii(line) if len(line) <= longest else f"{line[:longest]!a}..."


def by_text(legal: Sequence[str], text_of: Callable[[str], str], answer: str) -> str:
    """Return the legal move whose text in the program's notation, `text_of(move)`, is `answer` except for capitals.

    If no legal move has this text, return `answer`, which the referee will refuse.
    """
    wanted = answer.casefold()
    return next((move for move in legal if text_of(move).casefold() == wanted), answer)
