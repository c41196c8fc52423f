"""Bots of a club whose leader changes: another node comes to lead it, or their own."""

import pytest
from rumble_protocol.codes import CloseCode
from rumble_server.tournament.config import TournamentConfig

from tests.server.cluster.linked import KEY, EdgeNode, answer, club, in_play, moves, no_faults, play_out

# --- another leader ---


def test_another_leader_goes_on_with_the_bots_where_they_are() -> None:
    node = club()
    mover, waiter = in_play(node)
    answer(mover)
    node.run(100)
    waiter.heard()
    node.cut()
    node.follow(node.leader.successor())
    node.run(100)
    assert waiter.inbox.kinds() == ["match_start", "turn"]
    assert waiter.last("match_start")["resumed"] is True
    assert mover.inbox.kinds() == ["match_start"]
    answer(waiter)
    node.run(10)
    play_out(node, mover, waiter)
    assert no_faults(mover, waiter)


def test_what_the_last_leader_had_not_on_disk_is_said_again_and_is_no_fault() -> None:
    node = club(unsolicited_per_minute=3)
    node.leader.organiser.create(TournamentConfig(name="Monday", game="tictactoe"))
    mover, waiter = in_play(node)  # each has said one thing
    node.leader.log.stuck = True
    answer(mover)
    waiter.say(type="join", tournament="monday")
    waiter.say(type="join", tournament="nowhere")
    node.run(10)
    waiter.heard()
    node.cut()
    node.follow(node.leader.successor())
    node.run(100)
    assert waiter.link.closed is None
    assert waiter.inbox.kinds() == ["match_start", "joined", "error"]
    assert mover.inbox.kinds() == ["match_start", "turn"], "its move is lost with the leader, and it is asked again"
    assert mover.inbox.all("rejected") == []


def test_a_bot_that_left_is_not_joined_again_by_another_leader() -> None:
    node = club()
    ann = node.bot("ann", join="friday")
    ann.say(type="leave", tournament="friday")
    node.run(10)
    node.cut()
    node.follow(node.leader.successor())
    node.run(100)
    assert ann.inbox.kinds() == ["welcome", "session", "joined", "left"]
    assert "ann" not in node.leader.arena.tournaments["friday"].field


def test_a_login_that_the_last_leader_had_not_on_disk_joins_again() -> None:
    node = club()
    node.leader.log.stuck = True
    ann = node.bot("ann", join="friday")
    node.cut()
    node.follow(node.leader.successor())
    node.run(100)
    assert ann.inbox.kinds() == ["welcome", "session", "joined"]


@pytest.mark.parametrize("leads", [False, True])
@pytest.mark.parametrize("newest_first", [False, True])
def test_of_two_sessions_that_the_last_leader_let_in_the_newer_one_stays(*, newest_first: bool, leads: bool) -> None:
    node = club()
    old, other = node.bot("ann", key=KEY), EdgeNode(node.leader)
    assert node.pipe is not None
    node.pipe.to_edge.is_full = True  # it does not hear that it is replaced
    new = other.bot("ann", key=KEY)
    assert new.inbox.all("session")
    assert old.link.closed is None
    for each in (node, other):
        each.cut()
    edges = [other, node] if newest_first else [node, other]
    if leads:
        edges[0].lead()
        leader = edges[0].leader
    else:
        leader = node.leader.successor()
        edges[0].follow(leader)
    node.run(10)
    edges[1].follow(leader)
    node.run(10)
    assert [bot.link.closed for bot in (old, new)] == [CloseCode.REPLACED, None]
    assert leader.arena.is_connected("ann")
    old.drop()
    node.run(10)
    assert leader.arena.is_connected("ann")


def test_a_login_that_nobody_has_accepted_is_newer_than_one_that_was() -> None:
    node = club()
    old, other = node.bot("ann", key=KEY), EdgeNode(node.leader)
    other.run(10)
    for each in (node, other):
        each.cut()
    new = other.connect_bot()
    new.login("ann", key=KEY)
    leader = node.leader.successor()
    other.follow(leader)
    node.run(10)
    node.follow(leader)
    node.run(10)
    assert [bot.link.closed for bot in (old, new)] == [CloseCode.REPLACED, None]


def test_an_answer_to_a_turn_of_the_last_leader_is_not_counted() -> None:
    node = club(unsolicited_per_minute=2)
    mover, waiter = in_play(node)
    old = mover.last("turn")
    node.cut()
    node.follow(node.leader.successor())
    node.run(100)
    for _ in range(5):
        mover.move("4", turn=old)
        node.run(10)
    assert mover.link.closed is None
    assert mover.last("rejected")["code"] == "stale_turn"
    answer(mover)
    node.run(10)
    assert len(moves(node)) == 1
    assert waiter.link.closed is None


def test_a_match_that_ended_unheard_is_told_by_a_session() -> None:
    node = club()
    mover, waiter = in_play(node)
    assert node.pipe is not None
    node.pipe.is_frozen = True
    node.leader.organiser.end("friday", cancelled=True)
    node.run(100)
    node.cut()
    node.follow(node.leader.successor())
    node.run(100)
    for bot in (mover, waiter):
        (session,) = bot.heard("session")
        assert session["matches"] == []


def test_nothing_of_an_old_epoch_reaches_a_bot() -> None:
    node = club()
    mover, waiter = in_play(node)
    old, pipe = node.leader, node.pipe
    assert pipe is not None
    answer(mover)
    node.run(2)
    pipe.is_frozen = True  # the old leader speaks on, and nobody hears it yet
    new = old.successor()
    node.follow(new)
    node.run(100)
    for bot in (mover, waiter):
        bot.heard()
    node.pipe, current = pipe, node.pipe  # even if the node took it for the link that is up
    pipe.thaw()
    node.run(100)
    node.pipe = current
    assert [frame for bot in (mover, waiter) for frame in bot.heard()] == []


# --- the node that leads ---


def test_a_node_that_comes_to_lead_goes_on_with_its_bots_and_hands_them_over_again() -> None:
    node = club(unsolicited_per_minute=3)
    mover, waiter = in_play(node)
    old = mover.last("turn")
    answer(mover)
    node.run(10)
    waiter.heard()
    node.cut()
    node.lead()
    node.run(100)
    assert [bot.inbox.kinds() for bot in (waiter, mover)] == [["match_start", "turn"], ["match_start"]]
    for _ in range(4):
        mover.move("4", turn=old)
    assert (mover.inbox.kinds(), mover.link.closed) == (["rejected"] * 4, None)
    answer(waiter)
    node.run(10)
    assert mover.inbox.kinds() == ["turn"]
    node.follow(node.leader.successor())
    node.run(100)
    assert [bot.inbox.kinds() for bot in (mover, waiter)] == [["match_start", "turn"], ["match_start"]]
    answer(mover)
    node.run(10)
    play_out(node, waiter, mover)


def test_a_node_that_comes_to_lead_hears_what_the_last_leader_had_not_on_disk() -> None:
    node = club(unsolicited_per_minute=2)
    node.leader.log.stuck = True
    ann = node.bot("ann", key=KEY)
    ann.say(type="join", tournament="friday")
    node.run(10)
    node.cut()
    node.lead()
    node.run(100)
    assert ann.inbox.kinds() == ["welcome", "session", "joined"]
    assert ann.link.closed is None
    other = node.connect_bot()
    other.login("ben", key=KEY)
    node.run(10)
    other.say(type="join", tournament="friday")
    node.run(10)
    assert other.inbox.kinds()[:3] == ["welcome", "session", "joined"]
    other.drop()
    assert node.leader.arena.is_connected("ben") is False


def test_what_bots_of_the_leader_s_node_said_unheard_is_said_to_the_next_leader() -> None:
    node = club()
    node.lead()
    for name in ("Monday", "Tuesday"):
        node.leader.organiser.create(TournamentConfig(name=name, game="tictactoe"))
    ann = node.bot("ann", key=KEY, join="monday")
    ann.heard()
    node.leader.log.stuck = True
    ann.say(type="join", tournament="tuesday")
    ben = node.connect_bot()
    ben.login("ben", key=KEY, join="tuesday")
    node.gate.close()  # the lease is over, and what comes waits
    ann.say(type="leave", tournament="monday")
    ann.say_text("nonsense")
    ann.login("ann", key=KEY)
    cid = node.connect_bot()
    cid.login("cid", key=KEY, join="tuesday")
    node.gate.discard()
    node.edge.lead_by_nobody()
    node.run(10)
    assert [bot.inbox.kinds() for bot in (ann, ben, cid)] == [[], ["welcome"], ["welcome"]]
    node.follow(node.leader.successor())
    node.run(100)
    assert ann.inbox.kinds() == ["joined", "left", "error", "error"]
    assert ann.error() == "already_logged_in"
    assert [bot.inbox.kinds() for bot in (ben, cid)] == [["session", "joined"]] * 2
    assert set(node.leader.arena.tournaments["tuesday"].field) == {"ann", "ben", "cid"}
    assert not node.leader.arena.tournaments["monday"].field


def test_a_close_that_a_suspended_leader_did_not_come_to_is_left_to_the_next_one() -> None:
    node = club()
    node.lead()
    ann = node.bot("ann", key=KEY)
    node.gate.close()
    ann.session.close(CloseCode.BINARY_FRAME)
    node.gate.discard()
    node.edge.lead_by_nobody()
    node.follow(node.leader.successor())
    node.run(100)
    assert ann.link.closed is CloseCode.BINARY_FRAME


def test_a_node_that_comes_to_lead_again_answers_what_another_could_not() -> None:
    node = club()
    ann = node.bot("ann", key=KEY)
    ann.heard()
    node.cut()
    ann.say_text("nonsense")
    ann.login("ann", key=KEY)
    node.lead()
    node.run(10)
    assert ann.inbox.kinds() == ["error", "error"]
