"""Bots that play whole tournaments of a world, and checks of these tournaments."""

from collections import Counter
from random import Random
from typing import Any

from rumble_engine import Termination, get_game
from rumble_server.tournament.tournament import Tournament

from tests.server.frames import Frame
from tests.server.tournament.rounds import round_robin
from tests.server.world import Bot, World

NAMES = ("ann", "ben", "cid", "dan", "eve", "fay", "gus")


def at_random(seed: object) -> Any:
    """Return a player that chooses any legal move."""
    random = Random(str(seed))
    return lambda turn: random.choice(turn["legal"])


def first_legal(turn: Frame) -> str:
    return str(turn["legal"][0])


def enter(world: World, tournament: Tournament, *names: str, **login: Any) -> list[Bot]:
    """Return bots that play at random and have joined the tournament."""
    bots = []
    for name in names:
        bot = world.connect()
        bot.play(at_random(name))
        bot.login(name, join=tournament.id, **login)
        bots.append(bot)
    return bots


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
