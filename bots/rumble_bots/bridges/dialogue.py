"""The dialogue between a bridge and a program, without I/O.

A `Talk` is a generator. It yields lines for the program (often none), and gets the program's next line by `send`. The
return value is the result of the talk, such as a move. The module `program` runs talks: it writes and reads the lines,
and watches the clock.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

from rumble_protocol import server_messages

from rumble_bots.sdk.bot import Turn

T = TypeVar("T")
Talk = Generator[Sequence[str], str, T]

About = server_messages.MatchStart | server_messages.Rejected | server_messages.MatchOver
"""Type of the messages that a bridge reports to a program: beginnings and ends of matches, and refused moves."""


class Garbled(Exception):
    """The error for a line that is no answer in the program's protocol. The text quotes the line."""


class Dialogue(ABC):
    """The dialogue with a process. A dialogue may remember the program's state; a new process gets a new dialogue.

    `begin` and `move` raise Garbled for a meaningless answer. `begin` raises BadProgram if the program cannot be
    used as its owner wants. `move` raises Resign if the program resigns or refuses the match.
    """

    games: Sequence[str] | None = None
    """Games of the protocol; None means any game."""
    greeting: str = "its first line"
    """Description of the program's first answer, for a message to the owner while `begin` waits for the answer."""
    hurry: Sequence[str] = ()
    """Lines that make the program answer at once, with the best move so far."""
    goodbye: Sequence[str] = ()
    """Lines that end the program."""

    def begin(self) -> Talk[None]:
        """Prepare a new process for play."""
        yield from ()

    @abstractmethod
    def move(self, turn: Turn, think_ms: int) -> Talk[str]:
        """Let the program choose a move within `think_ms`."""

    def report(self, message: About) -> Sequence[str]:
        """Return the lines that report a message to the program. The program must not answer these lines."""
        return ()


def until(lines: Sequence[str], wanted: Callable[[str], bool]) -> Talk[str]:
    """Write `lines`, and return the program's first line that `wanted` accepts. Earlier lines are ignored."""
    answer = yield lines
    while not wanted(answer):
        answer = yield ()
    return answer


def quoted(line: str, longest: int = 80) -> str:
    """Return a program's line as part of a message: in quotes, and cut after `longest` characters."""
    return ascii(line) if len(line) <= longest else f"{line[:longest]!a}..."


def by_text(legal: Sequence[str], text_of: Callable[[str], str], answer: str) -> str:
    """Return the legal move meant by a program's answer. Capital and small letters count as equal.

    `text_of(move)` is the text of a move in the program's notation. If no legal move has the text `answer`, return
    `answer` itself, so that the referee refuses it.
    """
    wanted = answer.casefold()
    return next((move for move in legal if text_of(move).casefold() == wanted), answer)
