"""After a start: the arena as the log left it. Nobody is connected; what was running goes on when bots come back."""

from collections.abc import Callable, Iterable

from rumble_server.arena.arena import Arena
from rumble_server.arena.player import Player
from rumble_server.match.facts import MatchFact, MatchStarted
from rumble_server.match.referee import Referee
from rumble_server.tournament.facts import LogFact, NameFact
from rumble_server.tournament.rebuild import rebuild_tournament
from rumble_server.tournament.tournament import OVER


def recover(
    arena: Arena,
    names: Iterable[LogFact],
    tournaments: Iterable[Iterable[LogFact]],
    match_facts: Callable[[str], Iterable[LogFact]],
) -> None:
    """Fill a new arena: every name, every tournament that is not over, every match that was running.

    For `arena.grace_ms` from now no away or absent time runs; time while the server was down is nobody's.
    """
    now_ms = arena.clock.now_ms()
    grace_until_ms = arena.floor.nobody_away_before_ms = now_ms + arena.grace_ms
    for fact in names:
        if isinstance(fact, NameFact):
            arena.names.apply(fact)
    for facts in tournaments:
        tournament = rebuild_tournament(facts)
        if tournament is None:
            continue
        arena.tournaments[tournament.id] = tournament
        tournament.nobody_there(grace_until_ms)
        if tournament.paused_by_disk:
            arena.record(tournament, tournament.unpause(now_ms))
        for name in tournament.field:
            player = arena.players.setdefault(name.casefold(), Player(name))
            if tournament.status not in OVER and not tournament.field[name].withdrawn:
                player.tournaments[tournament.id] = tournament
        for started in list(tournament.running.values()):
            referee = resumed_referee(arena, started, match_facts(started.match), now_ms, grace_until_ms)
            arena.floor.go_on(referee, arena.players_of(started.seats))
    arena.settle_all()


def resumed_referee(
    arena: Arena, started: MatchStarted, facts: Iterable[LogFact], now_ms: int, grace_until_ms: int
) -> Referee:
    """The referee of a match that was running, from the facts of its current attempt."""
    own = [
        fact
        for fact in facts
        if isinstance(fact, MatchFact) and fact.attempt == started.attempt and not isinstance(fact, MatchStarted)
    ]
    return Referee.resume([started, *own], arena.floor.new_turn_id, now_ms=now_ms, nobody_away_before_ms=grace_until_ms)
