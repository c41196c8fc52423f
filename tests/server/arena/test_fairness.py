"""Round-robins with slow bots: no bot is passed over or idles without need, and the audit has no flag."""

from functools import partial
from random import Random

import pytest
from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.tournament.audit import Audit
from rumble_server.tournament.history import audit_facts, context_of

from tests.server.world import World

FAST_MS, SLOW_MS = 10, 500


def evening(bots: int, slow: int, cycles: int) -> Audit:
    """Play a round-robin of bots with a place each, of which the first `slow` think long, and audit it."""
    world, random = World(delay_ms=3), Random(bots)
    tournament = world.create(cycles=cycles)
    for number in range(bots):
        bot = world.login(f"b{number}", join=tournament.id, max_matches=1)
        think_ms = range(SLOW_MS, SLOW_MS + 5) if number < slow else range(FAST_MS, FAST_MS + 5)
        bot.play(lambda turn: random.choice(turn["legal"]), partial(random.choice, think_ms))
    world.organiser.start(tournament.id)
    world.run()
    assert tournament.status == "finished"
    facts = [fact for fact in world.log.facts if isinstance(fact, MatchStarted | MatchOver)]
    return audit_facts(facts, context_of(tournament, world.clock.now_ms()))


@pytest.mark.parametrize("slow", [0, 1, 2])
@pytest.mark.parametrize("bots", [3, 4, 5, 6, 8, pytest.param(16, marks=pytest.mark.slow)])
def test_nobody_is_passed_over_beside_slow_bots(bots: int, slow: int) -> None:
    found = evening(bots, slow, cycles=3 if bots > 6 else 6)
    assert found.flags == ()
    assert max(bot.passed_over for bot in found.bots.values()) <= 1


def test_two_idle_bots_play_on_though_their_matches_with_slow_ones_pile_up() -> None:
    found = evening(8, 2, cycles=6)
    assert max(bot.needless_wait_ms for bot in found.bots.values()) < FAST_MS
