"""Answers to bots about ended tournaments that are not in memory, made from the tournament's record."""

from collections.abc import Callable

from rumble_protocol.codes import ErrorCode

from rumble_server.arena.bots import messages
from rumble_server.tournament.commands import closed_error
from rumble_server.tournament.ended import EndedTournament, FinalResult
from rumble_server.tournament.errors import CommandRefused

MakeAnswer = Callable[[EndedTournament, str], tuple[bytes, FinalResult | None]]
"""Function that takes a tournament's record and a bot's name, and returns the answer to the bot and its result.

The result is None if no `tournament_over` is to follow. The function raises CommandRefused to answer with an error.
"""


def answer_join(ended: EndedTournament, bot: str) -> tuple[bytes, FinalResult]:
    """Return the message `joined`, and the bot's result, for a bot that stayed to the end.

    Raises CommandRefused for any other bot.
    """
    result = ended.result_of(bot)
    if result is None:
        raise closed_error(ended.id, ended.status, "; it takes no more bots: join another")
    if result.withdrawn:
        raise CommandRefused(ErrorCode.TOURNAMENT_CLOSED, f"{bot} left {ended.id} for good")
    return messages.joined(ended), result


def answer_leave(ended: EndedTournament, bot: str) -> tuple[bytes, None]:
    """Return the message `left` for a bot that left, or was never in the field. Raises CommandRefused for a bot that
    stayed to the end.
    """
    result = ended.result_of(bot)
    if result is not None and not result.withdrawn:
        raise closed_error(ended.id, ended.status)
    return messages.left(ended), None
