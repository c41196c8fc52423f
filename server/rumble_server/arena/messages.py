"""What a tournament has bots told: its messages, built from its state."""

from typing import Any

from rumble_protocol import server_messages as say
from rumble_protocol.codec import write_message
from rumble_protocol.codes import NoticeCode
from rumble_protocol.feed_messages import Standing

from rumble_server.tournament.tournament import Tournament


def joined(tournament: Tournament) -> bytes:
    """The bot is in."""
    return write_message(say.Joined(**_terms(tournament)))


def left(tournament: Tournament) -> bytes:
    """The bot is no longer in."""
    return write_message(say.Left(**_terms(tournament)))


def summary(tournament: Tournament) -> say.TournamentSummary:
    """One line of a `session`."""
    return say.TournamentSummary(id=tournament.id, game=tournament.config.game, status=tournament.status)


def over(tournament: Tournament, standing: Standing) -> bytes:
    """The tournament has ended, for the bot of that standing."""
    message = say.TournamentOver(
        tournament=tournament.id,
        status=tournament.status,
        rank=standing.rank,
        bots=len(tournament.field),
        points=standing.points,
    )
    return write_message(message)


def notice(code: NoticeCode, message: str, *, tournament: str | None = None, match: str | None = None) -> bytes:
    """Something to know."""
    return write_message(say.Notice(code=code, tournament=tournament, match=match, message=message))


def _terms(tournament: Tournament) -> dict[str, Any]:
    config = tournament.config
    return {
        "tournament": tournament.id,
        "game": config.game,
        "settings": config.settings,
        "time_control": config.time_control,
        "status": tournament.status,
    }
