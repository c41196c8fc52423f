"""A search for tournaments that ended long ago. Their plies and frames are deleted to save space."""

from collections.abc import Iterable, Iterator

from rumble_server.store.log.reader import LogReader
from rumble_server.tournament.ended import EndedTournament

BATCH_ROWS = 50
"""Number of rows deleted in one transaction. It is small, because a running server has to wait for the transaction."""


def old_challenges(
    any_club: LogReader, unlisted: Iterable[tuple[str, str]], ended_before_ms: int
) -> Iterator[tuple[str, str]]:
    """Yield the club and id of each challenge that ended before `ended_before_ms` (ms since 1970).

    `unlisted` has the club and id of each ended tournament that is not listed, oldest first. The search ends at the
    first tournament that was created at `ended_before_ms` or later.
    """
    for club, tournament_id in unlisted:
        ended = any_club.of(club).ended([tournament_id]).get(tournament_id)
        if ended is None:  # its record is damaged
            continue
        if ended.created_at_ms >= ended_before_ms:
            return
        if ended.is_challenge and _is_over(ended, ended_before_ms):
            yield club, tournament_id


def old_tournaments(any_club: LogReader, clubs: Iterable[str], ended_before_ms: int) -> Iterator[tuple[str, str]]:
    """Yield the club and id of each tournament of `clubs` that ended before `ended_before_ms` (ms since 1970).

    Tournaments with a damaged record are left out.
    """
    for club in clubs:
        reader = any_club.of(club)
        for tournament_id in reader.tournament_ids(over=True):
            ended = reader.ended([tournament_id]).get(tournament_id)
            if ended is not None and _is_over(ended, ended_before_ms):
                yield club, tournament_id


def _is_over(ended: EndedTournament, before_ms: int) -> bool:
    return ended.ended_at_ms is not None and ended.ended_at_ms < before_ms
