"""Evenings on virtual time, audited every second and at the end: ordinary evenings, and one with a starved bot."""

from collections.abc import Callable, Set
from random import Random

import pytest
from rumble_server.match.facts import MatchOver
from rumble_server.tournament.pairs.queue import PairQueue
from rumble_server.tournament.slot import Slot
from rumble_server.tournament.tournament import Tournament

from tests.server.arena.playing import audited
from tests.server.world import Bot, World

NAMES = tuple("abcdef")


def players(world: World, tournaments: list[Tournament], names: tuple[str, ...] = NAMES, slow_ms: int = 0) -> None:
    """Connect bots that join all tournaments and have a place each; the first may be slow."""
    for number, name in enumerate(names):
        bot = world.login(name, max_matches=1)
        for tournament in tournaments:
            bot.say(type="join", tournament=tournament.id)
        plays(bot, slow_ms if slow_ms and number == 0 else 100)


def plays(bot: Bot, think_ms: int) -> None:
    random = Random(bot.name)
    bot.play(lambda turn: random.choice(turn["legal"]), lambda: think_ms + random.randrange(think_ms))


def run(world: World, *tournament_ids: str) -> set[str]:
    """Play to the end, and return the kinds of flags of the audits on the way."""
    told: set[str] = set()
    tournaments = [world.tournament(each) for each in tournament_ids]
    while any(each.status == "running" for each in tournaments):
        world.run(1_000)
        told |= {flag.message for each in tournaments for flag in audited(world, each).flags}
    assert all(each.status == "finished" for each in tournaments)
    return told


@pytest.mark.parametrize("format_", ["round-robin", "swiss", "knockout"])
def test_nobody_is_accused_beside_a_bot_that_thinks_longer(format_: str) -> None:
    world = World(delay_ms=3)
    tournament = world.create(format=format_, legs=1, cycles=2 if format_ == "round-robin" else 1)
    players(world, [tournament], slow_ms=3_000)
    world.organiser.start(tournament.id)
    assert run(world, tournament.id) == set()


def test_nobody_is_accused_after_a_restart() -> None:
    world = World(delay_ms=3)
    tournament = world.create(cycles=2)
    players(world, [tournament])
    world.organiser.start(tournament.id)
    world.run(20_000)
    assert tournament.status == "running"
    overs = [number for number, fact in enumerate(world.log.facts, 1) if isinstance(fact, MatchOver)]
    again = world.after_crash(overs[-2], down_ms=3_000)  # two bots are free, and their next match has not begun
    told = set()
    for name in NAMES:
        again.run(1_500)
        plays(again.login(name, max_matches=1), 100)
        told |= {flag.message for flag in audited(again, again.tournament(tournament.id)).flags}
    assert told | run(again, tournament.id) == set()


def test_a_starved_bot_is_accused_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The schedule gives `a` no match while other bots have any to play."""
    oldest = PairQueue.oldest
    world = World(delay_ms=3)
    tournament = world.create(cycles=2)

    def unfair(q: PairQueue, bot: str, free: Set[str], gone: Set[str], room_of: Callable[[str], int]) -> Slot | None:
        assert tournament.agenda is not None
        left = [slot for slot in tournament.agenda.open.values() if "a" not in slot.seats]
        return (
            oldest(q, bot, free, gone, room_of)
            if not left
            else None
            if bot == "a"
            else oldest(q, bot, free - {"a"}, gone, room_of)
        )

    monkeypatch.setattr(PairQueue, "oldest", unfair)
    players(world, [tournament])
    world.organiser.start(tournament.id)
    run(world, tournament.id)
    (flag,) = audited(world, tournament).flags
    assert (flag.kind, flag.bot) == ("passed_over", "a")
