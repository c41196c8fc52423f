"""Openings, starts and late entrances in a world of bots, through crashes."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from rumble_engine import Termination
from rumble_protocol.codes import ErrorCode
from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.match.match_id import MatchId
from rumble_server.tournament import commands
from rumble_server.tournament.agenda import Agenda
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.pairs.plan import Plan, Round
from rumble_server.tournament.pairs.queue import LOOK_AHEAD, MOST_IN_SIGHT
from rumble_server.tournament.pairs.round_robin import RoundRobin
from rumble_server.tournament.tournament import Tournament

from tests.needs import long_or
from tests.server.arena.playing import assert_log_rebuilds, numbered
from tests.server.arena.test_formats_in_play import log_in, names, status, through_crashes
from tests.server.frames import Frame
from tests.server.tournament.leader import Leader
from tests.server.world import World

MINUTE = 60_000


def same_move_every_time(turn: Frame) -> str:
    """Choose a move by the position and the seat alone."""
    return str(Random(f"{turn['seat']}.{turn['state']}").choice(turn["legal"]))


# --- openings ---


@pytest.mark.parametrize(("cycles", "legs"), [(1, 4), (2, 2), (4, 1), (3, 2), (2, 3)])
def test_every_pair_plays_the_same_openings_each_from_both_seats(cycles: int, legs: int) -> None:
    world = through_crashes(cycles, 4, cycles=cycles, legs=legs)
    tournament = world.tournament("friday")
    played: dict[frozenset[str], list[tuple[tuple[int, int], tuple[str, ...], str]]] = {}
    for fact in world.log.facts:
        if isinstance(fact, MatchStarted):
            match_id = MatchId.parse(fact.match)
            entry = ((match_id.cycle, match_id.leg), fact.moves, fact.seats[0])
            played.setdefault(frozenset(fact.seats), []).append(entry)
    lists = {tuple(moves for _, moves, _ in sorted(entries)) for entries in played.values()}
    assert len(played) == 6
    (openings,) = lists
    assert len(openings) == cycles * legs
    assert set(openings) == set(tournament.openings)
    assert openings[0] == ()
    assert len(set(openings)) == len(tournament.openings) == (cycles * legs + 1) // 2
    for entries in played.values():
        firsts = Counter((moves, first) for _, moves, first in entries)
        assert set(firsts.values()) == {1}, "an opening twice from the same seat"
    for match, over in tournament.results.items():
        started = next(f for f in world.log.facts if isinstance(f, MatchStarted) and f.match == match)
        assert over.moves[: len(started.moves)] == started.moves


def played_alike(bots: int, **config: Any) -> Tournament:
    """Return a tournament of deterministic bots, played to the end."""
    world = World()
    tournament = world.create(start_at_bots=bots, **config)
    for name in names(bots):
        world.player(name, same_move_every_time, join="friday")
    world.run()
    return tournament


@pytest.mark.parametrize("game", ["tictactoe", "connect4"])
@pytest.mark.parametrize("openings", ["auto", "suite"])
def test_two_deterministic_bots_never_play_one_match_twice(game: str, openings: str) -> None:
    tournament = played_alike(3, cycles=10, game=game, openings=openings)
    assert (tournament.status, len(tournament.results)) == ("finished", 60)
    assert len({(over.seats, over.moves) for over in tournament.results.values()}) == 60


def test_without_openings_two_deterministic_bots_play_one_match_twice() -> None:
    tournament = played_alike(2, cycles=2, openings="none")
    assert tournament.openings == ()
    assert len({(over.seats, over.moves) for over in tournament.results.values()}) == 2


def test_a_list_of_openings_is_played_in_its_order_and_again_from_the_start() -> None:
    world = World()
    world.create(start_at_bots=2, cycles=3, openings=[["4"], ["0", "8"]])
    log_in(world, names(2))
    world.run()
    started = [fact.moves for fact in world.log.facts if isinstance(fact, MatchStarted)]
    assert started == [("4",), ("4",), ("0", "8"), ("0", "8"), ("4",), ("4",)]


def test_a_resumed_match_keeps_its_opening_and_the_ply_counts_it() -> None:
    world = World()
    world.create(start_at_bots=2, legs=1, openings=[["4", "0", "8"]])
    bots = {bot.name: bot for bot in world.logins(*names(2), join="friday")}
    (started,) = (fact for fact in world.log.facts if isinstance(fact, MatchStarted))
    first, second = (bots[name] for name in started.seats)
    assert first.last("match_start")["moves"] == ["4", "0", "8"]
    turn = second.last("turn")
    assert (turn["ply"], turn["seat"], turn["moves"], first.inbox.all("turn")) == (3, 1, ["4", "0", "8"], [])
    second.move("2")
    after = world.after_crash()
    bots = {name: after.login(name) for name in names(2)}
    for bot in bots.values():
        start = bot.last("match_start")
        assert (start["resumed"], start["moves"]) == (True, ["4", "0", "8", "2"])
    first = bots[started.seats[0]]
    assert (first.last("turn")["ply"], first.last("turn")["moves"]) == (4, ["4", "0", "8", "2"])
    first.say(type="resign", match=started.match)
    assert first.last("match_over")["moves"] == ["4", "0", "8", "2"]


def test_a_match_that_is_played_again_has_the_opening_it_had() -> None:
    world = World()
    tournament = world.create(start_at_bots=2, cycles=2)
    log_in(world, names(2))
    world.organiser.pause("friday", "not to end before")
    world.run(1_000)
    world.organiser.resume("friday")
    while "friday.2.1.1.1" not in tournament.running:
        world.clock.step()
    world.organiser.play_again("friday.2.1.1.1")
    world.run()
    attempts = [f for f in world.log.facts if isinstance(f, MatchStarted) and f.match == "friday.2.1.1.1"]
    assert [started.attempt for started in attempts] == [1, 2]
    assert {started.moves for started in attempts} == {tournament.openings[1]} != {()}


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


def test_a_tournament_at_its_time_waits_for_two_bots_and_starts_with_the_second() -> None:
    world = World()
    tournament = world.create(start_at_ms=world.clock.now_ms() + MINUTE)
    world.login("ann", join="friday")
    world.run(10 * MINUTE)
    assert status(tournament) == "lobby"
    assert not world.clock.step(), "nothing is due: nobody waits by asking again and again"
    world.login("ben", join="friday")
    assert status(tournament) == "running"


def test_a_bot_that_leaves_before_the_time_leaves_too_few_for_a_start() -> None:
    world = World()
    tournament = world.create(start_at_ms=world.clock.now_ms() + MINUTE)
    ann, _ = world.logins("ann", "ben", join="friday")
    ann.say(type="leave", tournament="friday")
    world.run(10 * MINUTE)
    assert status(tournament) == "lobby"


def test_enough_bots_start_a_tournament_before_its_time() -> None:
    world = World()
    tournament = world.create(start_at_ms=world.clock.now_ms() + MINUTE, start_at_bots=3)
    world.logins("ann", "ben", join="friday")
    assert status(tournament) == "lobby"
    world.login("cid", join="friday")
    assert status(tournament) == "running"
    world.run(2 * MINUTE)
    assert tournament.started_at_ms == 1_000_000


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


def test_the_host_needs_two_bots_too() -> None:
    world = World()
    world.create(start_at_ms=world.clock.now_ms() + MINUTE)
    world.login("ann", join="friday")
    with pytest.raises(CommandRefused) as refused:
        world.organiser.start("friday")
    assert refused.value.code is ErrorCode.TOURNAMENT_CLOSED


# --- entering late ---


@pytest.mark.parametrize("seed", range(long_or(10, 30)))
def test_a_late_bot_meets_everyone_as_often_as_the_others_meet(seed: int) -> None:
    """Crashes and withdrawals happen on the way. Seats differ by one at most for each pair and for each bot."""
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
    pairs = Counter[tuple[str, str]]()
    for over in tournament.results.values():
        pairs[over.seats[0], over.seats[1]] += 1
    for one, other in ((one, other) for one in inside for other in inside if one < other):
        assert abs(pairs[one, other] - pairs[other, one]) <= (cycles * legs) % 2
    for bot in inside:
        firsts = sum(over.seats[0] == bot for over in tournament.results.values())
        seconds = sum(over.seats[1] == bot for over in tournament.results.values())
        assert abs(firsts - seconds) <= 1
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


def test_a_bot_leaves_and_another_enters_later() -> None:
    world = World()
    tournament = world.create(start_at_bots=3, late_join=True, legs=1)
    world.login("slow", join="friday")
    ann, _ = log_in(world, ["ann", "ben"])
    ann.say(type="leave", tournament="friday")
    world.run(1_000)
    (eve,) = log_in(world, ["eve"])
    assert eve.last("joined")["status"] == "running"
    ann.say(type="join", tournament="friday")
    assert ann.error() == "tournament_closed"
    world.run()
    assert status(tournament) == "finished"
    with_eve = {frozenset(over.seats) - {"eve"}: over for over in tournament.results.values() if "eve" in over.seats}
    assert {next(iter(names)): over.termination for names, over in with_eve.items()} == {
        "ann": Termination.NO_SHOW,
        "ben": Termination.NORMAL,
        "slow": Termination.TIMEOUT,
    }


def test_nobody_enters_late_where_the_host_does_not_say_so_or_after_the_end() -> None:
    world = World()
    world.create(start_at_bots=2)
    world.create(name="Open", start_at_bots=2, late_join=True)
    log_in(world, names(2), "friday", "open")
    assert world.login("eve", join="friday").error() == "tournament_closed"
    world.run()
    assert world.login("eve", join="open").error() == "tournament_closed"


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
