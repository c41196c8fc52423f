"""Recovery: after a start, fill the arena from the log. No bot is connected yet; matches go on when bots log in again.

`read` needs no arena and no event loop; `restore_arena` fills the arena with the result of `read`.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rumble_server.arena.arena import Arena
from rumble_server.match.facts import MatchFact, MatchStarted
from rumble_server.match.rebuild import RebuiltMatch
from rumble_server.tournament.club_facts import ClubFact, HostTokensRemoved, NameUsed
from rumble_server.tournament.facts import LogFact
from rumble_server.tournament.rebuild import rebuild_tournament
from rumble_server.tournament.tournament import Tournament

log = logging.getLogger(__name__)

TournamentFacts = Callable[[str], Iterable[LogFact]]
"""Function that takes a tournament's id, and returns the facts from which the tournament is rebuilt."""
MatchFacts = Callable[[str, Collection[str]], Mapping[str, Iterable[LogFact]]]
"""Function that takes a tournament's id and ids of matches, and returns the facts of the matches by match id.

A match has the facts of all its attempts, in order.
"""


@dataclass(frozen=True, slots=True)
class Recovered:
    """The contents of a club's log: facts about the club, and its open tournaments."""

    of_club: list[LogFact]
    tournaments: list[tuple[Tournament, list[RebuiltMatch]]]
    """Open tournaments, each with its running matches."""
    damaged: dict[str, Exception]
    """The error of each tournament that cannot be rebuilt, by the tournament's id."""


def read(
    of_club: Iterable[LogFact],
    unfinished: Iterable[str],
    tournament_facts: TournamentFacts,
    match_facts: MatchFacts,
    begun: Mapping[str, Tournament] = MappingProxyType({}),
) -> Recovered:
    """Rebuild the open tournaments and their running matches. May run on any thread.

    A tournament that cannot be rebuilt is put into `damaged`.

    `begun` has tournaments rebuilt from earlier facts, by id. For these, `tournament_facts` returns only the later
    facts.
    """
    recovered = Recovered(list(of_club), [], {})
    for tournament_id in unfinished:
        try:
            recovered.tournaments.append(_read(tournament_id, tournament_facts, match_facts, begun))
        except Exception as error:  # noqa: BLE001  # damaged or contradictory facts raise any error
            recovered.damaged[tournament_id] = error
    return recovered


def restore_arena(
    arena: Arena, recovered: Recovered, *, lost_rows: Collection[int] = (), played_before: Iterable[str] = ()
) -> None:
    """Fill a new arena with the club's state, the open tournaments and the running matches of `recovered`.

    A tournament that cannot be taken up is put into `damaged`.

    No away or absent budget runs during the arena's grace, and none ran while the server was down.

    `lost_rows` are the numbers of damaged rows, whose facts about the club are lost. If rows are lost, all earlier host
    tokens become invalid. The names of bots in open tournaments, and the names in `played_before`, may have lost their
    keys, too. No bot may claim such a name until the host resets the name's key.
    """
    for fact in recovered.of_club:
        if isinstance(fact, ClubFact):
            arena.recorder.apply(fact)
    with arena.transaction:
        for tournament, running in recovered.tournaments:
            try:
                _add_tournament(arena, tournament, running)
            except Exception as error:  # the other tournaments go on
                log.exception("tournament %s cannot be taken up", tournament.id)
                recovered.damaged[tournament.id] = error
                _remove_tournament(arena, tournament)
            if lost_rows:
                _reserve_names(arena, tournament.field)
        if lost_rows:
            _reserve_names(arena, played_before)
            arena.recorder.record(HostTokensRemoved(tuple(lost_rows), arena.clock.now_ms()))
        arena.tournaments.damaged.update(recovered.damaged)
        arena.scheduler.settle_all()


def _read(
    tournament_id: str, tournament_facts: TournamentFacts, match_facts: MatchFacts, begun: Mapping[str, Tournament]
) -> tuple[Tournament, list[RebuiltMatch]]:
    """Rebuild a tournament and its running matches. For a damaged tournament, errors of any type may be raised."""
    tournament = rebuild_tournament(tournament_facts(tournament_id), begun.get(tournament_id))
    if tournament is None:
        raise ValueError("its creation is not in the log")
    if tournament.status == "lobby":
        tournament.config.make_openings()  # here, since making openings would hold up the event loop at the start
    running = list(tournament.running.values())
    facts = match_facts(tournament.id, {each.match for each in running}) if running else {}
    control = tournament.control
    return tournament, [RebuiltMatch(each, control, facts_of_attempt(each, facts[each.match])) for each in running]


def _add_tournament(arena: Arena, tournament: Tournament, running: Iterable[RebuiltMatch]) -> None:
    arena.tournaments.add(tournament)
    tournament.mark_all_absent(arena.lifecycle.absent_from_ms())
    for name, entrant in tournament.field.items():
        player = arena.players.get_or_add(name)
        if not tournament.is_over and not entrant.withdrawn:
            player.tournaments[tournament.id] = tournament
    for rebuilt in running:
        arena.matches.go_on(rebuilt)


def _remove_tournament(arena: Arena, tournament: Tournament) -> None:
    """Take a tournament out of the arena that was perhaps taken up in part. No match of the tournament goes on."""
    arena.matches.stop_tournament(tournament)
    for player in arena.players:
        player.tournaments.pop(tournament.id, None)
    arena.tournaments.forget(tournament.id)


def _reserve_names(arena: Arena, names: Iterable[str]) -> None:
    for name in names:
        if arena.names.get(name) is None:
            arena.recorder.record(NameUsed(name, "", "", arena.clock.now_ms()))  # no key has an empty digest


def facts_of_attempt(started: MatchStarted, facts: Iterable[LogFact]) -> list[MatchFact]:
    """Return the facts of the attempt begun by `started`, without `started`."""
    return [
        fact
        for fact in facts
        if isinstance(fact, MatchFact) and fact.attempt == started.attempt and not isinstance(fact, MatchStarted)
    ]
