"""An estimate of the end of a tournament, from the pace of its latest results. Pure."""

from collections.abc import Iterable
from itertools import islice

from rumble_protocol.feed_messages import Expected

from rumble_server.tournament.tournament import Tournament

MOST_RESULTS = 50
"""Maximum number of latest results from which the pace is measured."""
FEWEST_RESULTS = 5
"""Minimum number of results for an estimate."""


def expected_end(tournament: Tournament, now_ms: int) -> Expected | None:
    """Estimate the remaining time of a tournament; None if it does not run, or has too few results."""
    if tournament.status != "running" or tournament.matches_total is None or tournament.going_since_ms is None:
        return None
    ends_ms = (over.at_ms for over in reversed(tournament.results.values()))
    to_play = tournament.matches_total - len(tournament.results)
    return estimate_end(ends_ms, tournament.going_since_ms, to_play, now_ms)


def estimate_end(ends_ms: Iterable[int], since_ms: int, to_play: int, now_ms: int) -> Expected | None:
    """Estimate the remaining time from the pace at which matches have ended since `since_ms`.

    `ends_ms` are the times at which matches ended, the newest first. The pace is measured until `now_ms`. So the
    estimate grows while no match ends.
    """
    latest = [at_ms for at_ms in islice(ends_ms, MOST_RESULTS + 1) if at_ms > since_ms]
    begin_ms = since_ms
    if len(latest) > MOST_RESULTS:
        begin_ms = latest.pop()
    window_ms = now_ms - begin_ms
    if to_play <= 0 or len(latest) < FEWEST_RESULTS or window_ms <= 0:
        return None
    return Expected(remaining_ms=round(to_play * window_ms / len(latest)), results=len(latest), window_ms=window_ms)
