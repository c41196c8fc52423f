"""The Python side of a worker in the browser: runs a bot's code, and referees matches against a reference bot.

The worker asks by `handle`, with JSON objects as texts; each has a `do`: `load`, `turn`, `start` or `move`.
"""

import inspect
import json
import linecache
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict
from io import TextIOBase
from random import Random, SystemRandom
from time import monotonic
from types import CodeType, FrameType
from typing import Any

from rumble_bots.reference.heuristic import Heuristic
from rumble_bots.reference.random_bot import RandomBot
from rumble_bots.reference.reference_bot import ReferenceBot
from rumble_engine import EngineError, State, get_game

FILE = "bot.py"
"""The name of the bot's code in errors."""
MOST_LINES, MOST_CHARACTERS = 200, 16_384
"""The most output that is kept of a turn."""
BOTS: dict[str, type[ReferenceBot]] = {"random": RandomBot, "heuristic": Heuristic}
NO_HURRY_MS = 10_000
"""The time in ms that a turn of a trial shows on its clock."""

Json = dict[str, Any]


class Output(TextIOBase):
    """The output of the code, cut after `MOST_LINES` and `MOST_CHARACTERS`.

    One object serves all turns, because the code may keep the file, as `logging` does.
    """

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._lines = self._characters = self._more = 0

    def write(self, text: str) -> int:
        for line in text.splitlines(keepends=True):
            self._characters += len(line)
            if self._lines >= MOST_LINES or self._characters > MOST_CHARACTERS:
                self._characters = MOST_CHARACTERS  # nothing is kept after a gap
                self._more += line.endswith("\n")
            else:
                self._kept.append(line)
                self._lines += line.endswith("\n")
        return len(text)

    def take(self) -> str:
        """Return what was kept, and forget everything."""
        more = f"and {self._more:,} more\n" if self._more else ""
        taken = "".join(self._kept) + more
        self._kept, self._lines, self._characters, self._more = [], 0, 0, 0
        return taken


class Turn(dict[str, Any]):
    """A turn of the protocol, whose fields are items and attributes: `turn["legal"]` is `turn.legal`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"a turn has no {name!r}") from None


class DidNotEnd(BaseException):
    """The code took longer than allowed. Code that catches every Exception does not catch this error."""


class Draft:
    """The code of a bot: a file with a function `choose` of a turn, which returns a legal move."""

    def __init__(self, source: str, tell: Callable[[str], object]) -> None:
        """Run the file. Raises the errors of the code, and TypeError without `choose`."""
        self._tell = tell
        self._end_s = 0.0
        linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
        names: dict[str, Any] = {"__name__": "bot"}
        code: CodeType = compile(source, FILE, "exec")
        exec(code, names)
        if not callable(names.get("choose")):
            raise TypeError("the code has no function choose(turn)")
        self._choose: Callable[[Turn], Any] = names["choose"]

    async def move(self, turn: Turn, within_ms: int | None) -> str:
        """Return the move. With `within_ms`, lines are watched, and a line after that time raises DidNotEnd."""
        before = sys.gettrace()
        if within_ms is not None:
            self._end_s = monotonic() + within_ms / 1000
            sys.settrace(self._enters)
        try:
            move = self._choose(turn)
            if inspect.isawaitable(move):
                move = await move
        finally:
            sys.settrace(before)
        if not isinstance(move, str):
            raise TypeError(f"choose returned {move!r}, not the text of a move")
        return move

    def _enters(self, frame: FrameType, event: str, value: object) -> Any:
        return self._runs if frame.f_code.co_filename == FILE else None

    def _runs(self, frame: FrameType, event: str, value: object) -> Any:
        if event == "line" and monotonic() > self._end_s:
            # Told first: a bare `except:` catches what is raised, and the worker is then ended from outside.
            self._tell(json.dumps({"endless": frame.f_lineno}))
            raise DidNotEnd
        return self._runs


class Trial:
    """A match of a draft against a reference bot."""

    def __init__(self, game: str, settings: Json, seat: int, bot: str, random: Random) -> None:
        """Begin a match in which the draft has `seat`. Raises EngineError for a game that is not here."""
        self._game = get_game(game)
        self._name, self._settings, self._seat, self._random = game, settings, seat, random
        self._bot = BOTS[bot](random)
        self._state: State = self._game.initial(settings, random.getrandbits(32))
        self._moves: list[str] = []
        self._chosen: dict[int, int] = {}
        self._plies: list[Json] = [self._shown(None, "")]

    def go_on(self) -> Json:
        """Play until the draft has to move, or the end. Return the plies since then, and the turn or the outcome."""
        while (outcome := self._state.outcome) is None:
            if self._state.is_chance:
                self._play(self._state.draw(self._random.getrandbits(256)))
                continue
            for seat in self._state.movers:
                if seat == self._seat and seat not in self._chosen:
                    return {"plies": self._taken(), "turn": self._turn()}
                if seat != self._seat:
                    choice = self._bot.choose_in(self._game, self._state, seat)
                    self._chosen[seat] = self._state.code_for(seat, choice.move)
            self._play(None)
        return {"plies": self._taken(), "over": {"scores": outcome.scores, "reason": outcome.reason}}

    def move(self, text: str) -> Json:
        """Make the draft's move. Raises EngineError for an illegal move."""
        self._chosen[self._seat] = self._state.code_for(self._seat, text)
        return self.go_on()

    def _play(self, drawn: int | None) -> None:
        before, mover = self._state, None if drawn is not None else next(iter(self._state.movers))
        text = before.joint_text(self._chosen) if drawn is None else before.text_of(drawn)
        self._state = before.after_all(self._chosen) if drawn is None else before.after(drawn)
        written = before.seen(text, self._seat)
        self._plies.append(self._shown(mover if len(self._chosen) == 1 else None, written))
        self._moves.append(text)
        self._chosen = {}

    def _shown(self, seat: int | None, text: str) -> Json:
        view = self._state.view(self._seat)
        drawing = self._game.drawing(view, text or None)
        diagram = "" if drawing or self._game.hides else self._state.diagram()
        return {"seat": seat, "text": text, "drawing": drawing and asdict(drawing), "diagram": diagram}

    def _taken(self) -> list[Json]:
        taken, self._plies = self._plies, []
        return taken

    def _turn(self) -> Json:
        state, seat = self._state, self._seat
        clock = {"remaining_ms": NO_HURRY_MS, "seats_ms": [NO_HURRY_MS] * state.seats, "lag_ms": 0}
        return {
            "type": "turn",
            "match": "test",
            "attempt": 1,
            "turn_id": f"test:{len(self._moves)}",
            "game": self._name,
            "ply": len(self._moves),
            "seat": seat,
            "state": state.view(seat),
            "legal": [state.text_for(seat, code) for code in state.codes_for(seat)],
            "moves": self._moves if self._game.is_plain(state.seats) else [],
            "clock": clock,
        }


def fault(error: BaseException) -> Json:
    """Return an error of the code with its text and the line in the code; None for an error of no line."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == FILE else (lines or [None])[-1]
    if isinstance(error, DidNotEnd):
        return {"error": "the code did not end", "line": line}
    return {"error": f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}", "line": line}


class Worker:
    """Answers the messages of the page. `tell` sends a message before the answer."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell
        self._draft: Draft | None = None
        self._trial: Trial | None = None
        self._output = Output()

    async def handle(self, text: str) -> str:
        """Answer one message."""
        try:
            with redirect_stdout(self._output), redirect_stderr(self._output):
                answer = await self._answer(json.loads(text))
        except EngineError as error:
            answer = {"refused": str(error)}
        except BaseException as error:  # noqa: BLE001  # SystemExit and KeyboardInterrupt of the code, too
            answer = fault(error)
        return json.dumps({**answer, "output": self._output.take()})

    async def _answer(self, asked: Json) -> Json:
        match asked["do"]:
            case "load":
                self._draft = None
                self._draft = Draft(asked["source"], self._tell)
                return {}
            case "turn" if self._draft is not None:
                return {"move": await self._draft.move(Turn(asked["turn"]), asked.get("within_ms"))}
            case "start":
                self._trial = Trial(asked["game"], asked["settings"], asked["seat"], asked["bot"], SystemRandom())
                return self._trial.go_on()
            case "move" if self._trial is not None:
                return self._trial.move(asked["move"])
        raise ValueError(f"nothing to do for {asked['do']!r}")
