"""What a bridge says to a program, and what it makes of the answers, sans I/O.

A `Talk` is a generator: it yields the lines to write (often none), is sent the next line that the program wrote, and
returns what was found out. Whoever holds it does the writing, the waiting and the clock.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

from rumble_protocol import server_messages as server

from rumble_bots.sdk.bot import Turn

T = TypeVar("T")
Talk = Generator[Sequence[str], str, T]

About = server.MatchStart | server.Rejected | server.MatchOver
"""The messages about a match that a program may be told of."""


class Garbled(Exception):
    """The program wrote what is no answer in its protocol; the text says what."""


class Dialogue(ABC):
    """How to talk with one running program. It may remember what the program knows; a new process gets a new one.

    `begin` and `move` raise Garbled where an answer makes no sense. `begin` raises BadProgram where the program cannot
    be used as its owner wants, `move` raises Resign where it gives up, or will not play such a match.
    """

    games: Sequence[str] | None = None
    """The games this protocol is for; None: any."""
    hurry: Sequence[str] = ()
    """What makes the program answer now, with what it has found so far."""
    goodbye: Sequence[str] = ()
    """What asks it to end."""

    def begin(self) -> Talk[None]:
        """Said once, before anything else."""
        yield from ()

    @abstractmethod
    def move(self, turn: Turn, think_ms: int) -> Talk[str]:
        """Have the program choose a move, within `think_ms`."""

    def told(self, message: About) -> Sequence[str]:
        """The lines that tell the program of a message, without an answer."""
        return ()


def until(lines: Sequence[str], wanted: Callable[[str], bool]) -> Talk[str]:
    """Write `lines`; the first answer that is `wanted`. What comes before it is passed over."""
    answer = yield lines
    while not wanted(answer):
        answer = yield ()
    return answer


def quoted(line: str, longest: int = 80) -> str:
    """A line of the program for a message: on one line, and not too long."""
    return ascii(line) if len(line) <= longest else f"{line[:longest]!a}..."


def by_text(legal: Sequence[str], text_of: Callable[[str], str], answer: str) -> str:
    """The legal move that the program writes like `answer`, whatever the case.

    One that is not legal is given as the program wrote it: the referee says what is wrong with it.
    """
    wanted = answer.casefold()
    return next((move for move in legal if text_of(move).casefold() == wanted), answer)
