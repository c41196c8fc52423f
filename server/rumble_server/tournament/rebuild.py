"""Rebuilding a tournament from the log."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rumble_server.tournament.facts import LogFact, TournamentCreated, TournamentFact
from rumble_server.tournament.tournament import Tournament


def rebuild_tournament(facts: Iterable[LogFact], tournament: Tournament | None = None) -> Tournament | None:
    """Return the tournament that these facts, in order, are about; None without its creation.

    `tournament` is the same up to the first of them.
    """
    for fact in facts:
        tournament = apply_to(tournament, fact)
    return tournament


def apply_to(tournament: Tournament | None, fact: LogFact) -> Tournament | None:
    """Apply the next fact about a tournament, and return the tournament; None before its creation."""
    if isinstance(fact, TournamentCreated):
        return Tournament(fact)
    if tournament is not None and isinstance(fact, TournamentFact):
        tournament.apply(fact)
    return tournament


@dataclass(slots=True)
class Rebuilt:
    """A tournament as the log has it. What costs much to make of it is kept in `made`, by name."""

    tournament: Tournament
    facts: Callable[[], Sequence[LogFact]]
    """Reads the facts that rebuild it."""
    match_facts: Callable[[str], Sequence[LogFact]]
    """Reads every fact of one of its matches. Raises Pruned where they were deleted."""
    made: dict[str, Any] = field(default_factory=dict)
