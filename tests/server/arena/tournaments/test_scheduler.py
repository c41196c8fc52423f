"""The scheduler: which matches start when, and how much work an iteration of the event loop has."""

from functools import partial

import pytest
from rumble_protocol.fields import TimeControl
from rumble_server.arena.bots.player import Players
from rumble_server.arena.tournaments.scheduler import STARTS_AT_ONCE
from rumble_server.tournament.tournament import Tournament

from tests.server.arena.playing import (
    NAMES,
    assert_all_was_played,
    enter,
    first_legal,
)
from tests.server.failing import note_calls
from tests.server.world import World

# --- no round barrier, no starvation ---


@pytest.mark.parametrize("bots", [2, 3, 5])
def test_a_bot_of_one_match_at_a_time_plays_all_its_tournaments_in_turn(bots: int) -> None:
    world = World()
    both = [world.create(name=name, start_at_bots=bots, cycles=20 // bots) for name in ("Friday", "Saturday")]
    for bot in enter(world, both[0].id, *NAMES[:bots], max_matches=1):
        bot.say(type="join", tournament=both[1].id)
    looked = 0
    while world.clock.step():
        played = [len(tournament.results) for tournament in both]
        if all(tournament.status == "running" for tournament in both):
            assert abs(played[0] - played[1]) <= 2 * bots, "one of them starves"
            looked += 1
    assert looked > 100
    for tournament in both:
        assert_all_was_played(tournament)


def test_one_slow_bot_does_not_slow_bots_that_can_play_another_match_meanwhile() -> None:
    def ends_at_ms(slow: int) -> int:
        world = World()
        tournament = world.create(start_at_bots=5, legs=1, time_control=TimeControl(move_ms=60_000))
        for name in NAMES[:5]:
            think_ms = partial(int, slow if name == "ann" else 10)
            world.player(name, first_legal, think_ms, join=tournament.id, max_matches=2)
        world.run()
        assert_all_was_played(tournament)
        return max(over.at_ms for over in tournament.results.values() if "ann" not in over.seats)

    assert ends_at_ms(slow=50_000) - ends_at_ms(slow=10) < 1000


# --- the work of an iteration ---


def test_many_matches_start_a_few_at_a_time_so_that_the_loop_can_breathe() -> None:
    world = World()
    tournament = world.create(legs=1)
    bots = [world.login(f"bot-{number}", join=tournament.id) for number in range(2 * STARTS_AT_ONCE + 20)]
    world.organiser.start(tournament.id)
    assert len(world.arena.matches.live) == STARTS_AT_ONCE
    next(bot for bot in bots if "turn" in bot.inbox.kinds()).move("4")
    assert len(world.arena.matches.live) == STARTS_AT_ONCE, "a move starts no match"
    world.run(0)
    assert len(world.arena.matches.live) == STARTS_AT_ONCE + 10


def test_the_rounds_of_a_large_field_are_pulled_a_few_at_a_time_so_that_the_loop_can_breathe() -> None:
    world = World()
    tournament = world.create(legs=16)
    for number in range(320):
        world.login(f"bot-{number}", join=tournament.id).drop()
    world.organiser.start(tournament.id)
    assert tournament.agenda is not None
    first = len(tournament.agenda.open)
    assert first == 2_560
    world.run(0)
    world.login(tournament.agenda.bots[0])
    assert len(tournament.agenda.open) == 2 * first
    world.run(0)
    assert len(tournament.agenda.open) == 16 * first


def test_many_events_of_an_iteration_start_no_more_matches_than_one() -> None:
    world = World()
    tournament = world.create()
    bots = [world.login(f"bot-{number}", join=tournament.id, max_matches=4) for number in range(3 * STARTS_AT_ONCE)]
    for bot in bots[:20]:
        bot.drop()
    world.organiser.start(tournament.id)
    for bot in bots[:20]:
        world.login(bot.name, max_matches=4)
    assert len(world.arena.matches.live) == STARTS_AT_ONCE
    world.run(0)
    assert len(world.arena.matches.live) > 5 * STARTS_AT_ONCE


def test_tournaments_left_for_the_next_iteration_keep_their_order() -> None:
    world = World()
    for name in ("Crowd", "Friday", "Saturday"):
        world.create(name=name)
    for number in range(2 * STARTS_AT_ONCE + 2):
        world.login(f"bot-{number}", join="crowd")
    ann, ben = (world.login(name, join="saturday") for name in ("ann", "ben"))
    for bot in (ann, ben):
        bot.say(type="join", tournament="friday")
    for tournament_id in ("crowd", "friday", "saturday"):
        world.organiser.start(tournament_id)
    left = list(world.arena.recorder.unsettled)
    assert left == ["crowd", "friday", "saturday"]
    ann.drop()
    world.login("ann")
    assert list(world.arena.recorder.unsettled) == left, "else a tournament could be put last again and again"
    world.run(0)
    assert world.tournament("friday").running


def test_an_event_costs_nothing_in_tournaments_that_it_does_not_concern(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    for number in range(50):
        world.create(name=f"Club {number}", start_at_bots=2, time_control=TimeControl(move_ms=1_000_000))
    bots = [world.login(f"{name}{number}", join=f"club-{number}") for number in range(50) for name in ("ann", "ben")]
    world.clock.advance(100)
    assert len(world.arena.matches.live) == 50
    looked_at = note_calls(monkeypatch, Tournament, "due")
    bots[14].say(type="resign", match=next(iter(world.tournament("club-7").running)))
    world.clock.advance(10)
    bots[14].drop()
    world.clock.advance(10)
    assert {tournament.id for tournament, *_ in looked_at} == {"club-7"}
    assert len(looked_at) < 10


def test_a_bot_that_comes_back_in_a_pause_costs_the_same_in_any_field(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    _, (ann, *_) = world.begun(*NAMES[:6])
    world.organiser.pause("friday", "lunch")
    looked_up = note_calls(monkeypatch, Players, "of")
    ann.drop()
    world.login("ann")
    assert all(set(names) <= {"ann"} for _, names in looked_up)
