"""Openings, starts and late entrances in a world of bots, through crashes."""

from collections import Counter
from random import Random

import pytest
from rumble_engine import Termination
from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.tournament import commands
from rumble_server.tournament.agenda import Agenda
from rumble_server.tournament.pairs.plan import Plan, Round
from rumble_server.tournament.pairs.queue import LOOK_AHEAD, MOST_IN_SIGHT
from rumble_server.tournament.pairs.round_robin import RoundRobin

from tests.needs import long_or
from tests.server.arena.playing import assert_log_rebuilds, numbered
from tests.server.arena.test_formats_in_play import log_in, names, status
from tests.server.tournament.leader import Leader
from tests.server.world import World

MINUTE = 60_000


# --- openings ---


def test_a_list_of_openings_is_played_in_its_order_and_again_from_the_start() -> None:
    world = World()
    world.create(start_at_bots=2, cycles=3, openings=[["4"], ["0", "8"]])
    log_in(world, names(2))
    world.run()
    started = [fact.moves for fact in world.log.facts if isinstance(fact, MatchStarted)]
    assert started == [("4",), ("4",), ("0", "8"), ("0", "8"), ("4",), ("4",)]


def test_a_match_lost_unplayed_is_told_with_its_opening_and_the_position_after() -> None:
    world = World()
    tournament, (ann, ben) = world.begun("ann", "ben", legs=1, cycles=2, openings=[["4", "0"]])
    ann.say(type="leave", tournament="friday")
    lost = list(tournament.results.values())[-1]
    assert (lost.termination, lost.moves) == (Termination.NO_SHOW, ("4", "0"))
    told = ben.last("match_over")
    assert (told["moves"], told["state"]) == (["4", "0"], {"board": "O...X...."})


# --- starting ---


def test_a_tournament_starts_at_its_time_once_and_not_before() -> None:
    world = World()
    tournament = world.create(start_at_ms=world.clock.now_ms() + MINUTE)
    world.logins(*names(3), join="friday")
    world.run(MINUTE - 1)
    assert status(tournament) == "lobby"
    world.run(1)
    assert (status(tournament), tournament.started_at_ms) == ("running", world.clock.now_ms())
    world.run()
    assert status(tournament) == "finished"


@pytest.mark.parametrize(("down_ms", "status"), [(MINUTE - 1, "lobby"), (MINUTE, "running"), (9 * MINUTE, "running")])
def test_the_time_of_a_start_passes_also_while_the_server_is_down(down_ms: int, status: str) -> None:
    world = World()
    world.create(start_at_ms=world.clock.now_ms() + MINUTE)
    world.logins("ann", "ben", join="friday")
    after = world.after_crash(down_ms=down_ms)
    assert after.tournament("friday").status == status
    after.run(1)
    assert after.tournament("friday").status == "running"


def test_a_second_tournament_starts_at_its_own_time() -> None:
    world = World()
    later = world.create(name="later", start_at_ms=world.clock.now_ms() + 2 * MINUTE)
    soon = world.create(name="soon", start_at_ms=world.clock.now_ms() + MINUTE)
    for bot in world.logins(*names(2), join="later"):
        bot.say(type="join", tournament="soon")
    world.run(MINUTE)
    assert (later.status, soon.status) == ("lobby", "running")
    world.run(MINUTE)
    assert later.status == "running"


# --- entering late ---


@pytest.mark.parametrize("seed", range(long_or(10, 30)))
def test_a_late_bot_meets_everyone_as_often_as_the_others_meet(seed: int) -> None:
    """Crashes and withdrawals happen on the way."""
    random = Random(seed)
    cycles, legs = random.randrange(1, 4), random.randrange(1, 3)
    early, late = random.randrange(2, 6), random.randrange(1, 4)
    world = World(seed=seed)
    world.create(start_at_bots=early, cycles=cycles, legs=legs, late_join=True)
    inside, leaving = names(early), random.randrange(2)
    bots = log_in(world, inside)
    for _ in range(60):
        for _ in range(random.randrange(20)):
            world.clock.step()
        tournament = world.tournament("friday")
        if tournament.status == "finished":
            break
        if late and random.random() < 0.3:
            inside.append(f"late-{late}")
            bots += log_in(world, inside[-1:])
            late -= 1
        elif leaving and random.random() < 0.2:
            random.choice(bots).say(type="leave", tournament="friday")
            leaving = 0
        elif random.random() < 0.1:
            world = world.after_crash(world.log.durable)
            bots = log_in(world, inside)
    world.run()
    tournament = world.tournament("friday")
    assert status(tournament) == "finished"
    assert sorted(numbered(tournament)) == sorted(inside)
    met = Counter(frozenset(over.seats) for over in tournament.results.values())
    assert len(met) == len(inside) * (len(inside) - 1) // 2
    assert set(met.values()) == {cycles * legs}
    assert tournament.matches_total == len(tournament.results)
    ids = Counter(f.match for f in world.log.facts if isinstance(f, MatchOver) and f.scores is not None)
    assert set(ids.values()) == {1}
    assert_log_rebuilds(world, tournament)


@pytest.mark.parametrize("early", long_or((2, 3, 4, 7), range(2, 8)))
@pytest.mark.parametrize("late", long_or((1, 2, 8), range(1, 9)))
@pytest.mark.parametrize("cycles", [1, 2, 3])
def test_late_entrants_have_ids_of_their_own_and_seats_within_one(early: int, late: int, cycles: int) -> None:
    agenda = Agenda("friday", tuple(names(early)), RoundRobin(Plan(early, cycles, legs=1)))
    for number in range(late):
        agenda.add_late_bot(f"late-{number}")
    count = len(agenda.open)
    pulled = agenda.add_next_round()
    while isinstance(pulled, Round):
        count += len(pulled.pairings)
        assert len(agenda.open) == count, "an id comes twice"
        pulled = agenda.add_next_round()
    assert count == agenda.matches_total
    for bot in agenda.bots:
        firsts = sum(slot.seats[0] == bot for slot in agenda.open.values())
        assert abs(2 * firsts - len(agenda.queue.waiting(bot))) <= 1


def test_bot_without_matches_has_its_whole_absent_budget_when_a_late_bot_enters() -> None:
    leader = Leader.started("ann", "ben", "cid", legs=1, absent_ms=1000, late_join=True)
    first, *_ = leader.due()
    leader.finish(first.match)
    played = leader.play_out()
    assert len(played) == 2
    leader.record(commands.void(leader.tournament, first.match, leader.now_ms))
    done = next(bot for bot in leader.tournament.field if bot not in first.seats)
    leader.go(done)
    leader.pass_ms(50_000)
    leader.join("eve")
    assert leader.tournament.field[done].absent_left_ms == 1000
    assert leader.tournament.wake_at_ms == leader.now_ms + 1000


def test_a_newcomer_has_no_more_of_the_schedule_pulled_and_does_not_hold_it_up() -> None:
    agenda = Agenda("friday", ("ann", "ben", "cid"), RoundRobin(Plan(3, 200, 1)))
    for number in range(LOOK_AHEAD + 2):
        agenda.add_late_bot(f"late-{number}")
        assert not agenda.may_add_round_for(f"late-{number}")
    assert len(agenda.queue.waiting("ann")) > LOOK_AHEAD
    pulls = 0
    while agenda.may_add_round_for("ann"):
        pulled = agenda.add_next_round()
        assert pulled is not None
        pulls += 1
    assert pulls == MOST_IN_SIGHT * 3 // 2
