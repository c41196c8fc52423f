"""The dialogue of a bridge with a program, sans I/O.

A `Talk` is a generator: it yields the lines to write (often none), is sent the program's next line, and returns the
result. `program` does the writing, the waiting and the clock.
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
    """The games of this protocol; None means any."""
    greeting: str = "its first line"
    """The program's first answer, in words, for a message while `begin` waits."""
    hurry: Sequence[str] = ()
    """Lines that make the program answer at once, with its best move so far."""
    goodbye: Sequence[str] = ()
    """Lines that ask the program to end."""

    def begin(self) -> Talk[None]:
        """Hold the first exchange with a new process."""
        yield from ()

    @abstractmethod
    def move(self, turn: Turn, think_ms: int) -> Talk[str]:
        """Have the program choose a move, within `think_ms`."""

    def told(self, message: About) -> Sequence[str]:
        """Return the lines that tell the program of a message; the program does not answer them."""
        return ()


def until(lines: Sequence[str], wanted: Callable[[str], bool]) -> Talk[str]:
    """Write `lines`; return the first answer that is `wanted`, and ignore earlier ones."""
    answer = yield lines
    while not wanted(answer):
        answer = yield ()
    return answer


def quoted(line: str, longest: int = 80) -> str:
    """Return a line of the program in quotes for a message, cut at `longest` characters."""
    return ascii(line) if len(line) <= longest else f"{line[:longest]!a}..."


def by_text(legal: Sequence[str], text_of: Callable[[str], str], answer: str) -> str:
    """Return the legal move that the program writes as `answer`, in any case.

    Without such a move, return the answer itself, for the referee to refuse.
    """
    wanted = answer.casefold()
    return next((move for move in legal if text_of(move).casefold() == wanted), answer)
