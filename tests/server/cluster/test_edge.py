"""Bots of a club that another node leads: what they see is what they see where their own node leads it."""

from typing import cast

import pytest
from rumble_protocol.bot_messages import Leave
from rumble_protocol.codes import CloseCode
from rumble_server.arena.ports import FrameId
from rumble_server.bounds import Bounds
from rumble_server.cluster.edge import Edge, Here
from rumble_server.cluster.gate import Gate, GatedLeader
from rumble_server.gateway.sessions import Sessions
from rumble_server.tournament.facts import NameReset

from tests.server.cluster.linked import (
    KEY,
    EdgeNode,
    LeaderNode,
    answer,
    club,
    in_play,
    no_faults,
    play_out,
)
from tests.server.world import Disk, VirtualClock

# --- one link, one leader ---


def test_a_match_is_played_over_a_link_as_without_one() -> None:
    node = club()
    mover, waiter = in_play(node)
    answer(mover)
    node.run(10)
    play_out(node, waiter, mover)
    assert no_faults(mover, waiter)


def test_what_follows_a_login_at_once_waits_for_its_answer() -> None:
    node = club(delay_ms=20, unsolicited_per_minute=5)
    bot = node.connect_bot()
    bot.login("ann", key=KEY)
    bot.say(type="join", tournament="friday")
    assert bot.link.is_held
    assert bot.inbox.kinds() == ["welcome"]
    node.run(200)
    assert bot.inbox.kinds() == ["session", "joined"]
    assert not bot.link.is_held


def test_a_wrong_key_is_closed_by_the_leader_and_leaves_nothing_behind() -> None:
    node = club()
    node.bot("ann", key=KEY)
    thief = node.bot("ann", key="another-horse-battery")
    assert (thief.error(), thief.link.closed) == ("bad_key", CloseCode.WRONG_KEY)
    thief.drop()
    node.run(10)
    assert node.leader.arena.plays("ann") is False


def test_messages_that_answer_no_turn_are_counted_at_the_edge() -> None:
    node = club(unsolicited_per_minute=5)
    mover, waiter = in_play(node)
    for _ in range(6):
        waiter.say(type="move", match="nowhere", turn_id="1.1", move="4")
        node.run(10)
    assert waiter.link.closed is CloseCode.TOO_MANY_MESSAGES
    assert mover.last("match_over")["termination"] == "flood"


def test_what_is_said_in_one_turn_of_the_loop_is_one_packet() -> None:
    node = club()
    bots = [node.bot(name) for name in ("ann", "ben", "cid", "dan")]
    assert node.pipe is not None
    before = node.pipe.to_leader.packets
    for bot in bots:
        bot.say(type="join", tournament="nowhere")
    node.run(1)
    assert node.pipe.to_leader.packets == before + 1
    node.run(10)
    assert [bot.error() for bot in bots] == ["unknown_tournament"] * 4


# --- bounds ---


def test_a_leader_that_takes_nothing_holds_the_bots_that_speak() -> None:
    node = club(bounds=Bounds(link_bytes=2000))
    ann = node.bot("ann")
    node.cut()
    for _ in range(80):
        ann.say(type="join", tournament="nowhere")
    assert (ann.link.is_held, ann.inbox.all("error")) == (True, [])
    node.connect()
    node.run(100)
    assert (ann.link.is_held, len(ann.inbox.all("error"))) == (False, 80)


def test_an_edge_that_takes_nothing_is_given_up_and_its_bots_log_in_again() -> None:
    leader = LeaderNode(VirtualClock(), 1, link_bytes=3000)
    node = EdgeNode(leader)
    node.run(10)
    ann = node.bot("ann")
    ann.heard()
    assert node.pipe is not None
    node.pipe.to_edge.is_full = True
    for _ in range(40):
        ann.say(type="join", tournament="nowhere")
        node.run(2)
    assert not leader.arena.is_connected("ann")
    node.pipe.to_edge.is_full = False
    node.run(1000)
    assert leader.arena.is_connected("ann")
    assert ann.link.closed is None
    assert "session" not in ann.inbox.kinds()


def test_a_bot_that_is_held_is_not_taken_for_silent() -> None:
    node = club(bounds=Bounds(link_bytes=2000))
    ann = node.bot("ann")
    assert node.pipe is not None
    node.pipe.is_frozen = True
    while not ann.link.is_held:
        ann.say(type="join", tournament="nowhere")
    node.edge.silent(ann.session.id)
    node.pipe.thaw()
    node.run(100)
    assert (ann.link.is_held, ann.link.was_cut) == (False, False)
    node.edge.silent(ann.session.id)
    node.run(100)
    assert (ann.link.is_held, ann.link.was_cut) == (False, True)


def test_what_is_on_disk_late_is_acknowledged_though_there_is_nothing_to_say() -> None:
    node = club()
    ann = node.bot("ann")
    node.leader.log.stuck = True
    node.leader.log.append(NameReset("nobody", 0))
    for _ in range(40):
        ann.say(type="move", match="nowhere", turn_id="9.1", move="x" * 2000)
        node.run(10)
    kept = node.edge._stream.out.bytes
    assert kept > 64_000
    node.leader.log.unstick()
    node.run(10)
    assert node.edge._stream.out.bytes == 0


# --- no leader ---


def test_without_a_leader_a_login_waits_and_is_then_refused() -> None:
    node = club()
    node.cut()
    bot = node.connect_bot()
    bot.login("ann")
    node.run(4990)
    assert bot.inbox.kinds() == ["welcome"]
    node.run(20)
    assert (bot.error(), bot.last("error")["fatal"], bot.link.closed) == ("unavailable", True, CloseCode.NO_LEADER)


def test_a_login_at_the_leader_itself_is_refused_while_that_is_suspended() -> None:
    node = club()
    node.leader = leader = node.leader.successor(local=node.edge.guests)
    node.disk = Disk(leader.log)
    holds = False
    gate = Gate(node.clock, lambda: holds)
    node.edge.lead_here(GatedLeader(leader.arena, gate, leader.log), leader.epoch, node.node)
    ann, ben = node.connect_bot(), node.connect_bot()
    ann.login("ann")
    node.run(3000)
    ben.login("ben")
    node.run(2010)
    assert (ann.error(), ann.last("error")["fatal"], ann.link.closed) == ("unavailable", True, CloseCode.NO_LEADER)
    ann.drop()
    holds = True
    gate.go_on(leader.arena)
    node.run(5000)
    assert (ben.inbox.kinds(), ben.link.closed) == (["welcome", "session"], None)
    assert not leader.arena.is_connected("ann")


def test_a_login_that_waits_is_answered_by_the_leader_that_comes() -> None:
    node = club()
    node.cut()
    bot = node.connect_bot()
    bot.login("ann")
    node.run(4000)
    node.follow(node.leader.successor())
    node.run(4000)
    assert bot.inbox.kinds() == ["welcome", "session"]
    assert bot.link.closed is None


def test_after_a_while_without_a_leader_bots_are_closed() -> None:
    node = club()
    bot = node.bot("ann")
    node.cut()
    node.run(9990)
    assert bot.link.closed is None
    node.run(20)
    assert bot.link.closed == 1012


def test_a_session_that_is_closed_while_no_link_is_up_is_over_at_once() -> None:
    node = club()
    ann = node.bot("ann", key=KEY)
    node.cut()
    ann.session.close(CloseCode.DRAINING)
    assert ann.link.closed is CloseCode.DRAINING
    node.connect()
    node.run(100)
    assert not node.leader.arena.is_connected("ann"), "though the socket is not gone"


def test_a_connection_that_has_not_logged_in_is_closed_also_while_the_leader_is_suspended() -> None:
    node = club()
    node.lead()
    ann = node.connect_bot()
    node.gate.close()
    ann.session.close(CloseCode.NO_LOGIN)
    assert ann.link.closed is CloseCode.NO_LOGIN


def test_a_connection_that_is_closed_for_want_of_a_leader_is_logged_in_by_none() -> None:
    node = club()
    ann = node.bot("ann", key=KEY)
    node.cut()
    late = node.connect_bot()
    node.run(6000)
    late.login("ben", key=KEY)
    node.run(5000)
    assert [bot.link.closed for bot in (ann, late)] == [CloseCode.NO_LEADER] * 2
    node.connect()
    node.run(100)
    assert not any(node.leader.arena.is_connected(name) for name in ("ann", "ben"))


@pytest.mark.parametrize("leads", [False, True])
def test_a_connection_that_is_replaced_and_not_closed_yet_is_logged_in_by_no_other_leader(*, leads: bool) -> None:
    node = club()
    ann = node.bot("ann", key=KEY)
    ben = node.bot("ben", key=KEY)
    EdgeNode(node.leader).bot("ann", key=KEY)
    node.run(10)
    assert ann.link.closed is CloseCode.REPLACED
    node.cut()
    if leads:
        node.lead()
    else:
        node.follow(node.leader.successor())
    node.run(100)
    assert [node.leader.arena.is_connected(bot.name) for bot in (ann, ben)] == [False, True]


@pytest.mark.parametrize("leads", [False, True])
def test_a_connection_that_is_to_be_closed_and_not_logged_in_yet_replaces_nobody(*, leads: bool) -> None:
    node = club(delay_ms=10)
    ann = EdgeNode(node.leader).bot("ann", key=KEY)
    late = node.connect_bot()
    late.login("ann", key=KEY)
    late.session.close(CloseCode.DRAINING)
    node.run(5)
    node.cut()
    assert not ann.link.closed
    successor = node.leader.successor
    living = EdgeNode(node.leader)
    if leads:
        node.lead()
    else:
        node.follow(successor())
    living.follow(node.leader)
    again = living.bot("ann", key=KEY)
    node.run(100)
    assert late.link.closed is CloseCode.DRAINING
    assert "session" not in late.inbox.kinds()
    assert again.link.closed is None
    assert node.leader.arena.is_connected("ann")


def test_a_node_that_does_not_lead_the_club_yet_is_asked_again() -> None:
    node = club()
    bot = node.bot("ann")
    bot.heard()
    old = node.leader
    new = old.successor()
    new.lead.epoch = 9  # it has not heard
    node.follow(new)
    node.run(500)
    new.lead.epoch = 2
    node.run(500)
    assert new.arena.is_connected("ann")
    assert bot.inbox.kinds() == []


def test_a_node_that_leads_no_more_and_knows_no_other_leader_closes_its_bots_in_the_end() -> None:
    node = club()
    node.lead()
    ann = node.bot("ann")
    node.edge.down()  # no link is needed here
    node.run(20_000)
    assert ann.link.closed is None
    node.edge.lead_by_nobody()
    node.run(9_990)
    assert ann.link.closed is None
    node.run(20)
    assert ann.link.closed is CloseCode.NO_LEADER


def test_an_edge_that_is_made_anew_gives_no_frame_a_number_of_before() -> None:
    """A node drops the way into a club that nobody uses there, while the club goes on elsewhere."""
    clock, taken = VirtualClock(), []

    class Noting:
        def receive(self, _session_id: int, _message: object, _text: str, *, frame: FrameId) -> None:
            taken.append(frame)

    for _ in range(2):
        clock.advance(1)
        edge = Edge("main", Sessions("main"), clock, Bounds())
        edge.lead_here(cast(Here, Noting()), 1, "node")
        for _ in range(3):
            edge.receive(1, Leave(tournament="friday"), "")
    assert len(set(taken)) == 6
