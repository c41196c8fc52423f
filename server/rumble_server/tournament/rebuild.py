"""Rebuilding a tournament from the log."""

from collections.abc import Iterable

from rumble_server.tournament.facts import LogFact, TournamentCreated, TournamentFact
from rumble_server.tournament.tournament import Tournament


def rebuild_tournament(facts: Iterable[LogFact]) -> Tournament | None:
    """Return the tournament that these facts, in order, are about; None without its creation."""
    tournament: Tournament | None = None
    for fact in facts:
        if isinstance(fact, TournamentCreated):
            tournament = Tournament(fact)
        elif tournament is not None and isinstance(fact, TournamentFact):
            tournament.apply(fact)
    return tournament
