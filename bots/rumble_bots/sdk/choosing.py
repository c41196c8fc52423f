"""Asks a bot for its move: calls its `choose`, ordinary or async, and turns every failure into a resignation."""

import asyncio
import inspect
import logging
import sysconfig
import traceback
from collections.abc import Awaitable
from pathlib import Path

import rumble_engine
import rumble_protocol

import rumble_bots
from rumble_bots.sdk.bot import Bot, Turn
from rumble_bots.sdk.errors import Crashed, Resign
from rumble_bots.sdk.lateness import Lateness
from rumble_bots.sdk.thinkers import Thinkers

logger = logging.getLogger("rumble_bots")

INSTALLED = (
    *(str(Path(module.__path__[0])) for module in (rumble_bots, rumble_engine, rumble_protocol)),
    *(sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib")),
    "<frozen ",
)
"""Beginnings of the paths of files of Rumble, Python and installed packages. Other files count as the bot author's
own."""


class Chooser:
    """The caller of a bot's `choose`. An async function runs on the event loop, an ordinary function in a thread.

    The thread leaves the event loop free to answer pings.
    """

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._thinkers = Thinkers()
        self.lateness = Lateness()
        """The time lost around calls of `choose` in a thread: from the turn to the start of `choose`, and from the end
        of `choose` until the event loop goes on."""

    async def choose(self, turn: Turn) -> str:
        """Return the bot's answer as text. Raises Resign with the reason if the bot resigns.

        Raises Crashed if `choose` fails. If the answer is not a text, return `str(answer)`. If the returned text
        is no legal move, the referee refuses the move, and quotes the text.
        """
        try:
            if inspect.iscoroutinefunction(self._bot.choose):
                answer = await self._bot.choose(turn)
            else:
                answer = await self._in_thread(turn)
                if inspect.isawaitable(answer):
                    answer = await answer
            if isinstance(answer, str):
                return answer
            logger.warning("%s: the bot answered %r at ply %d, which is no text", turn.match, answer, turn.ply)
            return str(answer)
        except Crashed:
            raise
        except Resign as resign:
            raise Resign(str(resign) or "the bot gives up") from resign
        except (Exception, SystemExit, asyncio.CancelledError) as error:
            task = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
                raise  # the client ends; otherwise the bot itself cancelled a task
            logger.exception("%s: the bot failed at ply %d", turn.match, turn.ply)
            raise Crashed(in_a_line(error)) from error

    async def _in_thread(self, turn: Turn) -> str | Awaitable[str]:
        """Call `choose` in a thread, and measure the time lost around the call.

        The delay after the call is counted twice. The second count stands for an earlier delay, in which the turn
        waited for the event loop. The earlier delay cannot be measured, and is assumed to be as long as the
        delay after the call.
        """
        asked = began = ended = turn.now()

        def choose() -> str | Awaitable[str]:
            nonlocal began, ended
            began = turn.now()
            try:
                return self._bot.choose(turn)
            finally:
                ended = turn.now()

        answer = await self._thinkers.run(choose)
        self.lateness.record(((began - asked) + 2 * (turn.now() - ended)) * 1000)
        return answer


def traceback_lines(error: BaseException) -> list[str]:
    """Return the lines of the error's traceback, beginning with the first place in a file of the bot's author."""
    report = traceback.TracebackException.from_exception(error)
    first = next((number for number, frame in enumerate(report.stack) if _is_own(frame)), 0)
    report.stack = traceback.StackSummary.from_list(report.stack[first:])
    return "".join(report.format()).splitlines()


def _is_own(frame: traceback.FrameSummary) -> bool:
    return not frame.filename.startswith(INSTALLED)


def in_a_line(error: BaseException) -> str:
    """Return the error's type, text and place in a single line.

    The place is the innermost line in a file of the bot's author, or else the line that raised the error.
    """
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001  # `__str__` may be the bot author's own
        text = ""
    line = f"{type(error).__name__}: {text}" if text else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if _is_own(frame)] or frames
    if not own:
        return line
    function = "" if own[-1].name == "<module>" else f", in {own[-1].name}"
    return f"{line} ({Path(own[-1].filename).name}, line {own[-1].lineno}{function})"
