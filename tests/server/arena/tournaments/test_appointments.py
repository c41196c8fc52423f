"""Bots in several tournaments: a match that has waited too long keeps a place, and no bot idles without bound."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from types import FrameType

import pytest
from rumble_server.arena.tournaments.appointments import OWES_AFTER, Appointments
from rumble_server.arena.tournaments.scheduler import STARTS_AT_ONCE
from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.tournament.facts import RoundPaired

from tests.server.arena.playing import at_random, audited, numbered
from tests.server.world import World

Fields = Sequence[tuple[str, Sequence[str]]]
"""Tournaments by format and bots."""
SIX = "abcdef"
EVENINGS: dict[str, tuple[Fields, str, int]] = {  # with the slow bot, and the cycles of each round-robin
    "one field in three": ([("round-robin", SIX), ("round-robin", SIX), ("swiss", SIX)], "", 6),
    "one field in six": (
        [(each, SIX) for each in ("round-robin", "round-robin", "swiss", "swiss", "knockout", "gauntlet")],
        "",
        4,
    ),
    "one bot is slow": ([(each, SIX) for each in ("round-robin", "round-robin", "swiss", "knockout")], "a", 4),
    "fields of their own, and a common one": (
        [("round-robin", "abcd"), ("round-robin", "efgh"), ("swiss", "abcdefgh")],
        "",
        10,
    ),
    "fields that overlap, a slow bot": (
        [("round-robin", SIX), ("swiss", "cdefgh"), ("knockout", "efghab"), ("swiss", "abcdefgh")],
        "e",
        4,
    ),
}


def begin(fields: Fields, slow: str = "", cycles: int = 4, *, varied: bool = True) -> World:
    """Start tournaments whose bots have a place each."""
    world = World(delay_ms=3)
    tournaments = [
        world.create(name=f"T{number}", format=each, legs=1, cycles=cycles if each == "round-robin" else 1)
        for number, (each, _) in enumerate(fields)
    ]
    for name in sorted(set().union(*(field for _, field in fields))):
        bot, random, think_ms = world.login(name, max_matches=1), Random(name), 2_000 if name in slow else 100
        for tournament, (_, field) in zip(tournaments, fields, strict=True):
            if name in field:
                bot.say(type="join", tournament=tournament.id)
        bot.play(at_random(name), lambda r=random, ms=think_ms: ms + r.randrange(ms) * varied)  # type: ignore[misc]
    for tournament in tournaments:
        world.organiser.start(tournament.id)
    return world


def most_passed(world: World) -> int:
    """Return the maximum number of matches that a bot began elsewhere between a round's pairing and its match there."""
    begun: Counter[str] = Counter()
    since: dict[tuple[str, str], int] = {}
    most = 0
    for fact in world.log.facts:
        if isinstance(fact, RoundPaired):
            bots = numbered(world.tournament(fact.tournament))
            names = [bots[each] for pairing in fact.pairings for each in (pairing.first, pairing.second)]
            since.update({(name, fact.tournament): begun[name] for name in names})
        elif isinstance(fact, MatchStarted):
            for name in fact.seats:
                most = max(most, begun[name] - since.pop((name, fact.tournament), begun[name]))
            begun.update(fact.seats)
    return most


def play(world: World, every_ms: int = 10_000_000, *, is_audited: bool = True) -> int:
    """Play to the end, audited on the way. Return the duration in ms."""
    tournaments, began_ms = list(world.arena.tournaments.values()), world.clock.now_ms()
    while any(each.status == "running" for each in tournaments):
        world.run(every_ms)
        if is_audited:
            assert [flag.message for each in tournaments for flag in audited(world, each).flags] == []
    assert all(each.status == "finished" for each in tournaments)
    return max(fact.at_ms for fact in world.log.facts if isinstance(fact, MatchOver)) - began_ms


@pytest.mark.parametrize("varied", [pytest.param(True, marks=pytest.mark.slow), False])
@pytest.mark.parametrize("kind", EVENINGS)
def test_no_tournament_is_passed_over_without_bound(kind: str, varied: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All bots play each round soon, and the whole takes no longer than without appointments."""
    fields, slow, cycles = EVENINGS[kind]
    kept = begin(fields, slow, cycles, varied=varied)
    took_ms = play(kept, every_ms=5_000 if slow else 2_000)
    with monkeypatch.context() as without:
        without.setattr(Appointments, "appoint_owed", lambda *_: None)
        greedy = begin(fields, slow, cycles, varied=varied)
        greedy_ms = play(greedy, is_audited=False)
    most = max(Counter(name for _, field in fields for name in field).values())
    assert most_passed(kept) <= (2 if slow else 1) * OWES_AFTER * most
    assert took_ms < 1.1 * greedy_ms


def test_the_same_seed_gives_the_same_schedule() -> None:
    worlds = [begin(*EVENINGS["fields that overlap, a slow bot"]) for _ in range(2)]
    assert play(worlds[0], is_audited=False) == play(worlds[1], is_audited=False)
    first, second = ([fact for fact in world.log.facts if isinstance(fact, MatchStarted)] for world in worlds)
    assert [(fact.match, fact.at_ms) for fact in first] == [(fact.match, fact.at_ms) for fact in second]


def kept_for_a_slow_one() -> World:
    """Return an evening in which `a` is kept for its match in `owed` with `s`, which plays a long match elsewhere."""
    world = World(delay_ms=3)
    for name, field, cycles in (("quick", "abcd", 50), ("long", "sz", 9), ("owed", "as", 1)):
        world.create(name=name, cycles=cycles, legs=1)
        for each in field:
            player = world.arena.players.get(each)
            if player is None:
                bot = world.login(each, max_matches=1, join=name)
                bot.play(at_random(each), lambda ms=9_000 if each in "sz" else 100: ms)  # type: ignore[misc]
            else:
                world.arena.lifecycle.join(player, world.tournament(name))
    for name in ("quick", "long"):
        world.organiser.start(name)
    world.run(50)
    world.organiser.start("owed")
    a, s = world.arena.players.of("as")
    while a.reserved_for is None:
        assert world.clock.step()
    assert s.reserved_for == a.reserved_for
    return world


def plays_quickly(world: World) -> bool:
    """Return true if `a` is in a match of `quick`, and kept for no other match."""
    a = world.arena.players["a"]
    return a.reserved_for is None and all(each.startswith("quick") for each in a.matches()) and a.is_playing


def test_appointment_lasts_no_longer_than_its_match_has_waited() -> None:
    world = kept_for_a_slow_one()
    a, owed, clock = world.arena.players["a"], world.tournament("owed"), world.clock
    lapsed = 0

    def is_kept() -> bool:
        return a.reserved_for is not None

    while not owed.running:
        was_kept, since_ms = is_kept(), clock.now_ms()
        while is_kept():
            assert clock.step()
        if was_kept:
            assert clock.now_ms() - since_ms <= since_ms - (owed.started_at_ms or 0)
            lapsed += not owed.running
        assert clock.step()
    assert lapsed > 0


def _session_of(world: World, name: str) -> int:
    (session,) = world.arena.players[name].sessions.values()
    return session.id


def _end_while_a_crowd_starts(world: World) -> None:
    """End the tournament when the scheduler's budget is spent, so that its end is on disk before it is settled."""
    world.create(name="crowd")
    for number in range(2 * STARTS_AT_ONCE):
        world.login(f"bot-{number}", join="crowd")
    world.organiser.start("crowd")
    world.organiser.end("owed", cancelled=True)
    world.log.write(world.log.last)
    assert "owed" not in world.arena.tournaments


BREAKS: dict[str, Callable[[World], None]] = {
    "its opponent drops": lambda world: world.arena.on_disconnect(_session_of(world, "s")),
    "its opponent is removed": lambda world: world.organiser.remove("owed", "s"),
    "the tournament is paused": lambda world: world.organiser.pause("owed", "tea"),
    "the tournament is cancelled": lambda world: world.organiser.end("owed", cancelled=True),
    "the tournament is cancelled while others start": _end_while_a_crowd_starts,
}


@pytest.mark.parametrize("what", BREAKS)
def test_a_bot_is_kept_no_longer_for_a_match_that_cannot_begin(what: str) -> None:
    world = kept_for_a_slow_one()
    BREAKS[what](world)
    world.run(4)
    assert plays_quickly(world)
    assert world.arena.players["s"].reserved_for is None


def calls_per_match(bots: int) -> float:
    """Return the number of calls of functions of the scheduler and its parts for each match of an evening."""
    parts = ("tournaments/appointments.py", "bots/player.py", "tournaments/scheduler.py", "tournament/agenda.py")
    names = [f"b{number}" for number in range(bots)]
    world = begin([("round-robin", names)] * 3, cycles=150 // bots)
    world.run(1_000)
    begun, calls = len(world.log.facts), 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code.co_filename.endswith(parts)

    sys.setprofile(count)
    try:
        world.run(6_000)
    finally:
        sys.setprofile(None)
    return calls / sum(isinstance(fact, MatchStarted) for fact in world.log.facts[begun:])


def test_a_match_costs_the_same_in_any_field() -> None:
    assert calls_per_match(60) < 1.1 * calls_per_match(10)
