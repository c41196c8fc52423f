"""Asks a bot for its move: calls its `choose`, ordinary or async, and turns every failure into a resignation."""

import inspect
import logging
import traceback
from collections.abc import Awaitable
from pathlib import Path

from rumble_bots.sdk.bot import Bot, Turn
from rumble_bots.sdk.errors import GiveUp, Resign
from rumble_bots.sdk.lateness import Lateness
from rumble_bots.sdk.thinkers import Thinkers

logger = logging.getLogger("rumble_bots")


class Chooser:
    """Calls a bot's `choose`: an async function on the event loop, an ordinary function in a thread.

    The thread leaves the event loop free to answer pings.
    """

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._thinkers = Thinkers()
        self.lateness = Lateness()
        """The delays from a turn to the start of `choose` in a thread, and from its end to the event loop's notice."""

    async def choose(self, turn: Turn) -> str:
        """Return the bot's answer as text. Raises Resign with the reason if the bot resigns or fails, and GiveUp.

        An answer that is not text is converted by `str`. The referee will refuse the answer, and quote it.
        """
        try:
            if inspect.iscoroutinefunction(self._bot.choose):
                answer = await self._bot.choose(turn)
            else:
                answer = await self._in_thread(turn)
                if inspect.isawaitable(answer):
                    answer = await answer
        except GiveUp:
            raise
        except Resign as resign:
            raise Resign(str(resign) or "the bot gives up") from resign
        except Exception as error:
            logger.exception("%s: the bot failed at ply %d", turn.match, turn.ply)
            raise Resign(f"the bot failed: {in_a_line(error)}") from error
        if isinstance(answer, str):
            return answer
        logger.warning("%s: the bot answered %r at ply %d, which is no text", turn.match, answer, turn.ply)
        return str(answer)

    async def _in_thread(self, turn: Turn) -> str | Awaitable[str]:
        """Call `choose` in a thread, and measure the time lost around the call.

        The delay after the call counts twice. Before the call, the turn waited for the event loop, too. That delay
        cannot be measured, and is taken to be as long as the delay after the call.
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
        self.lateness.see(((began - asked) + 2 * (turn.now() - ended)) * 1000)
        return answer


def in_a_line(error: BaseException) -> str:
    """Return the error's type, text and place in a single line."""
    text = " ".join(str(error).split())
    told = f"{type(error).__name__}: {text}" if text else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    return f"{told} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else told
