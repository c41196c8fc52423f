"""The simplest protocols: the program reads a line, and writes a line.

`Stdio` writes each turn as a line of JSON, with the fields that the server sent. `BareStdio` writes the legal moves
in one line, separated by spaces, or by tabs if a move contains a space. Both read the move as text or as a JSON string.
The answer `resign` resigns the match. After the answer `failed: REASON`, the bot counts as crashed, and loses the
match. Empty lines are ignored.
"""

import json
from collections.abc import Sequence

from rumble_protocol.codec import write_message

from rumble_bots.bridges.dialogue import About, Dialogue, Talk, until
from rumble_bots.sdk.bot import Turn
from rumble_bots.sdk.errors import Crashed, Resign

RESIGN = "resign"
FAILED = "failed:"


class Stdio(Dialogue):
    """A protocol: the program reads a turn, and writes a move.

    If `everything` is true, the program also reads other messages about its matches. The program must not answer those
    messages.
    """

    def __init__(self, *, everything: bool = False) -> None:
        self._everything = everything

    def move(self, turn: Turn, think_ms: int) -> Talk[str]:
        return (yield from _answer(line_of(turn)))

    def report(self, message: About) -> Sequence[str]:
        return (write_message(message).decode(),) if self._everything else ()


class BareStdio(Dialogue):
    """A protocol: the program reads the legal moves, and writes a move."""

    def move(self, turn: Turn, think_ms: int) -> Talk[str]:
        between = "\t" if any(" " in move for move in turn.legal) else " "
        return (yield from _answer(between.join(turn.legal)))


def line_of(turn: Turn) -> str:
    """Return the server's message of `turn` as JSON in one line."""
    return write_message(turn.message).decode()


def _answer(line: str) -> Talk[str]:
    text = yield from until([line], lambda answer: answer.strip() != "")
    move = _unquoted(text.strip())
    if move.casefold() == RESIGN:
        raise Resign("the program resigns")
    if move.startswith(FAILED):
        raise Crashed(move.removeprefix(FAILED).strip())
    return move


def _unquoted(text: str) -> str:
    """Return the text in a JSON string, such as `4` for `"4"`. Return any other text unchanged."""
    if not text.startswith('"'):
        return text
    try:
        read = json.loads(text)
    except ValueError:
        return text
    return read if isinstance(read, str) else text
