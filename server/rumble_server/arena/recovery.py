"""After a start: the arena as the log left it. Nobody is connected; what was running goes on when bots log in again."""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping

from rumble_server.arena.arena import Arena
from rumble_server.match.facts import MatchFact, MatchStarted, MoveMade
from rumble_server.tournament import commands
from rumble_server.tournament.facts import LogFact, NameUsed, ServerFact
from rumble_server.tournament.rebuild import rebuild_tournament
from rumble_server.tournament.tournament import OVER, Tournament

log = logging.getLogger(__name__)

TournamentFacts = Callable[[str], Iterable[LogFact]]
"""Gives the facts that rebuild the tournament of this id."""
MatchFacts = Callable[[str, Collection[str]], Mapping[str, Iterable[LogFact]]]
"""Gives the facts of matches of a tournament, by their ids, all attempts, in order."""


def recover(
    arena: Arena,
    of_server: Iterable[LogFact],
    unfinished: Iterable[str],
    tournament_facts: TournamentFacts,
    match_facts: MatchFacts,
    *,
    names_are_whole: bool = True,
) -> dict[str, Exception]:
    """Fill a new arena: every fact about the server, every tournament that is not over, every match that was running.

    No away or absent time runs while the arena's grace lasts; time while the server was down is nobody's. A tournament
    that cannot be rebuilt is set aside: return why, by its id. Where facts about names are lost, no one may claim the
    name of a bot in the field of an unfinished tournament until the host resets its key.
    """
    for fact in of_server:
        if isinstance(fact, ServerFact):
            arena.recorder.take(fact)
    damaged: dict[str, Exception] = {}
    with arena.transaction():
        for tournament_id in unfinished:
            try:
                tournament, facts = _read(tournament_id, tournament_facts, match_facts)
            except Exception as error:  # noqa: BLE001  # facts that are damaged, or contradict each other, raise anything
                damaged[tournament_id] = error
                continue
            _take_up(arena, tournament, facts)
            if not names_are_whole:
                _hold_names(arena, tournament)
        arena.lifecycle.damaged.update(damaged)
        arena.scheduler.settle_all()
    return damaged


def _read(
    tournament_id: str, tournament_facts: TournamentFacts, match_facts: MatchFacts
) -> tuple[Tournament, Mapping[str, Iterable[LogFact]]]:
    """Rebuild a tournament, and find the facts of its running matches. Raises anything if it is damaged."""
    tournament = rebuild_tournament(tournament_facts(tournament_id))
    if tournament is None:
        raise ValueError("its creation is not in the log")
    running = {started.match for started in tournament.running.values()}
    return tournament, match_facts(tournament.id, running) if running else {}


def _take_up(arena: Arena, tournament: Tournament, facts: Mapping[str, Iterable[LogFact]]) -> None:
    arena.tournaments[tournament.id] = tournament
    if tournament.status == "lobby":
        tournament.config.make_openings()  # now, since nobody plays yet; not on the event loop when it begins
    tournament.nobody_there(arena.lifecycle.absent_from_ms())
    if tournament.paused_by_disk:
        arena.recorder.record(commands.resume(tournament, arena.clock.now_ms()))
    for name, entrant in tournament.field.items():
        player = arena.players.enter(name)
        if tournament.status not in OVER and not entrant.withdrawn:
            player.tournaments[tournament.id] = tournament
    for started in list(tournament.running.values()):
        _take_up_match(arena, started, facts_of_attempt(started, facts[started.match]))


def _take_up_match(arena: Arena, started: MatchStarted, facts: list[MatchFact]) -> None:
    """Go on with a match; one of whose moves the log has lost some is void, and played again."""
    plies = [fact.ply for fact in facts if isinstance(fact, MoveMade)]
    if plies == list(range(len(started.moves), len(started.moves) + len(plies))):
        arena.matches.rebuild(started, facts)
        return
    log.error("match %s: the log has lost moves of attempt %d, which is void", started.match, started.attempt)
    arena.matches.rebuild(started, ())
    arena.matches.abort(started.match, "the server lost moves of this match; nobody is blamed")


def _hold_names(arena: Arena, tournament: Tournament) -> None:
    for name in tournament.field:
        if arena.names.get(name) is None:
            arena.names.apply(NameUsed(name, "", "", arena.clock.now_ms()))  # no key has an empty digest


def facts_of_attempt(started: MatchStarted, facts: Iterable[LogFact]) -> list[MatchFact]:
    """Return the facts of one attempt at a match after its start."""
    return [
        fact
        for fact in facts
        if isinstance(fact, MatchFact) and fact.attempt == started.attempt and not isinstance(fact, MatchStarted)
    ]
