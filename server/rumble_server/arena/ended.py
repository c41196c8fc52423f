"""Answers to bots about ended tournaments that are not in memory, made from the tournament's record."""

from collections.abc import Callable

from rumble_protocol import server_messages as say
from rumble_protocol.codec import write_message
from rumble_protocol.codes import ErrorCode

from rumble_server.arena import messages
from rumble_server.tournament.commands import closed
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.errors import TournamentError

Answer = Callable[[EndedTournament, str], list[bytes]]
"""Function that returns the frames to answer a bot with, from the tournament's record and the bot's name.

It raises TournamentError to answer with an error.
"""


def answer_join(ended: EndedTournament, bot: str) -> list[bytes]:
    """Return `joined` and the result for a bot that stayed to the end. Raises TournamentError for any other bot."""
    line = ended.line(bot)
    if line is None:
        raise closed(ended.id, ended.status, "; it takes no more bots: join another")
    if line.withdrawn:
        raise TournamentError(ErrorCode.TOURNAMENT_CLOSED, f"{bot} left {ended.id} for good")
    over = say.TournamentOver(
        tournament=ended.id, status=ended.status, rank=line.rank, bots=len(ended.lines), points=line.points
    )
    return [messages.joined(ended), write_message(over)]


def answer_leave(ended: EndedTournament, bot: str) -> list[bytes]:
    """Return `left` for a bot that left, or was never in the field. Raises TournamentError for a bot that stayed to the
    end.
    """
    line = ended.line(bot)
    if line is not None and not line.withdrawn:
        raise closed(ended.id, ended.status)
    return [messages.left(ended)]
