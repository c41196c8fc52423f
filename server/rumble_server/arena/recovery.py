"""After a start: the arena as the log left it. Nobody is connected; what was running goes on when bots log in again.

`read` needs no arena and no event loop; `take_up` fills the arena with what was read.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

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


@dataclass(frozen=True, slots=True)
class Recovered:
    """What the log of a club tells: facts about the club, and its tournaments that are not over."""

    of_club: list[LogFact]
    tournaments: list[tuple[Tournament, Mapping[str, Iterable[LogFact]]]]
    """Each with the facts of its running matches, by their ids."""
    damaged: dict[str, Exception]
    """By id: why a tournament cannot be rebuilt."""


def read(
    of_club: Iterable[LogFact],
    unfinished: Iterable[str],
    tournament_facts: TournamentFacts,
    match_facts: MatchFacts,
    begun: Mapping[str, Tournament] = MappingProxyType({}),
) -> Recovered:
    """Rebuild the tournaments that are not over, on any thread. One that cannot be rebuilt is set aside.

    Those that are `begun` go on by the facts that `tournament_facts` gives of them.
    """
    recovered = Recovered(list(of_club), [], {})
    for tournament_id in unfinished:
        try:
            recovered.tournaments.append(_read(tournament_id, tournament_facts, match_facts, begun))
        except Exception as error:  # noqa: BLE001  # facts that are damaged, or contradict each other, raise anything
            recovered.damaged[tournament_id] = error
    return recovered


def take_up(arena: Arena, recovered: Recovered, *, names_are_whole: bool = True) -> None:
    """Fill a new arena: every fact about the club, every tournament that is not over, every match that was running.

    No away or absent time runs while the arena's grace lasts; time while the server was down is nobody's. Where facts
    about names are lost, no one may claim the name of a bot in the field of an unfinished tournament until the host
    resets its key.
    """
    for fact in recovered.of_club:
        if isinstance(fact, ServerFact):
            arena.recorder.take(fact)
    with arena.transaction():
        for tournament, facts in recovered.tournaments:
            _take_up(arena, tournament, facts)
            if not names_are_whole:
                _hold_names(arena, tournament)
        arena.lifecycle.damaged.update(recovered.damaged)
        arena.scheduler.settle_all()


def _read(
    tournament_id: str, tournament_facts: TournamentFacts, match_facts: MatchFacts, begun: Mapping[str, Tournament]
) -> tuple[Tournament, Mapping[str, Iterable[LogFact]]]:
    """Rebuild a tournament, and find the facts of its running matches. Raises anything if it is damaged."""
    tournament = rebuild_tournament(tournament_facts(tournament_id), begun.get(tournament_id))
    if tournament is None:
        raise ValueError("its creation is not in the log")
    if tournament.status == "lobby":
        tournament.config.make_openings()  # here, and not on the event loop when it begins
    running = {started.match for started in tournament.running.values()}
    return tournament, match_facts(tournament.id, running) if running else {}


def _take_up(arena: Arena, tournament: Tournament, facts: Mapping[str, Iterable[LogFact]]) -> None:
    arena.tournaments[tournament.id] = tournament
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
