"""The protocol of Gomocup, for programs ("brains") that play five in a row.

Source: https://plastovicka.github.io/protocl2en.htm. A square is written `x,y`. `x` counts columns from the left, and
in this bridge `y` counts rows from the top. Both begin with 0.
"""

import re

from rumble_engine.squares import squares

from rumble_bots.bridges.dialogue import Dialogue, Garbled, Talk, quoted, until
from rumble_bots.sdk.bot import Turn
from rumble_bots.sdk.errors import Resign

NOT_ANSWERS = ("MESSAGE", "DEBUG", "UNKNOWN")
"""First words of the lines that are meant for people. Such a line is no answer."""
FREESTYLE, EXACT = 0, 1
"""Values of `INFO rule`. With `FREESTYLE`, rows of five or more win. With `EXACT`, only rows of exactly five win."""
AGAINST_PROGRAM = 1
"""Value of `INFO game_type` for a match against another program."""
NO_LIMIT_MS = 2**31 - 1
SQUARE = re.compile(r"(\d{1,3}),(\d{1,3})")


def is_answer(line: str) -> bool:
    """Return true if a line is an answer: not empty, and not meant for people."""
    return line != "" and not line.upper().startswith(NOT_ANSWERS)


class Gomocup(Dialogue):
    """The dialogue with a brain.

    The brain remembers the board with its own last move. If the next turn adds only a move of the opponent to the
    remembered board, the bridge sends only the opponent's move. Otherwise the bridge sends the whole board.
    """

    games = ("gomoku",)
    greeting = "the answer of a Gomocup brain to `ABOUT`"
    goodbye = ("END",)

    def __init__(self) -> None:
        self._match: tuple[str, int] | None = None
        self._made: list[str] = []

    def begin(self) -> Talk[None]:
        """Send the command ABOUT, which every brain answers, and wait for the answer."""
        yield from until(["ABOUT"], is_answer)

    def move(self, turn: Turn, think_ms: int) -> Talk[str]:
        columns, rows = int(turn.state["columns"]), int(turn.state["rows"])
        board = squares(columns, rows, from_top=True)
        match, made = self._match, self._made
        self._match = None  # the brain's board is uncertain until the brain has answered
        begun = match == (turn.match, turn.attempt)
        if not begun:
            yield from self._start(turn, columns, rows)
        if not turn.moves:
            asking = ["BEGIN"]
        elif begun and list(turn.moves[:-1]) == made:
            asking = [f"TURN {_square(turn.moves[-1], rows)}"]
        else:
            mine = turn.ply % 2
            stones = [f"{_square(move, rows)},{1 if ply % 2 == mine else 2}" for ply, move in enumerate(turn.moves)]
            asking = ["BOARD", *stones, "DONE"]
        answer = yield from until([*self._info(turn, think_ms), *asking], is_answer)
        found = SQUARE.fullmatch(answer.replace(" ", ""))
        if found is None:
            raise Garbled(f"it answered {quoted(answer)}, not a square like 7,7")
        column, row = int(found[1]), int(found[2])
        if column >= columns or row >= rows:
            return answer  # for the referee to refuse
        chosen = f"{board.letters[column]}{rows - row}"
        self._match, self._made = (turn.match, turn.attempt), [*turn.moves, chosen]
        return chosen

    def _start(self, turn: Turn, columns: int, rows: int) -> Talk[None]:
        if turn.state["connect"] != 5:
            raise Resign(f"Gomocup brains play five in a row, not {turn.state['connect']}")
        size = f"START {columns}" if columns == rows else f"RECTSTART {columns},{rows}"
        answer = yield from until([size], is_answer)
        if answer.upper() != "OK":
            raise Resign(f"the brain refuses {size!r}: {quoted(answer)}")

    def _info(self, turn: Turn, think_ms: int) -> list[str]:
        """Return the `INFO` lines: time limits in ms, the kind of opponent, and the rule for rows longer than five."""
        bank_ms = turn.start.time_control.bank_ms if turn.start is not None else 0
        infos = {
            "timeout_turn": think_ms,
            "timeout_match": bank_ms,
            "time_left": think_ms if bank_ms else NO_LIMIT_MS,
            "game_type": AGAINST_PROGRAM,
            "rule": EXACT if turn.state["line"] == "exact" else FREESTYLE,
        }
        return [f"INFO {name} {value}" for name, value in infos.items()]


def _square(move: str, rows: int) -> str:
    """Return a move, such as `h8`, in the form `x,y`. Rumble counts rows from the bottom, this bridge from the top."""
    return f"{ord(move[0]) - ord('a')},{rows - int(move[1:])}"
