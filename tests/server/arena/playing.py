"""Bots that play whole tournaments of a world, and checks of these tournaments."""

from collections import Counter
from random import Random
from typing import Any

from rumble_engine import Termination, get_game
from rumble_server.tournament.audit import Audit
from rumble_server.tournament.facts import tournament_of
from rumble_server.tournament.history import audit_facts, context_of
from rumble_server.tournament.rebuild import rebuild_tournament
from rumble_server.tournament.tournament import Tournament

from tests.server.frames import Frame
from tests.server.tournament.leader import dump
from tests.server.tournament.rounds import round_robin
from tests.server.world import Bot, World

NAMES = ("ann", "ben", "cid", "dan", "eve", "fay", "gus")


def at_random(seed: object) -> Any:
    """Return a player that chooses any legal move."""
    random = Random(str(seed))
    return lambda turn: random.choice(turn["legal"])


def first_legal(turn: Frame) -> str:
    return str(turn["legal"][0])


def enter(world: World, tournament_id: str, *names: str, **login: Any) -> list[Bot]:
    """Return bots that join the tournament at login, and play at random, in each run of the server in another way."""
    run = world.arena.matches.run_number
    return [world.player(name, at_random((name, run)), join=tournament_id, **login) for name in names]


def begun_at_random(world: World, *names: str, max_matches: int = 1, **config: Any) -> tuple[Tournament, list[Bot]]:
    """Create a tournament that starts with these bots, which play at random, and return both."""
    tournament = world.create(start_at_bots=len(names), **config)
    return tournament, enter(world, tournament.id, *names, max_matches=max_matches)


def schedule_ids(tournament: Tournament) -> set[str]:
    """Return the match ids of the schedule, computed from the tables alone."""
    config = tournament.config
    return {
        f"{tournament.id}.{each.cycle}.{each.round}.{each.board}.{leg}"
        for pairings in round_robin(len(tournament.field), config.cycles)
        for each in pairings
        for leg in range(1, config.legs + 1)
    }


def assert_all_was_played(tournament: Tournament) -> None:
    """Assert a result for each leg and cycle of every pairing, with shared seats, and scores that fit the moves."""
    assert tournament.status == "finished"
    config = tournament.config
    assert set(tournament.results) == schedule_ids(tournament)
    met = Counter(frozenset(over.seats) for over in tournament.results.values())
    assert set(met.values()) == {config.legs * config.cycles}
    assert len(met) == len(tournament.field) * (len(tournament.field) - 1) // 2
    for over in tournament.results.values():
        if over.termination is Termination.NORMAL:
            state = get_game(config.game).initial(config.settings)
            for move in over.moves:
                state = state.play(move)
            assert state.outcome is not None
            assert state.outcome.scores == over.scores


def assert_log_rebuilds(world: World, tournament: Tournament) -> None:
    rebuilt = rebuild_tournament(fact for fact in world.log.facts if tournament_of(fact) == tournament.id)
    assert rebuilt is not None
    assert dump(rebuilt) == dump(tournament)


def numbered(tournament: Tournament) -> tuple[str, ...]:
    """Return the bots of a tournament that has started, in the order of their numbers."""
    assert tournament.agenda is not None
    return tuple(tournament.agenda.bots)


def audited(world: World, tournament: Tournament) -> Audit:
    """Audit a tournament as the site does."""
    players = world.arena.players
    free = players.of(tournament.field.keys() & players.free(tournament.config.game))
    now = context_of(tournament, world.clock.now_ms(), {each.name: each.free_since_ms for each in free})
    return audit_facts([fact for fact in world.log.facts if tournament_of(fact) == tournament.id], now)
