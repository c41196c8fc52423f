"""The gate of a club: while the lease is over, nothing is told and clocks stand; then the club goes on."""

import time
from math import inf
from types import SimpleNamespace

import pytest
from rumble_engine import Termination
from rumble_protocol.codes import CloseCode
from rumble_protocol.fields import TimeControl
from rumble_protocol.server_messages import Limits
from rumble_server.gateway.gate import CALLS_AT_ONCE, MOST_FRAMES, Gate, GatedClock

from tests.server.arena.playing import assert_all_was_played, begun_at_random, first_legal
from tests.server.failing import calls_during, fail
from tests.server.gateway.sessions import playing
from tests.server.lease import HeldWhile
from tests.server.virtual_clock import VirtualClock
from tests.server.world import Bot, World


class Validity:
    """The validity of the node's lease."""

    valid = True

    def holds(self) -> bool:
        return self.valid


def led_by(lease: Validity) -> tuple[VirtualClock, Gate]:
    clock = VirtualClock()
    return clock, Gate(clock, HeldWhile(lease.holds), lambda: 0.0)


@pytest.fixture
def lease() -> Validity:
    return Validity()


@pytest.fixture
def world(lease: Validity) -> World:
    return World(holds=lease.holds)


def go_on(world: World, lease: Validity) -> None:
    lease.valid = True
    world.gate.reopen(world.arena)
    world.run(0)


def suspend(world: World, lease: Validity, ms: int, *, disconnects: bool = False) -> None:
    """Let the lease be over for some ms, with `disconnects` so long that bots are disconnected, and go on."""
    lease.valid = False
    world.gate.close()
    if disconnects:
        world.gate.were_bots_disconnected = True
        world.gateway.close_all_now(CloseCode.NO_LEADER)
    world.run(ms)
    go_on(world, lease)


def test_a_closed_gate_tells_nothing_and_then_everything(world: World, lease: Validity) -> None:
    tournament, mover, other = playing(world, legs=1)
    lease.valid = False  # without a call of `close`, as after a freeze of the process
    mover.move(first_legal(mover.last("turn")))
    late = world.connect()
    late.login("cas")
    world.run(5000)
    assert other.heard() == []
    assert late.inbox.kinds() == ["welcome"]
    go_on(world, lease)
    assert [frame["type"] for frame in other.heard()] == ["turn"]
    assert late.inbox.kinds() == ["session"]
    assert tournament.running


def test_a_login_that_came_in_time_is_not_closed_for_its_wait(world: World, lease: Validity) -> None:
    tournament = world.create()
    bot = world.connect()
    world.run(9500)
    lease.valid = False
    bot.login("ann", join=tournament.id)
    world.run(1000)
    go_on(world, lease)
    world.run(20_000)
    assert bot.inbox.kinds() == ["welcome", "session", "joined"]
    assert bot.link.closed is None


def test_a_waiting_login_of_a_connection_that_has_ended_replaces_no_session(world: World, lease: Validity) -> None:
    ann = world.login("ann")
    lease.valid = False
    lost = world.connect()
    lost.login("ann")
    lost.drop()
    go_on(world, lease)
    assert ann.link.closed is None


def test_facts_on_disk_while_a_club_is_suspended_are_told_when_it_goes_on(world: World, lease: Validity) -> None:
    tournament = world.create()
    bot = world.login("ann")
    world.log.stuck = True
    bot.say(type="join", tournament=tournament.id)
    bot.heard()
    lease.valid = False
    world.log.unstick()
    assert bot.heard() == []
    go_on(world, lease)
    assert [frame["type"] for frame in bot.heard()] == ["joined"]


def test_clocks_stand(world: World, lease: Validity) -> None:
    tournament, mover, other = playing(world, legs=1, time_control=TimeControl(move_ms=1000))
    world.run(600)
    suspend(world, lease, 9000)
    world.run(399)
    assert tournament.running
    mover.move(first_legal(mover.last("turn")))
    assert other.heard("turn")
    world.run(2000)
    (over,) = [frame for frame in mover.heard() if frame["type"] == "match_over"]
    assert over["termination"] == "timeout"
    assert over["scores"][mover.last("match_start")["seat"]] == 1, "only who really thought too long has lost"


def test_away_and_absent_budgets_stand(world: World, lease: Validity) -> None:
    tournament, mover, other = playing(world, away_ms=3000, absent_ms=3000, legs=1)
    mover.drop()
    world.run(2000)
    suspend(world, lease, 8000)
    world.run(999)
    assert tournament.running
    world.run(2)
    assert other.heard("match_over")
    assert not tournament.running


def test_bots_that_were_closed_have_the_grace_of_a_start(lease: Validity) -> None:
    world = World(holds=lease.holds, grace_ms=5000)
    tournament, _, _ = playing(world, away_ms=0, absent_ms=1000, legs=1)
    world.run(5000)
    suspend(world, lease, 8000, disconnects=True)
    world.run(4999)
    assert tournament.running
    world.run(1)
    (over,) = tournament.results.values()
    assert over.termination is Termination.DISCONNECT
    assert over.drops == (0, 0)


def test_an_absent_budget_stands_in_that_grace(lease: Validity) -> None:
    world = World(holds=lease.holds, grace_ms=5000)
    world.run(5000)
    ann = waiting(world)
    suspend(world, lease, 8000, disconnects=True)
    ann = world.login("ann")
    world.run(5999)
    assert not ann.heard("match_over")
    world.run(1)
    assert ann.heard("match_over")


def test_bots_that_were_not_closed_have_no_grace(lease: Validity) -> None:
    world = World(holds=lease.holds, grace_ms=5000)
    tournament, mover, _ = playing(world, away_ms=1000, legs=1)
    world.run(5000)
    suspend(world, lease, 8000)
    mover.drop()
    world.run(1000)
    assert not tournament.running


def waiting(world: World) -> Bot:
    """Return a bot whose opponent has been absent for two of three allowed seconds."""
    tournament = world.create(absent_ms=3000)
    ann, ben = world.logins("ann", "ben", join=tournament.id)
    ben.drop()
    world.organiser.start(tournament.id)
    world.run(2000)
    return ann


def test_the_absent_budget_of_a_bot_without_a_match_stands(world: World, lease: Validity) -> None:
    ann = waiting(world)
    suspend(world, lease, 60_000)
    world.run(999)
    assert not ann.heard("match_over")
    world.run(2)
    assert ann.heard("match_over")


@pytest.mark.parametrize("order", ["beat, renewal", "frame, beat, renewal", "renewal, beat", "no end"])
def test_an_absent_budget_stands_in_a_sleep_of_the_machine(order: str, lease: Validity) -> None:
    world = World(holds=lease.holds, grace_ms=5000)
    world.run(5000)
    ann = waiting(world)
    lease.valid = order == "no end"
    if order == "frame, beat, renewal":
        world.gate.close_if_over()
    if order == "renewal, beat":
        world.gate.close()
        go_on(world, lease)
    late_ms = world.clock.late_ms
    world.clock.stall(3_600_000)
    world.gate.resume_after_sleep(world.arena, 3_600_000)
    if not lease.valid:
        world.run(1000)
        go_on(world, lease)
        late_ms += 1000
    assert world.clock.late_ms == late_ms + 3_600_000
    world.run(5999)
    assert not ann.heard("match_over")
    world.run(1)
    assert ann.heard("match_over")


def test_a_bot_whose_absent_budget_is_used_up_at_the_suspension_loses(world: World, lease: Validity) -> None:
    ann = waiting(world)
    lease.valid = False
    world.run(2000)  # the timer of the budget is the first call to find the lease over
    assert not ann.heard("match_over")
    go_on(world, lease)
    assert ann.heard("match_over")


def test_time_that_the_process_was_frozen_is_not_excused_twice(lease: Validity) -> None:
    clock, gate = led_by(lease)
    gate.close()
    clock.advance(1000)
    clock.stall(3000)
    gate.reopen(World().arena)
    assert clock.late_ms == 4000


def test_timers_that_were_cancelled_while_they_waited_do_not_fire(lease: Validity) -> None:
    (clock, gate), fired = led_by(lease), list[str]()
    led = GatedClock(clock, gate)
    first = led.call_at(led.now_ms() + 10, lambda: fired.append("first"))
    led.call_at(led.now_ms() + 20, lambda: fired.append("second"))
    led.after_input(lambda: fired.append("at once")).cancel()
    lease.valid = False
    clock.advance(100)
    first.cancel()
    assert fired == []
    lease.valid = True
    gate.reopen(World().arena)
    clock.advance(0)
    assert fired == ["second"]


def test_waiting_calls_enter_in_their_order_and_in_portions(lease: Validity) -> None:
    (clock, gate), entered, portions = led_by(lease), list[int](), list[int]()
    lease.valid = False
    for number in range(CALLS_AT_ONCE + 10):
        gate.run_or_enqueue(lambda number=number: entered.append(number))  # type: ignore[misc]
    lease.valid = True
    gate.run_or_enqueue(lambda: portions.append(len(entered)))
    gate.reopen(World().arena)
    gate.run_or_enqueue(lambda: entered.append(CALLS_AT_ONCE + 10))
    assert entered == [], "it does not overtake those that wait"
    clock.after_input(lambda: portions.append(len(entered)))
    clock.advance(0)
    assert entered == list(range(CALLS_AT_ONCE + 11))
    assert portions == [CALLS_AT_ONCE, CALLS_AT_ONCE + 10]


def test_a_waiting_call_that_fails_keeps_no_other_call_out(lease: Validity) -> None:
    (clock, gate), entered = led_by(lease), list[str]()
    lease.valid = False
    gate.run_or_enqueue(fail)
    gate.run_or_enqueue(lambda: entered.append("later"))
    lease.valid = True
    gate.reopen(World().arena)
    with pytest.raises(RuntimeError, match="a bug"):
        clock.advance(0)
    clock.advance(0)
    assert entered == ["later"]
    assert gate.is_open
    assert not gate.waiting


def test_a_lease_that_is_over_again_stops_entering_calls(lease: Validity) -> None:
    (clock, gate), entered = led_by(lease), list[str]()
    lease.valid = False

    def enter_and_lose() -> None:
        entered.append("first")
        lease.valid = False

    gate.run_or_enqueue(enter_and_lose)
    gate.run_or_enqueue(lambda: entered.append("second"))
    arena = World().arena
    gate.reopen(arena)
    assert entered == [], "it is still closed"
    lease.valid = True
    gate.reopen(arena)
    clock.advance(0)
    assert entered == ["first"]
    lease.valid = True
    gate.reopen(arena)
    clock.advance(0)
    assert entered == ["first", "second"]


def test_a_discarded_club_does_nothing_any_more(world: World, lease: Validity) -> None:
    _, mover, other = playing(world)
    lease.valid = False
    mover.move(first_legal(mover.last("turn")))
    world.gate.discard()
    lease.valid = True
    world.gate.reopen(world.arena)
    world.run(100_000)
    assert other.heard() == []


@pytest.mark.parametrize("frame", [None, '{"type": "join", "tournament": "none"}', "no JSON"])
def test_a_flood_while_a_club_is_suspended_is_bounded_and_answered(
    world: World, lease: Validity, frame: str | None
) -> None:
    """A frame of None stands for an answer to the open turn."""
    _, mover, other = playing(world)
    lease.valid = False
    for _ in range(10 * MOST_FRAMES):
        mover.move("nowhere") if frame is None else mover.say_text(frame)
    assert len(world.gate.waiting) == MOST_FRAMES + 1
    assert mover.session.is_ending, "its connection counts further frames"
    go_on(world, lease)
    world.run(10)
    assert mover.link.closed is CloseCode.TOO_MANY_MESSAGES
    assert other.heard("match_over")


def test_a_flood_while_waiting_calls_enter_is_bounded(world: World, lease: Validity) -> None:
    _, mover, _ = playing(world)
    lease.valid = False
    mover.move("nowhere")
    lease.valid = True
    world.gate.reopen(world.arena)
    for _ in range(10 * MOST_FRAMES):
        mover.move("nowhere")
    assert len(world.gate.waiting) == MOST_FRAMES + 1
    lease.valid = False
    mover.move("nowhere")
    assert len(world.gate.waiting) == MOST_FRAMES + 1, "a suspension does not count anew while the queue is not empty"
    go_on(world, lease)
    world.run(10)
    assert mover.link.closed is CloseCode.TOO_MANY_MESSAGES


def test_the_reason_of_a_flood_at_a_closed_gate_says_so(world: World, lease: Validity) -> None:
    _, mover, other = playing(world)
    lease.valid = False
    turn = mover.last("turn")
    for _ in range(MOST_FRAMES + 1):
        mover.move(first_legal(turn), turn=turn)
    go_on(world, lease)
    world.run(10)
    (over,) = other.heard("match_over")
    assert over["reason"] == f"{mover.name} sent more than {MOST_FRAMES} messages while the server was suspended"


def test_invalid_frames_at_a_closed_gate_count_only_if_they_answer_no_open_turn(lease: Validity) -> None:
    world = World(holds=lease.holds, limits=Limits(unsolicited_per_minute=10))
    _, mover, other = playing(world, illegal_retries=100)
    turn = mover.last("turn")
    answer = {"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": 4}
    lease.valid = False
    for _ in range(20):
        mover.say(**answer)
    mover.move(first_legal(turn), turn=turn)
    go_on(world, lease)
    assert [told["code"] for told in mover.heard()] == ["bad_move"] * 20
    assert other.heard("turn")
    lease.valid = False
    for _ in range(20):
        mover.say(**answer)
    go_on(world, lease)
    world.run(10)
    codes = [told["code"] for told in mover.heard("error")]
    assert codes == ["bad_message"] * 9 + ["too_many_messages"], "the login was the first of the ten"
    assert mover.link.closed is CloseCode.TOO_MANY_MESSAGES


def test_frames_of_an_earlier_suspension_do_not_count(
    world: World, lease: Validity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rumble_server.gateway.gate.MOST_FRAMES", 1)
    tournament, mover, other = playing(world)
    for _ in range(2):
        lease.valid = False
        world.gate.close()
        mover.move(first_legal(mover.last("turn")))
        go_on(world, lease)
        world.run(1)
        other.move(first_legal(other.last("turn")))
        world.run(1)
    assert mover.link.closed is None
    assert tournament.running


def test_a_club_goes_on_no_earlier_than_its_log(world: World) -> None:
    ahead = World(ahead_ms=5000, holds=lambda: True)
    assert ahead.arena.clock.now_ms() == ahead.clock.now_ms() + 5000
    tournament, mover, other = playing(ahead, time_control=TimeControl(move_ms=1000))
    ahead.run(999)
    assert tournament.running
    ahead.run(1)
    assert mover.heard("match_over")
    assert other.heard("match_over")


def test_a_clock_that_runs_ahead_is_as_late_as_the_nodes_clock(lease: Validity) -> None:
    clock, gate = led_by(lease)
    clock.stall(3000)
    led = GatedClock(clock, gate, clock.now_ms() + 5000)
    assert led.lateness.late_ms == 3000
    gate.close()
    clock.advance(1000)
    gate.reopen(World().arena)
    now_ms = led.now_ms()
    assert (led.lateness.late_ms, led.lateness.suspended_until_ms) == (4000, now_ms)


def test_bots_play_on_however_often_their_club_is_suspended(world: World, lease: Validity) -> None:
    tournament, _ = begun_at_random(world, "ann", "ben", "cas", "dee", time_control=TimeControl(move_ms=500))
    for number in range(40):
        world.run(number)
        suspend(world, lease, 50 * number)
    world.run()
    assert_all_was_played(tournament)


def calls_of_a_move(world: World) -> list[str]:
    """Return the names of the Python functions that are called at a move, in order."""
    _, mover, _ = playing(world)
    world.log.stuck = True
    move = first_legal(mover.last("turn"))
    return calls_during(lambda: mover.move(move), "call")


def test_a_gate_adds_one_call_to_a_move(world: World) -> None:
    calls_of_a_move(World())  # the first time, the rules make states that they keep
    world.gate.lease, world.gate.now_s = SimpleNamespace(until_ms=inf), time.monotonic
    calls, without_gate = calls_of_a_move(world), calls_of_a_move(World())
    calls.remove("GatedArena.receive")
    assert calls == without_gate


# --- results whose connection ends at a closed gate ---


@pytest.mark.parametrize("closed_by_server", [True, False])
def test_a_result_on_disk_outlasts_a_connection_that_ended_at_the_gate(
    world: World, lease: Validity, *, closed_by_server: bool
) -> None:
    tournament, mover, other = playing(world, legs=1)
    world.log.stuck = True
    mover.say(type="resign", match=next(iter(tournament.running)))
    lease.valid = False
    world.gate.close()
    world.log.unstick()
    if closed_by_server:
        world.gateway.close_all_now(CloseCode.NO_LEADER)
    else:
        other.drop()
    go_on(world, lease)
    assert not other.heard("match_over")
    assert world.login(other.name).heard("match_over")


def test_a_login_behind_the_close_of_its_connection_takes_no_result(world: World, lease: Validity) -> None:
    tournament, mover, other = playing(world, legs=1)
    other.drop()
    mover.say(type="resign", match=next(iter(tournament.running)))
    late = world.connect()
    lease.valid = False
    world.gate.close()
    world.run(world.gateway.limits.login_ms)
    late.login(other.name)
    go_on(world, lease)
    assert late.link.closed is CloseCode.NO_LOGIN
    assert world.login(other.name).heard("match_over")
