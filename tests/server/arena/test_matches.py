"""Running matches in the arena: clocks, faults and connections."""

import weakref

import pytest
from rumble_engine import Termination
from rumble_protocol.fields import TimeControl
from rumble_server.match.facts import FrameSeen, MatchOver
from rumble_server.tournament.tournament import Tournament

from tests.server.world import Bot, World


def asked() -> tuple[World, Tournament, Bot]:
    """Return a single match with 1000 ms for each move, and the bot on turn."""
    world = World()
    tournament, bots = world.begun("ann", "ben", legs=1, time_control=TimeControl(move_ms=1000))
    (mover,) = [bot for bot in bots if bot.heard("turn")]
    return world, tournament, mover


# --- faults ---


def test_a_bot_that_drops_for_good_loses_by_disconnect_and_then_as_no_show() -> None:
    world = World()
    tournament, (ann, ben) = world.begun("ann", "ben", legs=3, away_ms=1000, absent_ms=2000)
    started_at_ms = world.clock.now_ms()
    ann.drop()
    assert ben.last("notice")["code"] == "opponent_away"
    world.run()
    endings = [(over.termination, over.at_ms - started_at_ms) for over in tournament.results.values()]
    assert endings == [(Termination.DISCONNECT, 1000), (Termination.NO_SHOW, 3000), (Termination.NO_SHOW, 3000)]
    assert len(ben.inbox.all("match_over")) == 3
    assert [over["moves"] for over in ben.inbox.all("match_over")] == [[], [], list(tournament.openings[1])]
    assert tournament.openings[1] != ()
    assert tournament.status == "finished"


def test_while_a_match_waits_for_a_bot_its_absent_budget_does_not_run() -> None:
    world = World()
    tournament, (ann, _) = world.begun("ann", "ben", away_ms=50_000, absent_ms=10_000)
    ann.drop()
    world.run(40_000)
    ann = world.login("ann")
    assert ann.inbox.kinds()[:3] == ["welcome", "session", "match_start"]
    assert tournament.field["ann"].absent_left_ms == 10_000


def test_frames_that_were_received_count_before_a_timeout_does() -> None:
    world, _, mover = asked()
    world.run(900)
    world.clock.stall(5000)
    world.clock.after_input(lambda: mover.move("4"))
    world.run(0)
    (match,) = world.arena.matches.live.values()
    assert match.progress.moves == ["4"]


def test_a_frame_that_waits_for_the_time_budget_counts_before_a_timeout_does() -> None:
    world, _, mover = asked()
    mover.link.waiting.append(lambda: mover.link.waiting.append(lambda: mover.move("4")))
    world.run(1010)
    (match,) = world.arena.matches.live.values()
    assert match.progress.moves == ["4"]


def test_a_waiting_frame_that_ends_the_match_leaves_no_verdict() -> None:
    world, tournament, mover = asked()
    mover.link.waiting.append(lambda: mover.say(type="resign", match=mover.last("turn")["match"]))
    world.run()
    assert [over.termination for over in tournament.results.values()] == [Termination.RESIGNATION]


def test_a_bot_that_sends_on_delays_the_verdict_by_one_more_reading() -> None:
    world, tournament, mover = asked()
    handled: list[int] = []

    def send_on() -> None:
        handled.append(world.clock.now_ms())
        mover.link.waiting.append(send_on)

    mover.link.waiting.append(send_on)
    world.run(1010)
    assert [over.termination for over in tournament.results.values()] == [Termination.TIMEOUT]
    assert len(handled) == 2


def test_messages_do_not_put_a_timeout_off() -> None:
    """The timer may fire a few ms late, and the verdict comes after the frames received by then."""
    world, _, mover = asked()
    world.run(999)
    world.clock.stall(3)
    world.clock.late_ms = 0
    for _ in range(10):
        world.clock.step()
        if not mover.inbox.all("match_over"):
            mover.move("4", turn={**mover.last("turn"), "turn_id": "none"})
    assert mover.last("match_over")["termination"] == Termination.TIMEOUT
    assert len(mover.inbox.all("rejected")) == 1


def test_a_verdict_waits_for_frames_that_arrived_while_earlier_frames_were_handled() -> None:
    """The second clock runs out between the last reading of the sockets and the verdict about the first clock."""
    world = World()
    control = TimeControl(move_ms=1000, bank_ms=500)
    _, (ann, ben) = world.begun("ann", "ben", game="dilemma", legs=1, time_control=control)
    ann.move("C")
    world.run(1003)
    ben.move("C")
    world.run(1496)
    assert world.clock.step(world.clock.now_ms() + 1)
    world.clock.stall(5)
    world.clock.late_ms -= 5  # the time is too short to count as lateness
    assert world.clock.step(world.clock.now_ms())
    ann.move("C")
    over = ann.last("match_over")
    assert (over["termination"], over["scores"]) == ("timeout", [1.0, 0.0])


def test_a_server_that_was_late_waits_as_long_again_before_a_verdict() -> None:
    world, _, mover = asked()
    world.clock.stall(1300)
    world.run(299)
    mover.move("4")
    assert [match.progress.moves for match in world.arena.matches.live.values()] == [["4"]]


# --- connections ---


def test_a_fallen_bot_is_told_that_it_cannot_resign_any_more() -> None:
    world = World()
    _, (_, ben) = world.begun("ann", "ben", game="dilemma", legs=1)
    match = ben.last("turn")["match"]
    ben.say(type="resign", match=match)
    assert ben.last("notice")["code"] == "seat_fell"
    before = len(world.log.facts)
    ben.say(type="resign", match=match)
    assert ben.error() == "bad_message"
    assert [fact.sender for fact in world.log.facts[before:] if isinstance(fact, FrameSeen)] == ["bot", "server"]


def test_a_frame_of_no_match_counts_live_and_after_a_restart_alike() -> None:
    world = World()
    _, (ann, ben) = world.begun("ann", "ben", legs=1)
    ann.say_text('{"type": "chat", "info": {"depth": 1}}')
    ben.say(type="resign", match="friday.1.1.1.1")
    (live,) = [fact for fact in world.log.facts if isinstance(fact, MatchOver)]
    again = world.after_crash(world.log.facts.index(live) - 1)
    again.logins("ann", "ben")[1].say(type="resign", match="friday.1.1.1.1")
    (rebuilt,) = [fact for fact in again.log.facts if isinstance(fact, MatchOver)]
    assert live.informed is rebuilt.informed is True


def test_messages_of_a_replaced_connection_count_for_nothing() -> None:
    world = World()
    _, (old, _) = world.begun("ann", "ben")
    world.login("ann")
    facts = len(world.log.facts)
    old.say(type="resign", match="friday.1.1.1.1")
    assert len(world.log.facts) == facts


# --- memory ---


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("game", ["tictactoe", "dilemma"])
def test_a_match_that_is_over_needs_no_garbage_collector(game: str) -> None:
    world = World()
    _, (ann, _) = world.begun("ann", "ben", legs=1, game=game)
    gone = [weakref.ref(each) for match in world.arena.matches.live.values() for each in (match, match.progress)]
    ann.say(type="resign", match=ann.last("match_start")["match"])
    world.run()
    assert [each() for each in gone] == [None, None]
