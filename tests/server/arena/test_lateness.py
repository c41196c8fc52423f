"""Lateness of the server: no clock pays for it, bots are told, and too much of it makes an attempt void."""

from typing import Any

import pytest
from rumble_engine import Termination
from rumble_protocol.fields import TimeControl
from rumble_server.limits.bounds import Bounds
from rumble_server.match.facts import MoveMade
from rumble_server.tournament.tournament import Tournament

from tests.server.arena.playing import first_legal
from tests.server.world import Bot, World

SLOW = {"move_ms": 60_000, "bank_ms": 0, "increment_ms": 0}


def playing(world: World, **given: Any) -> tuple[Tournament, list[Bot]]:
    """Return a tournament of a single running match, and the bots by seat."""
    control = TimeControl(**given.pop("time_control", SLOW))
    tournament = world.create(start_at_bots=2, legs=1, time_control=control, **given)
    bots = world.logins("ann", "ben", join=tournament.id, challenges=True)
    return tournament, sorted(bots, key=lambda bot: int(bot.last("match_start")["seat"]))


def stall_at_a_move(world: World, mover: Bot, ms: int = 10_001) -> None:
    world.clock.stall(ms)
    mover.move(first_legal(mover.last("turn")))


def test_a_stall_of_the_server_costs_nobody_a_match() -> None:
    world = World()
    tournament, bots = playing(world, time_control={"move_ms": 300})
    for bot in bots:
        bot.play(first_legal, lambda: 250)
    bots[0].move(first_legal(bots[0].last("turn")))
    world.run(100)
    world.clock.stall(4000)
    world.run()
    (over,) = tournament.results.values()
    assert (over.termination, over.at_fault) == (Termination.NORMAL, ())
    made = [fact.excused_ms for fact in world.log.facts if isinstance(fact, MoveMade)]
    assert sum(made) == sum(over.seats_excused_ms) == max(made) == 4000


def test_second_stalled_attempt_pauses_the_tournament_with_the_reason() -> None:
    world = World()
    tournament, bots = playing(world)
    stall_at_a_move(world, bots[0])
    assert (tournament.status, bots[0].last("match_start")["attempt"]) == ("running", 2)
    assert bots[1].last("match_over")["scores"] is None
    stall_at_a_move(world, bots[0])
    assert tournament.status == "paused"
    assert "was void 2 times: the server was late by 10001 ms" in tournament.reason
    world.organiser.resume(tournament.id)
    assert bots[0].last("match_start")["attempt"] == 3
    stall_at_a_move(world, bots[0])
    assert tournament.status == "paused"


def test_stalls_of_two_matches_pause_nothing() -> None:
    world = World()
    tournament = world.create(start_at_bots=2, legs=2, time_control=TimeControl(**SLOW))
    bots = world.logins("ann", "ben", join=tournament.id, max_matches=2)
    turns = {bot: bot.last("turn") for bot in bots}
    world.clock.stall(10_001)
    for bot, turn in turns.items():
        bot.move(first_legal(turn), turn=turn)
    assert [over.stalled for over in tournament.voided] == [True, True]
    assert tournament.status == "running"


def test_a_stall_and_the_hosts_abort_are_not_two_stalls() -> None:
    world = World()
    tournament, bots = playing(world)
    stall_at_a_move(world, bots[0])
    world.organiser.play_again(bots[0].last("match_start")["match"])
    stall_at_a_move(world, bots[0], 1)
    assert [over.stalled for over in tournament.voided] == [True, False]
    assert tournament.status == "running"


@pytest.mark.parametrize("restart", [False, True])
def test_a_challenge_that_stalls_twice_is_cancelled(restart: bool) -> None:
    world = World()
    ann, _ = world.logins("ann", "ben", challenges=True)
    ann.say(type="challenge", against="ben", game="tictactoe", seat=0)
    stall_at_a_move(world, ann)
    if restart:
        world = world.after_crash()
        ann, _ = world.logins("ann", "ben", challenges=True)
    stall_at_a_move(world, ann)
    assert ann.last("tournament_over")["status"] == "cancelled"
    assert "was void 2 times" in world.tournament("challenge-ann-ben").reason
    ann.say(type="challenge", against="ben", game="tictactoe")
    assert ann.inbox.frames[-1]["type"] != "error"


def stamped(
    world: World, waited_ms: list[int], *, is_exact: bool = True, bank_ms: int = 0, retries: int = 0
) -> tuple[Bot, Bot]:
    """Return two bots in a match of 300 ms a move whose answers' waiting times are known: first the bot on turn."""
    control = TimeControl(move_ms=300, bank_ms=bank_ms)
    tournament = world.create(start_at_bots=2, legs=1, time_control=control, illegal_retries=retries)
    link = {"measure_wait": lambda _ago_ms: (waited_ms[0], is_exact)}
    bots = [world.login(name, link, join=tournament.id) for name in ("ann", "ben")]
    bots.sort(key=lambda bot: not bot.inbox.all("turn"))
    return bots[0], bots[1]


@pytest.mark.parametrize(
    ("stall_ms", "waited_ms", "termination"),
    [(3000, 2690, None), (3000, 2689, Termination.TIMEOUT), (3000, 0, Termination.TIMEOUT), (315, 30, None)],
)
def test_a_bot_thinks_on_its_own_time_while_the_server_is_late(
    stall_ms: int, waited_ms: int, termination: Termination | None
) -> None:
    """The answer's waiting time before its reading is excused, give or take 10 ms; an accomplice gains no time."""
    world = World()
    mover, _ = stamped(world, [waited_ms])
    world.clock.stall(stall_ms)
    mover.move(first_legal(mover.last("turn")))
    tournament = world.tournament("friday")
    if termination is None:
        made = next(fact for fact in world.log.facts if isinstance(fact, MoveMade))
        assert made.excused_ms == max(waited_ms, stall_ms - 300)
        assert not tournament.results
    else:
        (over,) = tournament.results.values()
        assert over.termination is termination
        assert [frame["code"] for frame in mover.inbox.all("rejected")] == ["unknown_match"]


def test_a_wait_that_is_measured_before_a_verdict_is_followed_by_one_verdict() -> None:
    """The clock then runs out earlier than the timer was set for."""
    world = World()
    mover, _ = stamped(world, [95], retries=1)
    world.clock.stall(100)
    mover.link.waiting.append(lambda: mover.move("nonsense"))
    world.run()
    assert [frame["code"] for frame in mover.inbox.all("rejected")] == ["bad_move"]
    assert mover.last("match_over")["termination"] == Termination.TIMEOUT


def test_of_a_turn_from_before_a_suspension_all_lateness_is_excused() -> None:
    world = World()
    mover, _ = stamped(world, [0])
    world.clock.stall(3000)
    world.clock.suspended_until_ms = world.clock.now_ms()
    mover.move(first_legal(mover.last("turn")))
    assert [fact.excused_ms for fact in world.log.facts if isinstance(fact, MoveMade)] == [3000]


@pytest.mark.parametrize("waited_ms", [2800, 0])
def test_an_answer_in_doubt_is_in_time_if_the_lateness_was_longer_than_its_delay(waited_ms: int) -> None:
    """A bot with several matches answers all of them on one connection; the kernel has the time of the newest data."""
    world = World()
    mover, _ = stamped(world, [waited_ms], is_exact=False)
    world.clock.stall(3000)
    mover.move(first_legal(mover.last("turn")))
    assert [fact.excused_ms for fact in world.log.facts if isinstance(fact, MoveMade)] == [3000]
    (tournament,) = world.arena.tournaments.values()
    assert (tournament.voided, tournament.results) == ([], {})


def test_in_doubt_the_bank_is_not_charged_and_the_excuse_counts() -> None:
    world = World()
    mover, _ = stamped(world, [0], is_exact=False, bank_ms=20_000)
    world.clock.stall(9_000)
    mover.move(first_legal(mover.last("turn")))
    made = next(fact for fact in world.log.facts if isinstance(fact, MoveMade))
    assert (made.excused_ms, made.bank_ms) == (9_000, 20_000)
    (match,) = world.arena.matches.live.values()
    assert match.progress.excused_toward_void_ms == 9_000


def test_an_answer_whose_wait_is_known_makes_no_match_void() -> None:
    """A losing bot whose accomplice makes the server late gains nothing, because no bot thought in that time."""
    world = World()
    mover, waiter = stamped(world, [11_000])
    (tournament,) = world.arena.tournaments.values()
    for bot in (mover, waiter, mover):
        world.clock.stall(11_000)
        bot.move(first_legal(bot.last("turn")))
    assert not tournament.voided
    assert [fact.excused_ms for fact in world.log.facts if isinstance(fact, MoveMade)] == [11_000] * 3
    waiter.say(type="resign", match=waiter.last("turn")["match"])
    (over,) = tournament.results.values()
    assert sorted(over.seats_excused_ms) == [11_000, 22_000]


def test_reconnecting_while_the_server_is_late_gains_no_time() -> None:
    world = World()
    mover, _ = stamped(world, [0])
    world.clock.stall(3000)
    mover.drop()
    again = world.login(mover.name, {"measure_wait": lambda _ago_ms: (0, True)})
    assert again.last("turn")["clock"]["remaining_ms"] == 0


def test_how_much_may_be_excused_is_the_hosts_to_say() -> None:
    world = World(bounds=Bounds(excused_ms=20_000))
    tournament, bots = playing(world)
    stall_at_a_move(world, bots[0], 20_000)
    assert tournament.voided == []
    stall_at_a_move(world, bots[1], 251)
    assert len(tournament.voided) == 1


def test_lag_of_a_proxied_bot_has_a_budget() -> None:
    world = World(bounds=Bounds(proxied_lag_ms=150))
    tournament = world.create(start_at_bots=2, legs=1)
    links = {"ann": {"lag_ms": 100, "lag_by_pings": True}, "ben": {"lag_ms": 100}}
    bots = [world.login(name, link, join=tournament.id) for name, link in links.items()]
    for _ in range(6):
        mover = max(bots, key=lambda bot: bot.last("turn")["ply"] if bot.inbox.all("turn") else -1)
        mover.move(first_legal(mover.last("turn")))
    allowed = [[turn["clock"]["lag_ms"] for turn in bot.inbox.all("turn")] for bot in bots]
    assert allowed[0][:3] == [100, 50, 0]
    assert allowed[1][:3] == [100, 100, 100]
