"""What a bot said is done once, whoever leads its club and however often it is said again."""

from collections.abc import Callable

import pytest
from rumble_engine import Termination
from rumble_protocol.codes import CloseCode
from rumble_server.arena import lifecycle
from rumble_server.arena.recovery import REPEATED_MS
from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import BotJoined, LogFact, TournamentCreated

from tests.server.cluster.linked import KEY, EdgeNode, club, in_play
from tests.server.world import Bot


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


def over_and_unacknowledged(node: EdgeNode) -> Bot:
    """Have a bot make a challenge that its rival ends, and hear nothing of it; all is on disk."""
    ann, ben = node.bot("ann", key=KEY), EdgeNode(node.leader).bot("ben", key=KEY, challenges=True)
    ann.heard()
    assert node.pipe is not None
    node.pipe.to_edge.is_full = True  # the leader's answers wait
    ann.say(type="challenge", against="ben", game="tictactoe")
    node.run(50)
    ben.say(type="resign", match=ben.last("match_start")["match"])
    node.run(50)
    assert ben.inbox.all("tournament_over")
    assert node.leader.log.durable == node.leader.log.last
    node.cut()
    assert not ann.inbox.kinds()
    return ann


def challenges(node: EdgeNode) -> list[TournamentCreated]:
    return [fact for fact in node.leader.log.facts if isinstance(fact, TournamentCreated) and fact.challenger]


def test_a_challenge_that_is_over_is_not_made_again_by_the_next_leader() -> None:
    node = club(delay_ms=10)
    ann = over_and_unacknowledged(node)
    node.follow(node.leader.successor())
    node.run(300)
    assert len(challenges(node)) == 1
    assert ann.inbox.kinds() == ["joined", "tournament_over"]


def test_a_challenge_that_is_over_is_not_made_again_by_a_leader_that_has_freed_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lifecycle, "MOST_ENDED", 0)
    node = club(delay_ms=10)
    ann = over_and_unacknowledged(node)
    another_is_over_and_the_link_anew(node)
    assert [fact.challenger for fact in challenges(node)] == ["ann", "cid"]
    assert ann.inbox.kinds() == ["joined", "tournament_over"]


def another_is_over_and_the_link_anew(node: EdgeNode) -> None:
    """Have another challenge end, so that the leader frees the first one, and have the node say again what it said."""
    cid, dan = (EdgeNode(node.leader).bot(name, key=KEY, challenges=True) for name in ("cid", "dan"))
    cid.say(type="challenge", against="dan", game="tictactoe")
    node.run(50)
    dan.say(type="resign", match=dan.last("match_start")["match"])
    node.run(50)
    assert "challenge-ann-ben" not in node.leader.arena.tournaments
    node.leader.lead.forget(node.node)
    node.connect()
    node.run(300)


def resigned_and_cut(played_ms: int = 0) -> tuple[EdgeNode, Bot]:
    """Have a bot resign its challenge after a time, and hear nothing of that; all is on disk."""
    node = club(delay_ms=10)
    ann, ben = node.bot("ann", key=KEY), EdgeNode(node.leader).bot("ben", key=KEY, challenges=True)
    ann.heard()
    control = {"move_ms": 3_600_000}
    ann.say(type="challenge", against="ben", game="tictactoe", time_control=control)
    node.run(20 + played_ms)
    ann.say(type="resign", match=ben.last("match_start")["match"])
    node.run(15)
    assert ben.inbox.all("tournament_over")
    node.cut()
    ann.heard()
    return node, ann


@pytest.mark.parametrize("played_ms", [0, 20 * REPEATED_MS])
def test_a_challenge_that_was_resigned_is_neither_made_nor_resigned_again(played_ms: int) -> None:
    node, ann = resigned_and_cut(played_ms)
    node.follow(node.leader.successor())
    node.run(300)
    assert len(challenges(node)) == 1
    assert not ann.inbox.all("error")


def test_a_resignation_that_ended_a_tournament_is_no_fault_by_a_repeat() -> None:
    node = club(delay_ms=10)
    node.leader.organiser.create(TournamentConfig(name="Monday", game="tictactoe", legs=1))
    ann, _ = (node.bot(name, key=KEY, join="monday") for name in ("ann", "ben"))
    node.leader.organiser.start("monday")
    node.run(50)
    resign = {"type": "resign", "match": ann.last("match_start")["match"]}
    ann.heard()
    repeated(node, ann, resign)
    assert ann.inbox.kinds() == ["session"]


def test_a_challenge_that_was_resigned_and_freed_is_not_resigned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "MOST_ENDED", 0)
    node, ann = resigned_and_cut()
    another_is_over_and_the_link_anew(node)
    assert not ann.inbox.all("error")


def test_what_was_refused_is_answered_again() -> None:
    node = club(delay_ms=10)
    node.leader.organiser.create(TournamentConfig(name="Monday", game="tictactoe", invite="by-invitation"))
    mover, _ = in_play(node)
    written = node.leader.log.last
    repeated(node, mover, {"type": "join", "tournament": "monday"})
    assert node.leader.log.last > written, "what a bot in a match is refused is a part of that match"
    assert [error["code"] for error in mover.heard("error")] == ["invite_required"]


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


def test_a_flood_that_is_told_again_costs_no_further_match() -> None:
    node = club(delay_ms=10, unsolicited_per_minute=2)
    mover, _ = in_play(node)
    for _ in range(3):
        mover.say(type="join", tournament="nowhere")
    node.run(15)
    node.cut()
    assert not mover.inbox.all("error")
    node.follow(node.leader.successor())
    node.run(300)
    assert mover.link.closed is CloseCode.TOO_MANY_MESSAGES
    facts = node.leader.log.facts
    assert len([fact for fact in facts if isinstance(fact, MatchStarted)]) == 1
    assert [fact.termination for fact in facts if isinstance(fact, MatchOver)] == [Termination.FLOOD]


def challenged_and_cut() -> tuple[EdgeNode, Bot]:
    """Have a bot challenge another, and cut the link before the leader's answer is through."""
    node = club(delay_ms=10)
    ann, _ = node.bot("ann", key=KEY), node.bot("ben", key=KEY, challenges=True)
    ann.say(type="challenge", against="ben", game="tictactoe")
    node.run(15)
    node.cut()
    return node, ann


def test_what_a_leader_did_is_not_done_twice_when_it_hears_it_on_another_stream() -> None:
    node, _ = challenged_and_cut()
    node.leader.lead.forget(node.node)
    node.connect()
    node.run(300)
    assert len(challenges(node)) == 1


def test_a_node_that_comes_to_lead_does_nothing_twice() -> None:
    node, ann = challenged_and_cut()
    ann.heard()
    node.lead()
    node.run(100)
    assert len(challenges(node)) == 1
    assert not ann.inbox.all("error")
    assert ann.inbox.all("joined")


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


@pytest.mark.parametrize("is_read_too_late", [False, True])
@pytest.mark.parametrize("is_own", [False, True])
def test_what_needs_something_to_be_read_is_answered_by_the_next_leader(
    monkeypatch: pytest.MonkeyPatch, *, is_own: bool, is_read_too_late: bool
) -> None:
    monkeypatch.setattr(lifecycle, "MOST_ENDED", 0)
    node = club()
    node.leader.organiser.end("friday", cancelled=True)
    node.run(10)
    if is_own:
        node.lead()
        node.run(10)
    ann = node.bot("ann", key=KEY)
    arena, reads = node.leader.arena, list[Callable[[], None]]()
    find = arena._find_ended
    arena._find_ended = lambda tournament_id, done: reads.append(lambda: find(tournament_id, done))
    ann.say(type="join", tournament="friday")
    node.run(10)
    ann.say(type="resign", match="friday.1.1.1.1")  # its answer acknowledges what came before
    node.run(10)
    assert [frame["code"] for frame in ann.heard("error")][-1:] == ["bad_message"]
    if is_read_too_late:
        arena.stop()
        for read in reads:
            read()
        node.run(10)
    node.follow(node.leader.successor())
    node.run(100)
    assert "tournament_closed" in [frame["code"] for frame in ann.heard("error")]


@pytest.mark.parametrize("is_own", [False, True])
def test_an_answer_that_was_given_late_is_not_given_again(monkeypatch: pytest.MonkeyPatch, *, is_own: bool) -> None:
    monkeypatch.setattr(lifecycle, "MOST_ENDED", 0)
    node = club()
    node.leader.organiser.end("friday", cancelled=True)
    node.run(10)
    if is_own:
        node.lead()
        node.run(10)
    ann = node.bot("ann", key=KEY)
    arena = node.leader.arena
    find, reads = arena._find_ended, list[Callable[[], None]]()
    arena._find_ended = lambda tournament_id, done: reads.append(lambda: find(tournament_id, done))
    ann.say(type="join", tournament="friday")
    node.run(10)
    for read in reads:
        read()
    node.run(10)
    ann.say(type="resign", match="friday.1.1.1.1")
    node.run(10)
    assert [frame["code"] for frame in ann.heard("error")] == ["tournament_closed", "bad_message"]
    node.follow(node.leader.successor())
    node.run(100)
    assert "tournament_closed" not in [frame["code"] for frame in ann.heard("error")]
