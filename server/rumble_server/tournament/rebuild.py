"""Rebuilding a tournament from the log, for recovery and for the process that reads the log."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from rumble_server.tournament.facts import LogFact, TournamentCreated, TournamentFact
from rumble_server.tournament.tournament import Tournament


def rebuild_tournament(facts: Iterable[LogFact], tournament: Tournament | None = None) -> Tournament | None:
    """Return the tournament rebuilt from `facts`, which are in order; None if the fact of the creation is missing.

    `tournament` is the tournament rebuilt from the earlier facts, if any.
    """
    for fact in facts:
        tournament = apply_to(tournament, fact)
    return tournament


def apply_to(tournament: Tournament | None, fact: LogFact) -> Tournament | None:
    """Apply the next fact to a tournament, and return the tournament.

    `tournament` is None before the tournament's creation. Then any fact except the creation is ignored, and None
    is returned.
    """
    if isinstance(fact, TournamentCreated):
        return Tournament(fact)
    if tournament is not None and isinstance(fact, TournamentFact):
        tournament.apply(fact)
    return tournament


@dataclass(slots=True)
class Rebuilt:
    """A rebuilt tournament."""

    tournament: Tournament
    facts: Callable[[], Sequence[LogFact]]
    """Function that reads the facts that rebuild the tournament."""
    match_facts: Callable[[str], Sequence[LogFact]]
    """Function that reads the facts of a match. Raises Pruned if the facts were deleted."""
    computed: dict[str, tuple[object, object, float]] = field(default_factory=dict)
    """Values that are costly to compute from the tournament, by name. Each is kept with the state that it was computed
    for, and the time in s."""
