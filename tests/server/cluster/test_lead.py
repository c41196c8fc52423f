"""The leader of a club for bots of other nodes: whose time it judges, and links that break and come back."""

import pytest
from rumble_engine import Termination
from rumble_protocol.codes import CloseCode
from rumble_server.cluster.gate import Gate
from rumble_server.match.facts import MatchOver

from tests.server.cluster.linked import AWAY_MS, KEY, EdgeNode, answer, club, in_play, moves, no_faults

# --- time ---


def test_a_leader_in_time_judges_by_what_the_edge_measured() -> None:
    node = club(delay_ms=200, move_ms=1000)
    ann, ben = node.connect_bot(), node.connect_bot()
    ann.login("ann", key=KEY, join="friday")
    ben.login("ben", key=KEY, join="friday")
    while not (ann.inbox.all("turn") or ben.inbox.all("turn")):
        node.run(1)
    mover, waiter = (ann, ben) if ann.inbox.all("turn") else (ben, ann)
    node.run(950)  # the leader asked 200 ms before, and hears of the move 200 ms later: after 1350 ms of 1000
    answer(mover)
    node.run(250)
    (made,) = moves(node)
    assert made.excused_ms == 400
    assert no_faults(mover, waiter)
    while len(waiter.inbox.all("turn")) == 0:
        node.run(1)
    node.run(1200)  # too long, by any clock
    answer(waiter)
    node.run(1000)
    assert waiter.last("match_over")["termination"] == "timeout"
    assert waiter.last("match_over")["scores"] == [1.0, 0.0]


def test_a_bot_that_is_away_loses_in_time_whatever_link_its_opponent_has() -> None:
    node = club(move_ms=600_000)
    mover, waiter = in_play(node)
    waiter.drop()
    node.run(60_001 + 2 * node.delay_ms)
    assert mover.last("match_over")["termination"] == "disconnect"


def test_nobody_loses_on_time_while_a_link_is_silent() -> None:
    node = club(move_ms=1000)
    mover, waiter = in_play(node)
    pipe = node.pipe
    assert pipe is not None
    pipe.is_frozen = True  # and nobody has noticed it yet
    node.run(900)
    answer(mover)
    node.run(3000)
    assert node.leader.arena.matches.live
    pipe.thaw()
    node.run(100)
    (made,) = moves(node)
    assert made.excused_ms > 2900
    pipe.is_frozen = True
    node.run(5000)  # the turn that waits here has not come to its bot
    pipe.thaw()
    node.run(500)
    answer(waiter)
    node.run(100)
    assert len(moves(node)) == 2
    assert no_faults(mover, waiter)


def test_a_move_that_comes_too_late_over_a_link_is_answered_and_no_part_of_its_match() -> None:
    node = club(move_ms=300, delay_ms=50)
    mover, _ = in_play(node)
    assert node.pipe is not None
    turn = mover.last("turn")
    node.run(330)
    answer(mover)
    node.run(200)
    assert [frame["turn_id"] for frame in mover.heard("rejected")] == [turn["turn_id"]]
    assert mover.last("match_over")["termination"] == "timeout"
    kinds = [type(fact) for fact in node.leader.log.facts if getattr(fact, "match", "") == turn["match"]]
    assert kinds[-1] is MatchOver


def test_an_answer_about_an_earlier_turn_judges_no_later_one() -> None:
    node = club(move_ms=1000)
    other = EdgeNode(node.leader)
    bots = {each.bot(name, key=KEY, join="friday"): each for name, each in (("ann", node), ("ben", other))}
    node.run(20)
    mover, waiter = sorted(bots, key=lambda bot: not bot.inbox.all("turn"))
    first, second = bots[mover].pipe, bots[waiter].pipe
    assert first is not None
    assert second is not None
    first.is_frozen = True
    node.run(500)
    answer(mover)
    node.run(1000)  # the leader asks about the turn
    first.thaw()
    first.is_frozen = True  # it has the move, and the answer to its question waits
    node.run(10)
    second.is_frozen = True
    answer(waiter)
    node.run(1500)
    first.thaw()
    node.run(10)
    second.thaw()
    node.run(10)
    assert [made.ply for made in moves(node)] == [0, 1]
    assert no_faults(mover, waiter)


def test_a_turn_is_judged_while_a_node_that_was_asked_about_an_earlier_one_is_silent() -> None:
    node = club(move_ms=1000)
    mover, _ = in_play(node)
    assert node.pipe is not None
    node.pipe.is_frozen = True
    node.run(1500)
    again = EdgeNode(node.leader).bot(mover.name, key=KEY)
    assert again.last("turn")["clock"]["remaining_ms"] == 0
    node.run(500)
    assert again.last("match_over")["termination"] == "timeout"


def test_an_answer_that_does_not_count_leaves_the_turn_measured() -> None:
    node = club(delay_ms=200)
    mover, _ = in_play(node)
    turn = mover.last("turn")
    mover.move("99", turn={**turn, "match": "friday.9.9.9.9"})
    answer(mover)
    node.run(500)
    (made,) = moves(node)
    assert made.excused_ms == 400


def test_an_edge_cannot_claim_less_than_nothing_or_more_than_the_real_time() -> None:
    node = club(delay_ms=100)
    mover, _ = in_play(node)
    arena = node.leader.arena
    turn = mover.last("turn")
    referee = arena.matches.live[turn["match"]].referee
    asked, now_ms = referee.turn, node.clock.now_ms()
    assert asked is not None

    def excused_ms(turn_id: str, thought_ms: int) -> int:
        referee.measured(asked.seat, turn_id, thought_ms, now_ms)
        return asked.excused_ms(now_ms, node.clock.late_ms)

    elapsed_ms = now_ms - asked.asked_at_ms
    assert excused_ms("1.fff", 0) == 0
    assert excused_ms(asked.turn_id, elapsed_ms + 999) == 0
    assert excused_ms(asked.turn_id, 0) == elapsed_ms
    assert excused_ms(asked.turn_id, -999) == elapsed_ms


# --- a link that breaks, the same leader ---


def test_bots_notice_nothing_of_a_link_that_breaks_and_comes_back() -> None:
    node = club(delay_ms=10)
    mover, waiter = in_play(node)
    answer(mover)
    node.run(5)  # it is on its way
    node.cut()
    node.run(3000)
    assert moves(node) == []
    node.connect()
    node.run(100)
    assert len(moves(node)) == 1
    assert waiter.heard("turn")
    assert {frame["type"] for bot in (mover, waiter) for frame in bot.heard()} == set()
    assert no_faults(mover, waiter)


def test_a_turn_that_was_lost_with_its_link_comes_with_the_next() -> None:
    node = club(delay_ms=10)
    mover, waiter = in_play(node)
    answer(mover)
    node.run(15)  # the leader has it, and its answer is on its way
    assert len(moves(node)) == 1
    node.cut()
    node.connect()
    node.run(100)
    assert len(waiter.heard("turn")) == 1
    assert no_faults(mover, waiter)


def test_an_acknowledgement_that_is_lost_repeats_nothing() -> None:
    node = club(delay_ms=10)
    mover, waiter = in_play(node)
    for _ in range(4):
        mover.say(type="join", tournament="friday")
        node.run(12)
        node.cut()
        node.connect()
    node.run(100)
    assert mover.inbox.kinds() == ["joined"] * 4
    assert no_faults(mover, waiter)


def test_no_time_is_judged_while_an_edge_cannot_be_reached() -> None:
    node = club(move_ms=1000)
    mover, waiter = in_play(node)
    node.run(900 - 20)
    answer(mover)
    node.cut()
    node.run(8000)
    assert node.leader.arena.matches.live
    node.connect()
    node.run(100)
    (made,) = moves(node)
    assert made.excused_ms >= 8000
    assert no_faults(mover, waiter)
    answer(waiter)
    node.run(100)
    assert len(moves(node)) == 2


def test_a_bot_that_thinks_for_too_long_while_its_edge_cannot_be_reached_has_lost() -> None:
    node = club(move_ms=1000)
    mover, _waiter = in_play(node)
    node.cut()
    node.run(3000)
    answer(mover)
    node.connect()
    node.run(100)
    assert mover.last("match_over")["termination"] == "timeout"


def test_once_an_edge_is_back_time_is_judged_again() -> None:
    node = club(move_ms=1000)
    mover, _ = in_play(node)
    node.cut()
    node.run(5000)
    assert mover.inbox.all("match_over") == []
    node.connect()
    node.run(100)
    assert mover.last("match_over")["termination"] == "timeout"


def test_when_the_lease_of_an_edge_is_over_its_bots_are_away_and_come_back_elsewhere() -> None:
    node = club()
    mover, _waiter = in_play(node)
    node.leader.lead.forget_unreachable([])
    assert node.leader.arena.is_connected(mover.name), "the database alone cannot be reached from there"
    node.cut()
    node.leader.lead.forget_unreachable([node.node])
    assert node.leader.arena.is_connected(mover.name), "its lease is valid"
    node.leader.lead.forget_unreachable([])
    assert not node.leader.arena.is_connected(mover.name)
    other = EdgeNode(node.leader)
    other.run(10)
    back = other.bot(mover.name, key=KEY)
    other.run(10)
    assert back.inbox.kinds()[:3] == ["welcome", "session", "match_start"]
    answer(back)
    other.run(10)
    assert len(moves(node)) == 1


def test_away_budgets_stand_while_an_edge_cannot_be_reached_and_run_when_its_lease_is_over() -> None:
    node = club()
    mover, waiter = in_play(node)
    node.cut()
    mover.drop()
    node.run(10 * AWAY_MS)
    assert node.leader.arena.matches.live
    node.leader.lead.forget_unreachable([])
    node.run(AWAY_MS - 100)
    assert node.leader.arena.matches.live
    node.run(200)
    (over,) = [fact for fact in node.leader.log.facts if isinstance(fact, MatchOver)][:1]
    assert over.termination is Termination.DISCONNECT
    assert waiter.link.closed is CloseCode.NO_LEADER


def test_a_newer_login_on_another_node_takes_over() -> None:
    node = club()
    mover, _ = in_play(node)
    other = EdgeNode(node.leader)
    back = other.bot(mover.name, key=KEY)
    node.run(10)
    assert mover.link.closed is CloseCode.REPLACED
    assert back.last("match_start")["resumed"] is True


@pytest.mark.parametrize("is_up", [False, True])
def test_a_bot_that_came_and_went_unheard_replaces_no_newer_login(
    *, is_up: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = club()
    assert node.pipe is not None
    if is_up:
        node.pipe.to_leader.is_full = True
    else:
        node.cut()
        monkeypatch.setattr("rumble_server.cluster.edge.PACKET_BYTES", 1)  # as if much were said
    early = node.connect_bot()
    early.login("ann", key=KEY)
    node.run(100)
    early.drop()
    other = EdgeNode(node.leader)
    late = other.bot("ann", key=KEY)
    if is_up:
        node.pipe.to_leader.is_full = False
        node.edge.writable()
    else:
        node.connect()
    node.run(100)
    assert late.link.closed is None
    assert node.leader.arena.is_connected("ann")


@pytest.mark.parametrize("is_own", [False, True])
def test_a_bot_that_came_and_went_while_the_leader_was_suspended_replaces_no_session(*, is_own: bool) -> None:
    node = club()
    if is_own:
        node.lead()
        gate, early_at = node.gate, node
    else:
        gate, early_at = Gate(node.clock, lambda: True), EdgeNode(node.leader)
        node.leader.lead._enter = gate.enter
        node.run(10)
    ann = node.bot("ann", key=KEY)
    gate.close()
    early = early_at.connect_bot()
    early.login("ann", key=KEY)
    node.run(10)
    early.drop()
    node.run(10)
    gate.go_on(node.leader.arena)
    node.run(10)
    assert ann.link.closed is None
    assert node.leader.arena.is_connected("ann")
