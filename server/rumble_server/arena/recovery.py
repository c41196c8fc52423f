"""After a start: the arena as the log left it. Nobody is connected; what was running goes on when bots log in again."""

from collections.abc import Callable, Collection, Iterable, Mapping

from rumble_server.arena.arena import Arena
from rumble_server.match.facts import MatchFact, MatchStarted
from rumble_server.tournament.facts import LogFact, NameFact
from rumble_server.tournament.rebuild import rebuild_tournament
from rumble_server.tournament.tournament import OVER, Tournament

MatchFacts = Callable[[str, Collection[str]], Mapping[str, Iterable[LogFact]]]
"""Gives the facts of matches of a tournament, by their ids, all attempts, in order."""


def recover(
    arena: Arena,
    names: Iterable[LogFact],
    tournaments: Iterable[Iterable[LogFact]],
    match_facts: MatchFacts,
) -> None:
    """Fill a new arena: every name, every tournament that is not over, every match that was running.

    No away or absent time runs while the arena's grace lasts; time while the server was down is nobody's.
    """
    for fact in names:
        if isinstance(fact, NameFact):
            arena.names.apply(fact)
    with arena.transaction():
        for facts in tournaments:
            tournament = rebuild_tournament(facts)
            if tournament is not None:
                _take_up(arena, tournament, match_facts)
        arena.scheduler.settle_all()


def _take_up(arena: Arena, tournament: Tournament, match_facts: MatchFacts) -> None:
    arena.tournaments[tournament.id] = tournament
    if tournament.status == "lobby":
        tournament.config.make_openings()  # now, since nobody plays yet; not on the event loop when it begins
    tournament.nobody_there(arena.lifecycle.absent_from_ms())
    if tournament.paused_by_disk:
        arena.recorder.record(tournament.resume(arena.clock.now_ms()))
    for name, entrant in tournament.field.items():
        player = arena.players.enter(name)
        if tournament.status not in OVER and not entrant.withdrawn:
            player.tournaments[tournament.id] = tournament
    running = list(tournament.running.values())
    facts = match_facts(tournament.id, {started.match for started in running}) if running else {}
    for started in running:
        arena.matches.rebuild(started, facts_of_attempt(started, facts[started.match]))


def facts_of_attempt(started: MatchStarted, facts: Iterable[LogFact]) -> list[MatchFact]:
    """Return the facts of one attempt at a match after its start."""
    return [
        fact
        for fact in facts
        if isinstance(fact, MatchFact) and fact.attempt == started.attempt and not isinstance(fact, MatchStarted)
    ]
