"""The Go Text Protocol, version 2: Go engines, and engines of other games with the same protocol.

Source: G. Farnebäck's draft of the specification (https://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2.pdf).
"""

from collections.abc import Mapping
from typing import Any

from rumble_bots.bridges.dialogue import Dialogue, Talk, by_text, quoted, until
from rumble_bots.sdk.bot import Turn
from rumble_bots.sdk.errors import Resign

GO = "openspiel:go"
SIZE_FIELDS = ("board_size", "size", "columns")
"""Names of the fields of a state that may contain the size of the board."""
WORDS = {"swap": "swap-pieces"}
"""Moves that GTP and Rumble write differently: GTP's word, keyed by Rumble's word."""
COLOURS = ("black", "white")


def vertex(game: str, move: str) -> str:
    """Return a move in GTP's notation: `d4` for the move `B d4` of Go.

    The letters of columns need no change. In Go, both GTP and Rumble skip the letter i. In other games, neither skips
    the letter i.
    """
    return move.partition(" ")[2] if game == GO else WORDS.get(move, move)


class Gtp(Dialogue):
    """The dialogue with an engine. The engine keeps the board of its last turn.

    If the next turn goes on from this board, the engine gets only the new moves. Otherwise the engine gets an empty
    board and all moves.

    If `clock` is false, the engine gets no times. Some engines (such as GNU Go) use up all of the time that they get.
    """

    greeting = "the answer of a GTP engine to `list_commands`"
    goodbye = ("quit",)

    def __init__(self, *, clock: bool = True) -> None:
        self._clock = clock
        self._commands: set[str] = set()
        self._match: tuple[str, int] | None = None
        self._made: list[str] = []

    def begin(self) -> Talk[None]:
        self._commands = set((yield from self._ask("list_commands")).split())

    def move(self, turn: Turn, think_ms: int) -> Talk[str]:
        match, made = self._match, self._made
        self._match = None  # the engine's board is uncertain until the engine has answered
        if match != (turn.match, turn.attempt) or list(turn.moves[: len(made)]) != made:
            yield from self._set_up(turn)
            made = []
        for ply in range(len(made), len(turn.moves)):
            yield from self._ask(f"play {COLOURS[ply % 2]} {vertex(turn.game, turn.moves[ply])}")
        mover = COLOURS[turn.ply % 2]
        if self._knows("time_left"):
            stones = 0 if turn.start is None or turn.start.time_control.bank_ms else 1
            yield from self._ask(f"time_left {mover} {max(1, think_ms // 1000)} {stones}")
        answer = (yield from self._ask(f"genmove {mover}")).strip()
        if answer.casefold() == "resign":
            raise Resign("the engine resigns")
        chosen = by_text(turn.legal, lambda move: vertex(turn.game, move), answer)
        self._match, self._made = (turn.match, turn.attempt), [*turn.moves, chosen]
        return chosen

    def _set_up(self, turn: Turn) -> Talk[None]:
        """Prepare an empty board with the size, komi and times of the match.

        Raises Resign for a handicap game, or a board that is not square.
        """
        if turn.state.get("handicap"):
            raise Resign("the bridge to GTP plays no handicap games")
        yield from self._ask(f"boardsize {board_size(turn.state)}")
        yield from self._ask("clear_board")
        if "komi" in turn.state:
            yield from self._ask(f"komi {turn.state['komi']}")
        if self._knows("time_settings") and turn.start is not None:
            control = turn.start.time_control
            main_s, move_s = control.bank_ms // 1000, control.move_ms // 1000
            if main_s or move_s:
                yield from self._ask(f"time_settings {main_s} {move_s} {1 if move_s else 0}")

    def _knows(self, command: str) -> bool:
        """Return true if `clock` is true and the engine knows `command`, a command that sends times."""
        return self._clock and command in self._commands

    def _ask(self, command: str) -> Talk[str]:
        """Send a command, and return the answer: the text from `=` to an empty line.

        Raises Resign if the engine refuses the command.
        """
        line = yield from until([command], lambda answer: answer.startswith(("=", "?")))
        lines = [line]
        while line:
            line = yield ()
            lines.append(line)
        answer = "\n".join(lines).rstrip()
        if answer.startswith("?"):
            raise Resign(f"the engine refuses {command!r}: {quoted(answer[1:].strip())}")
        return answer[1:].strip()


def board_size(state: Mapping[str, Any]) -> int:
    """Return the size of the board in a state. Raises Resign if the board is not square."""
    size = next((state[name] for name in SIZE_FIELDS if name in state), None)
    if type(size) is not int or state.get("rows", size) != size:
        raise Resign("GTP is for square boards, and this game has none")
    return size
