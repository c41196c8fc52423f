"""What a bot said is done once, whoever leads its club and however often it is said again."""

import pytest
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import BotJoined, LogFact, TournamentCreated

from tests.server.cluster.linked import KEY, EdgeNode, club
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
