"""Bots of a club that another node leads: what they see is what they see where their own node leads it."""

from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rumble_engine import Termination
from rumble_protocol.bot_messages import Leave
from rumble_protocol.codes import CloseCode, NoticeCode
from rumble_protocol.fields import TimeControl
from rumble_server.arena.messages import notice
from rumble_server.arena.ports import FrameId
from rumble_server.bounds import Bounds
from rumble_server.cluster.edge import Edge, Here
from rumble_server.cluster.gate import Gate, GatedLeader
from rumble_server.gateway.sessions import Sessions
from rumble_server.match.facts import MatchOver, MoveMade
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import BotJoined, LogFact, NameReset, TournamentCreated

from tests.server.cluster.linked import EdgeNode, LeaderNode
from tests.server.frames import Frame
from tests.server.world import Bot, Disk, VirtualClock

KEY = "correct-horse-battery"
AWAY_MS = TournamentConfig(name="x", game="tictactoe").away_ms


def club(*, delay_ms: int = 1, move_ms: int = 10_000, bounds: Bounds | None = None, **limits: int) -> EdgeNode:
    """An edge whose club has a tournament of tic-tac-toe that two bots start."""
    leader = LeaderNode(VirtualClock(), 1)
    config = TournamentConfig(
        name="Friday", game="tictactoe", start_at_bots=2, time_control=TimeControl(move_ms=move_ms)
    )
    leader.organiser.create(config)
    node = EdgeNode(leader, delay_ms=delay_ms, bounds=bounds, **limits)
    node.run(10 * delay_ms)
    return node


def in_play(node: EdgeNode) -> tuple[Bot, Bot]:
    """Two bots in a match: the one on turn, and the other."""
    bots = [node.bot(name, key=KEY, join="friday") for name in ("ann", "ben")]
    node.run(20 * node.delay_ms)
    for bot in bots:
        assert bot.inbox.all("match_start")
    mover, waiter = sorted(bots, key=lambda bot: not bot.inbox.all("turn"))
    for bot in bots:
        bot.heard()
    return mover, waiter


def moves(node: EdgeNode) -> list[MoveMade]:
    return [fact for fact in node.leader.log.facts if isinstance(fact, MoveMade)]


def answer(bot: Bot) -> None:
    """Answer the newest turn."""
    turn = bot.last("turn")
    bot.move(turn["legal"][0], turn=turn)


def play_out(node: EdgeNode, mover: Bot, waiter: Bot) -> None:
    """Play the match to its end, from turn to turn."""
    for _ in range(9):
        for bot in (mover, waiter):
            for turn in bot.heard("turn"):
                bot.move(turn["legal"][0], turn=turn)
        node.run(10 * node.delay_ms)
    assert [len(bot.inbox.all("match_over")) for bot in (mover, waiter)] == [1, 1]


def no_faults(*bots: Bot) -> bool:
    """Whether nothing that the bots did was refused."""
    return not any(bot.inbox.all(kind) for bot in bots for kind in ("error", "rejected"))


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


def test_a_bot_that_came_and_went_unheard_replaces_no_newer_login() -> None:
    node = club()
    node.cut()
    early = node.connect_bot()
    early.login("ann", key=KEY)
    node.run(100)
    early.drop()
    other = EdgeNode(node.leader)
    late = other.bot("ann", key=KEY)
    node.connect()
    node.run(100)
    assert late.link.closed is None
    assert node.leader.arena.is_connected("ann")


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


def repeated(node: EdgeNode, bot: Bot, *messages: dict[str, str]) -> list[LogFact]:
    """Have a bot say something that the leader has on disk, and the next one hears again; what that one recorded."""
    for message in messages:
        bot.say(**message)
    node.run(node.delay_ms + node.delay_ms // 2)  # it is there, and no answer has come
    assert node.leader.log.durable == node.leader.log.last
    node.cut()
    bot.heard()
    written = node.leader.log.last
    node.follow(node.leader.successor())
    node.run(20 * node.delay_ms)
    assert bot.link.closed is None
    return node.leader.log.facts[written:]


def test_a_challenge_that_is_on_disk_is_not_made_twice() -> None:
    node = club(delay_ms=10)
    ann, _ = node.bot("ann", key=KEY), node.bot("ben", key=KEY, challenges=True)
    recorded = repeated(node, ann, {"type": "challenge", "against": "ben", "game": "tictactoe"})
    assert not any(isinstance(fact, TournamentCreated) for fact in recorded)
    assert sum(tournament.challenger == "ann" for tournament in node.leader.arena.tournaments.values()) == 1
    assert sorted(ann.inbox.kinds()) == ["joined", "match_start"] + ["turn"] * len(ann.inbox.all("turn"))


def test_a_bot_that_joined_and_left_does_not_join_again_by_a_repeat() -> None:
    node = club(delay_ms=10)
    ann = node.bot("ann", key=KEY)
    joins, leaves = ({"type": kind, "tournament": "friday"} for kind in ("join", "leave"))
    assert not any(isinstance(fact, BotJoined) for fact in repeated(node, ann, joins, leaves))
    assert ann.inbox.kinds() == ["left"]


def test_a_login_that_joined_joins_no_second_time_by_a_repeat() -> None:
    node = club(delay_ms=10)
    ann = node.connect_bot()
    ann.login("ann", key=KEY, join="friday")
    node.run(15)
    node.cut()
    node.follow(node.leader.successor())
    node.run(200)
    assert ann.inbox.kinds() == ["welcome", "session", "joined"]
    assert sum(isinstance(fact, BotJoined) for fact in node.leader.log.facts) == 1


def test_a_bot_that_left_and_joined_again_does_not_leave_by_a_repeat() -> None:
    node = club(delay_ms=10)
    ann = node.bot("ann", key=KEY, join="friday")
    other = EdgeNode(node.leader, delay_ms=10)
    ann.say(type="leave", tournament="friday")
    node.run(15)
    node.cut()
    second = other.bot("ann", key=KEY, worker="b", join="friday")
    assert second.inbox.all("joined")
    node.follow(node.leader.successor())
    node.run(200)
    assert "ann" in node.leader.arena.tournaments["friday"].field


@pytest.mark.parametrize(("left", "told"), [(False, ["joined", "tournament_over"]), (True, [])])
def test_a_join_that_is_repeated_after_the_end_is_answered_unless_its_bot_left(*, left: bool, told: list[str]) -> None:
    node = club(delay_ms=10)
    node.leader.organiser.create(TournamentConfig(name="Monday", game="tictactoe"))
    ann, _ = node.bot("ann", key=KEY), node.bot("ben", key=KEY, join="monday")
    ann.heard()
    ann.say(type="join", tournament="monday")
    node.run(15)
    node.cut()
    node.leader.organiser.start("monday")
    if left:  # that ends it, too
        node.leader.organiser.remove("monday", "ann")
    else:
        node.leader.organiser.end("monday", cancelled=True)
    node.leader.lead.forget(node.node)
    node.connect()
    node.run(300)
    assert ann.inbox.kinds() == told


def test_a_leave_that_is_repeated_after_the_end_does_no_harm() -> None:
    node = club(delay_ms=10)
    node.leader.organiser.create(TournamentConfig(name="Monday", game="tictactoe"))
    ann, _ = node.bot("ann", key=KEY, join="monday"), node.bot("ben", key=KEY, join="monday")
    other = EdgeNode(node.leader, delay_ms=10)
    ann.say(type="leave", tournament="monday")
    node.run(15)
    node.cut()
    other.bot("ann", key=KEY, worker="b", join="monday")
    node.leader.organiser.start("monday")
    node.leader.organiser.end("monday", cancelled=True)
    node.leader.lead.forget(node.node)
    node.connect()
    node.run(300)
    assert ann.link.closed is None
    assert node.leader.arena.is_connected("ann")


def test_a_resignation_does_not_end_the_next_attempt_by_a_repeat() -> None:
    node = club(delay_ms=10)
    ann, _ = (node.bot(name, key=KEY, join="friday", max_matches=2) for name in ("ann", "ben"))
    node.run(100)
    match_id = ann.inbox.all("match_start")[0]["match"]
    ann.say(type="resign", match=match_id)
    node.run(15)
    node.leader.organiser.play_again(match_id)
    assert match_id in node.leader.arena.matches.live
    node.cut()
    node.follow(node.leader.successor())
    node.run(200)
    assert match_id in node.leader.arena.matches.live
    assert ann.link.closed is None


def test_what_a_leader_did_is_not_done_twice_when_it_hears_it_on_another_stream() -> None:
    node = club(delay_ms=10)
    ann, _ = node.bot("ann", key=KEY), node.bot("ben", key=KEY, challenges=True)
    ann.say(type="challenge", against="ben", game="tictactoe")
    node.run(15)
    node.cut()
    node.leader.lead.forget(node.node)
    node.connect()
    node.run(300)
    made = [fact for fact in node.leader.log.facts if isinstance(fact, TournamentCreated) and fact.challenger]
    assert len(made) == 1


def test_a_node_that_comes_to_lead_does_nothing_twice() -> None:
    node = club(delay_ms=10)
    ann, _ = node.bot("ann", key=KEY), node.bot("ben", key=KEY, challenges=True)
    ann.say(type="challenge", against="ben", game="tictactoe")
    node.run(15)
    node.cut()
    ann.heard()
    node.lead()
    node.run(100)
    made = [fact for fact in node.leader.log.facts if isinstance(fact, TournamentCreated) and fact.challenger]
    assert len(made) == 1
    assert not ann.inbox.all("error")
    assert ann.inbox.all("joined")


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
    cid = node.connect_bot()
    cid.login("cid", key=KEY, join="tuesday")
    node.gate.discard()
    node.edge.lead_by_nobody()
    node.run(10)
    assert [bot.inbox.kinds() for bot in (ann, ben, cid)] == [[], ["welcome"], ["welcome"]]
    node.follow(node.leader.successor())
    node.run(100)
    assert ann.inbox.kinds() == ["joined", "left", "error"]
    assert [bot.inbox.kinds() for bot in (ben, cid)] == [["session", "joined"]] * 2
    assert set(node.leader.arena.tournaments["tuesday"].field) == {"ann", "ben", "cid"}
    assert not node.leader.arena.tournaments["monday"].field


def test_a_node_that_comes_to_lead_again_answers_what_another_could_not() -> None:
    node = club()
    ann = node.bot("ann", key=KEY)
    ann.heard()
    node.cut()
    ann.say_text("nonsense")
    node.lead()
    node.run(10)
    assert ann.inbox.kinds() == ["error"]


def test_a_bot_that_left_is_not_joined_again_however_often_the_leader_changes() -> None:
    node = club()
    ann = node.bot("ann", join="friday")
    ann.say(type="leave", tournament="friday")
    node.run(10)
    for _ in range(3):
        node.cut()
        node.follow(node.leader.successor())
        node.leader.log.stuck = True
        ann.say(type="join", tournament="nowhere")
        node.run(2)
        node.leader.log.stuck = False
    node.run(100)
    assert "ann" not in node.leader.arena.tournaments["friday"].field


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


# --- whatever happens ---


class Chaos:
    """Two bots on an edge that say numbered things, while links break and leaders change."""

    def __init__(self) -> None:
        self.node = club(unsolicited_per_minute=100_000)
        self.bots = [self.node.bot(name, key=KEY) for name in ("ann", "ben")]
        self.said: list[list[str]] = [[], []]
        self.leaders = [self.node.leader]
        for bot in self.bots:
            bot.link.on_frame.append(self._look)

    def _look(self, frame: Frame) -> None:
        if frame["type"] == "notice":
            assert frame["message"] == f"epoch {self.node.edge.epoch}"

    def do(self, what: str, number: int) -> None:
        node, pipe = self.node, self.node.pipe
        match what:
            case "say":
                who = number % 2
                self.said[who].append(f"t{len(self.said[who])}")
                self.bots[who].say(type="join", tournament=self.said[who][-1])
            case "run":
                node.run(number)
            case "cut" if pipe is not None:
                pipe.cut()
            case "connect" if pipe is None:
                node.connect()
            case "freeze" if pipe is not None:
                pipe.is_frozen = True
            case "thaw" if pipe is not None:
                pipe.thaw()
            case "succeed":
                node.follow(node.leader.successor())
                self.leaders.append(node.leader)
            case "tell":  # every leader that there was still believes that it leads
                for leader in self.leaders:
                    for peer in leader.lead._peers.values():
                        for session_id in list(peer.sessions):
                            leader.lead.send(session_id, notice(NoticeCode.DRAINING, f"epoch {leader.epoch}"))

    def settle(self) -> None:
        if self.node.pipe is not None:
            self.node.pipe.thaw()
            self.node.cut()
        self.node.connect()
        self.node.run(2000)

    def answered(self, who: int) -> list[str]:
        """What the bot was answered about, in order."""
        return [frame["message"].rpartition(" ")[2].strip("'") for frame in self.bots[who].inbox.all("error")]


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["say", "say", "say", "run", "run", "cut", "connect", "freeze", "thaw", "tell"]),
        st.integers(0, 5),
    ),
    max_size=60,
)


@settings(deadline=None)
@given(EVENTS)
def test_whatever_links_do_each_frame_is_answered_once_and_in_order(events: list[tuple[str, int]]) -> None:
    chaos = Chaos()
    for what, number in events:
        chaos.do(what, number)
    chaos.settle()
    assert [chaos.answered(who) for who in (0, 1)] == chaos.said
    assert [bot.link.closed for bot in chaos.bots] == [None, None]


@settings(deadline=None)
@given(st.lists(EVENTS, min_size=2, max_size=4))
def test_whoever_leads_each_frame_is_answered_and_nothing_of_an_old_epoch_is_heard(
    eras: list[list[tuple[str, int]]],
) -> None:
    chaos = Chaos()
    for events in eras:
        for what, number in events:
            chaos.do(what, number)
        chaos.do("succeed", 0)
    chaos.settle()
    for who in (0, 1):
        answered = chaos.answered(who)
        assert list(dict.fromkeys(answered)) == chaos.said[who]
        last = [answered.index(said) for said in chaos.said[who]]
        assert last == sorted(last)
    assert [bot.link.closed for bot in chaos.bots] == [None, None]


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
