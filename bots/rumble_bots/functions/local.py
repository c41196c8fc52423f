"""A Python function used like a reference bot, for battles in one process and for `rumble ask`."""

import asyncio
import time
from collections.abc import Awaitable
from pathlib import Path
from random import Random

from rumble_engine import MoveError, State

from rumble_bots.functions.folders import BOT_FOLDERS
from rumble_bots.functions.load import load_bot
from rumble_bots.reference import Choice, ReferenceBot
from rumble_bots.sdk.bot import Bot, Turn
from rumble_bots.sdk.choosing import in_a_line
from rumble_bots.sdk.errors import BotFailed, SdkError

NO_HURRY_MS = 10_000
"""Remaining time in ms that a turn has if the function plays without a clock."""


class FunctionBot(ReferenceBot):
    """A function as a bot for the game `game`, without a server. Raises BadFunction.

    Without `bot`, the function is loaded from `text`, which is FILE.py:FUNCTION. With `bot`, nothing is loaded. Then
    `text` serves only as a name in error messages. `file` is the path of the bot's file, by default FILE.py.

    The function's turns have the position, but not the earlier moves: `ply` is 0 and `moves` is empty.
    """

    def __init__(
        self, random: Random, *, text: str, game: str, bot: Bot | None = None, file: Path | None = None
    ) -> None:
        super().__init__(random)
        self.asked_at_s: float | None = None
        """Time (`time.monotonic`) at which the present call of the function began; None between calls."""
        self.text = text
        self._game = game
        file = file or Path(text.rpartition(":")[0])
        self._folder = file.resolve().parent
        self._bot = load_bot(text, file) if bot is None else bot

    def pick(self, state: State, seat: int, budget_ms: int | None) -> Choice:
        """Call the function for a move. Raises BotFailed if the function fails, or returns no legal move."""
        turn = Turn.at(state, self._game, NO_HURRY_MS if budget_ms is None else budget_ms, seat)
        BOT_FOLDERS.enter(self._folder)
        self.asked_at_s = time.monotonic()
        try:
            answer = self._bot.choose(turn)
            move = str(_result(answer))
        except SdkError:
            raise
        except (Exception, asyncio.CancelledError) as error:
            raise BotFailed(f"{self.text} failed: {in_a_line(error)}") from error
        finally:
            self.asked_at_s = None
        try:
            state.code_for(seat, move)
        except MoveError as error:
            raise BotFailed(f"{self.text} answered no legal move: {error}") from error
        return Choice(move)


def _result(answer: object) -> object:
    """Wait for `answer` if `answer` is awaitable, and return its result. Return any other answer unchanged."""

    async def wait(awaitable: Awaitable[object]) -> object:
        return await awaitable

    return asyncio.run(wait(answer)) if isinstance(answer, Awaitable) else answer
