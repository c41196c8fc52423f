"""The Universal Chess Interface (UCI), the protocol of chess engines.

Source: the protocol's description of April 2006, by S. Meyer-Kahlen
(https://www.shredderchess.com/download/div/uci.zip). UCI writes moves like Rumble's protocol.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from rumble_bots.bridges.dialogue import Dialogue, Garbled, Talk, by_text, quoted, until
from rumble_bots.sdk.bot import Noted, Turn
from rumble_bots.sdk.errors import BadProgram, Resign

MATE = 1000
"""Score for checkmate, in pawns."""
NUMBER = re.compile("-?[0-9]{1,15}")
NUMBERS = {"depth": "depth", "nodes": "nodes", "time": "time_ms"}
"""Names of fields in `move.info`. The key is the word before the field's number in an engine's `info` line."""
NO_MOVE = ("(none)", "0000", "none")
"""Words that an engine writes after `bestmove` if the engine has no move."""


@dataclass(frozen=True, slots=True)
class UciWishes:
    """The owner's options for an engine, and limits (plies, nodes, ms) that replace the clock. None means no limit."""

    options: Mapping[str, str] = field(default_factory=dict)
    depth: int | None = None
    nodes: int | None = None
    movetime_ms: int | None = None


class Uci(Dialogue):
    """The dialogue with a UCI engine."""

    games = ("chess",)
    greeting = "`uciok`, the answer of a UCI engine to `uci`"
    hurry = ("stop",)
    goodbye = ("quit",)

    def __init__(self, wishes: UciWishes) -> None:
        self._wishes = wishes
        self._match: tuple[str, int] | None = None
        """The match and attempt of the engine's last turn."""

    def begin(self) -> Talk[None]:
        """Read the engine's options, and set the options wanted by the owner."""
        offered: dict[str, str] = {}
        line = yield ("uci",)
        while line != "uciok":
            name = option_name(line)
            if name is not None:
                offered[name.casefold()] = name
            line = yield ()
        yield from until([*self._set(offered), "isready"], lambda answer: answer == "readyok")

    def move(self, turn: Turn, think_ms: int) -> Talk[str]:
        """Let the engine search, and return its best move.

        The engine gets all moves of the match so far, because repetitions of positions count in chess.
        """
        match = (turn.match, turn.attempt)
        if match != self._match:
            yield from until(["ucinewgame", "isready"], lambda answer: answer == "readyok")
            self._match = match
        position = " ".join(["position startpos", *(["moves", *turn.moves] if turn.moves else [])])
        info: dict[str, Any] = {}
        best = yield position, self._go(turn, think_ms)
        while not best.startswith("bestmove"):
            info |= thought(best)
            best = yield ()
        words = best.split()
        if len(words) < 2 or words[0] != "bestmove":
            raise Garbled(f"it answered {quoted(best)}, not a bestmove")
        if words[1] in NO_MOVE:
            raise Resign(f"the engine finds no move ({best})")
        return Noted(by_text(turn.legal, str, words[1]), info=info)

    def _set(self, offered: Mapping[str, str]) -> Sequence[str]:
        lines = []
        for name, value in self._wishes.options.items():
            if name.casefold() not in offered:
                listed = ", ".join(offered.values()) or "none"
                raise BadProgram(f"the engine has no option {name!r}; it offers: {listed}")
            lines.append(f"setoption name {offered[name.casefold()]} value {value}")
        return lines

    def _go(self, turn: Turn, think_ms: int) -> str:
        wishes = self._wishes
        limits = {"depth": wishes.depth, "nodes": wishes.nodes, "movetime": wishes.movetime_ms}
        own = [f"{name} {limit}" for name, limit in limits.items() if limit is not None]
        return " ".join(["go", *(own or [clocks(turn, think_ms)])])


def clocks(turn: Turn, think_ms: int) -> str:
    """Return the times for the command `go`: `movetime` for a match without a bank, otherwise both seats' clocks.

    A bank is a seat's time for the whole match. In Rumble each move also has a time of its own (`move_ms`). UCI has no
    such time. Therefore both clocks contain the time for this move, and the increment contains the time for each later
    move.
    """
    control = turn.start.time_control if turn.start is not None else None
    if control is None or control.bank_ms == 0:
        return f"movetime {max(1, think_ms)}"
    kept_ms = max(0, turn.clock.remaining_ms - think_ms)  # the part of the time that the bridge keeps for itself
    times = [max(1, ms - kept_ms) for ms in turn.clock.seats_ms]
    gain_ms = control.increment_ms + control.move_ms
    return f"wtime {times[0]} btime {times[1]} winc {gain_ms} binc {gain_ms}"


def option_name(line: str) -> str | None:
    """Return the name of the option in a line `option name Skill Level type spin ...`; None for other lines."""
    if not line.startswith("option name "):
        return None
    return line.removeprefix("option name ").partition(" type ")[0].strip()


def thought(line: str) -> dict[str, Any]:
    """Return the fields of `move.info` from an engine's `info` line.

    Lines of other kinds, and lines about variations other than the best, give no fields.
    Scores are in pawns. The score for a mate in n moves is `MATE` - n. The score for being mated in n moves is
    -`MATE` + n. Other scores are left out if the engine gives only a bound.
    """
    words = line.split()
    if words[:1] != ["info"] or "string" in words:
        return {}
    fields: dict[str, Any] = {}
    if "pv" in words:
        at = words.index("pv")
        words, fields["pv"] = words[:at], words[at + 1 :]
    values = dict(pairwise(words))
    if values.get("multipv", "1") != "1":
        return {}
    for name, key in NUMBERS.items():
        if (number := _number(values.get(name))) is not None:
            fields[key] = number
    pawns, moves = _number(values.get("cp")), _number(values.get("mate"))
    if pawns is not None and not {"lowerbound", "upperbound"} & values.keys():
        fields["score"] = pawns / 100
    elif moves is not None:
        fields["score"] = MATE - moves if moves > 0 else -MATE - moves
    return fields


def _number(word: str | None) -> int | None:
    return int(word) if word is not None and NUMBER.fullmatch(word) else None
