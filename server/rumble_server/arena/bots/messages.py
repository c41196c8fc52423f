"""Messages to bots about tournaments and errors, built from the current state."""

from typing import Any

from rumble_protocol import server_messages as say
from rumble_protocol.codec import write_message
from rumble_protocol.codes import ErrorCode, NoticeCode

from rumble_server.tournament.ended import EndedTournament, FinalResult
from rumble_server.tournament.tournament import Tournament


def joined(tournament: Tournament | EndedTournament) -> bytes:
    """Return the message `joined`, which tells a bot that it is in the tournament."""
    return write_message(say.Joined(**_terms(tournament)))


def left(tournament: Tournament | EndedTournament) -> bytes:
    """Return the message `left`, which tells a bot that it is no longer in the tournament."""
    return write_message(say.Left(**_terms(tournament)))


def summary(tournament: Tournament) -> say.TournamentSummary:
    """Return a tournament's entry in the message `session`."""
    return say.TournamentSummary(id=tournament.id, game=tournament.config.game, status=tournament.status)


def tournament_over(ended: EndedTournament, result: FinalResult) -> bytes:
    """Return the message `tournament_over` for a bot. `result` is the bot's final result."""
    message = say.TournamentOver(
        tournament=ended.id, status=ended.status, rank=result.rank, bots=len(ended.lines), points=result.points
    )
    return write_message(message)


def waiting(ended: EndedTournament, result: FinalResult) -> bytes:
    """Return the notice `waiting` for a bot. `result` is the bot's final result, which the notice contains."""
    points = f"{round(result.points, 5):.15g} point{'s' * (result.points != 1)}"
    about = f"{ended.id} is over: rank {result.rank} of {len(ended.lines)}, with {points}"
    return notice(
        NoticeCode.WAITING, f"{about}; stay for the host's next tournament, an hour at most", tournament_id=ended.id
    )


def notice(code: NoticeCode, message: str, *, tournament_id: str | None = None, match_id: str | None = None) -> bytes:
    """Return a `notice`."""
    return write_message(say.Notice(code=code, tournament=tournament_id, match=match_id, message=message))


def error(code: ErrorCode, message: str, detail: list[say.FieldProblem] | None = None, *, fatal: bool = False) -> bytes:
    """Return an `error`."""
    return write_message(say.Error(code=code, message=message, detail=detail or [], fatal=fatal))


def _terms(tournament: Tournament | EndedTournament) -> dict[str, Any]:
    config = tournament.config if isinstance(tournament, Tournament) else tournament
    return {
        "tournament": tournament.id,
        "game": config.game,
        "settings": config.settings,
        "time_control": config.time_control,
        "status": tournament.status,
        "away_clock": config.away_clock,
    }
