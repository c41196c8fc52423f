"""The host's commands in a world of bots: their effects, and the messages to each bot."""

import pytest
from rumble_protocol.codes import CloseCode, ErrorCode
from rumble_server.limits.bans import MOST_BANS, Ban
from rumble_server.tournament.errors import CommandRefused

from tests.server.arena.playing import assert_all_was_played, begun_at_random, enter
from tests.server.world import World


def test_the_host_removes_a_bot_which_is_told_and_loses_by_adjudication() -> None:
    world = World()
    tournament, (ann, ben) = world.begun("ann", "ben")
    with pytest.raises(CommandRefused) as refused:
        world.organiser.remove(tournament.id, "zoe")
    assert refused.value.code is ErrorCode.UNKNOWN_BOT
    world.organiser.remove(tournament.id, "ANN")
    assert ann.last("notice")["code"] == "removed"
    assert ben.inbox.all("match_over")[0]["termination"] == "adjudication"
    assert tournament.status == "finished"
    assert tournament.standings.tally.bots["ben"].wins == 2


def test_a_bot_that_has_left_is_not_told_that_the_host_removed_it() -> None:
    world = World()
    tournament, (ann, *_) = world.begun("ann", "ben", "cid")
    ann.say(type="leave", tournament=tournament.id)
    world.organiser.remove(tournament.id, "ann")
    assert ann.inbox.all("notice") == []


def test_refused_start_without_absent_bots_removes_nobody() -> None:
    world = World()
    tournament = world.create(format="gauntlet", challengers=3)
    bots = world.logins("ann", "ben", "cid", "dan", join="friday")
    for bot in bots[:2]:
        bot.drop()
    with pytest.raises(CommandRefused, match="friday cannot be started: a gauntlet of 2 has 1 to 1 challengers, not 3"):
        world.organiser.start("friday", without_absent=True)
    assert (tournament.status, len(tournament.field)) == ("lobby", 4)


def test_no_tournament_starts_whose_rounds_have_too_many_matches() -> None:
    world = World()
    with pytest.raises(CommandRefused, match="a round of 12 bots has 6000 matches") as refused:
        world.create(legs=1000, start_at_bots=12)
    assert refused.value.code is ErrorCode.BAD_SETTINGS
    hosted = world.create(name="hosted", legs=1000)
    timed = world.create(name="timed", legs=1000, start_at_ms=world.clock.now_ms() + 60_000)
    for tournament in (hosted, timed):
        world.logins(*(f"{tournament.id}-{number}" for number in range(12)), join=tournament.id)
    with pytest.raises(CommandRefused, match="ask for fewer legs"):
        world.organiser.start("hosted")
    world.run(60_000)
    assert (hosted.status, timed.status) == ("lobby", "cancelled")
    assert "a round of 12 bots has 6000 matches" in timed.reason


def test_while_paused_the_running_match_ends_and_none_starts_and_everyone_is_told() -> None:
    world = World()
    tournament, bots = begun_at_random(world, "ann", "ben")
    world.organiser.pause(tournament.id, "lunch")
    world.run()
    assert (len(tournament.results), world.arena.matches.live) == (1, {})
    world.organiser.resume(tournament.id)
    world.run()
    assert_all_was_played(tournament)
    for bot in bots:
        assert [frame["code"] for frame in bot.inbox.all("notice")] == ["paused", "resumed"]
        assert "lunch" in bot.inbox.all("notice")[0]["message"]


@pytest.mark.parametrize("cancelled", [True, False])
def test_a_tournament_that_the_host_ends_early_has_its_running_matches_void(cancelled: bool) -> None:
    world = World()
    tournament, bots = world.begun("ann", "ben")
    world.organiser.end(tournament.id, cancelled=cancelled)
    for bot in bots:
        over = bot.last("match_over")
        assert (over["scores"], over["termination"]) == (None, "aborted")
        assert bot.last("tournament_over")["status"] == ("cancelled" if cancelled else "finished")
        assert [frame["code"] for frame in bot.inbox.all("notice")] == (["cancelled"] if cancelled else [])
    assert (world.arena.matches.live, tournament.results) == ({}, {})
    world.run()
    assert world.arena.matches.live == {}


@pytest.mark.parametrize("finished", [True, False])
def test_the_host_has_a_match_played_again_as_the_next_attempt(finished: bool) -> None:
    world = World()
    tournament, bots = begun_at_random(world, "ann", "ben", cycles=2)
    while finished and not tournament.results:
        world.clock.step()
    world.organiser.play_again("friday.1.1.1.1")
    world.run()
    assert_all_was_played(tournament)
    assert tournament.results["friday.1.1.1.1"].attempt == 2
    assert [over.attempt for over in tournament.voided] == [1]
    for bot in bots:
        starts = [frame for frame in bot.inbox.all("match_start") if frame["match"] == "friday.1.1.1.1"]
        assert [(frame["attempt"], frame["moves"]) for frame in starts] == [(1, []), (2, [])], "with the same opening"
        assert [frame["code"] for frame in bot.inbox.all("notice")] == (["match_voided"] if finished else [])


def test_matches_that_the_host_has_played_again_do_not_pause_the_tournament() -> None:
    world = World()
    tournament, _ = world.begun("ann", "ben", legs=1)
    for _ in range(6):
        world.organiser.play_again("friday.1.1.1.1")
        world.run(10)
    assert (tournament.status, len(tournament.voided), len(tournament.running)) == ("running", 6, 1)
    for _ in range(5):
        world.arena.matches.abort("friday.1.1.1.1", "a fault of the server")
        world.run(10)
    assert "was void 5 times: a fault" in tournament.reason


def test_the_host_resets_a_key() -> None:
    world = World()
    world.login("ann", key="correct-horse-battery").drop()
    world.organiser.reset_key("ANN")
    assert world.login("ann", key="another-horse-battery").inbox.kinds() == ["welcome", "session"]
    with pytest.raises(CommandRefused) as refused:
        world.organiser.reset_key("zoe")
    assert refused.value.code is ErrorCode.UNKNOWN_BOT


@pytest.mark.parametrize("new", [None, "another-horse-battery"])
def test_a_bot_with_the_old_key_is_signed_out(new: str | None) -> None:
    world = World()
    thief = world.login("ann", key="correct-horse-battery")
    world.organiser.reset_key("ann", new)
    assert (thief.error(), thief.link.closed) == ("bad_key", CloseCode.WRONG_KEY)
    thief.drop()
    owner = world.login("ann", key="another-horse-battery", worker="two")
    assert owner.last("session")["name"] == "ann"


def test_a_key_for_an_open_name_ends_no_match() -> None:
    world = World(open_names=True)
    tournament, (ann, _) = begun_at_random(world, "ann", "ben")
    world.organiser.reset_key("ann", "correct-horse-battery")
    world.run()
    assert ann.link.closed is None
    assert_all_was_played(tournament)


def test_draining_tells_everyone_and_starts_nothing_more() -> None:
    world = World()
    tournament, bots = begun_at_random(world, "ann", "ben")
    world.arena.drain()
    world.run()
    assert len(tournament.results) == 1
    assert world.arena.matches.live == {}
    assert all(bot.last("notice")["code"] == "draining" for bot in bots)


def test_after_the_stop_nothing_is_judged_or_recorded() -> None:
    world = World()
    _, bots = world.begun("ann", "ben", "cid", absent_ms=1000, away_ms=1000)
    (match,) = world.arena.matches.live.values()
    waiting = next(bot for bot in bots if bot.name not in match.progress.terms.seats)
    waiting.drop()
    world.arena.stop()
    facts = len(world.log.facts)
    for bot in bots:
        bot.drop()
    world.arena.scheduler.settle_all()
    world.run()
    assert len(world.log.facts) == facts


def test_a_tournament_that_is_over_stays_in_memory_until_its_end_is_on_disk() -> None:
    world = World()
    world.log.stuck = True
    for number in range(2):
        world.organiser.end(world.create(name=f"night {number}").id, cancelled=True)
    assert list(world.arena.tournaments) == ["night-0", "night-1"]
    world.log.unstick()
    assert world.arena.tournaments == {}


@pytest.mark.parametrize("in_memory", [True, False])
@pytest.mark.parametrize(
    ("command", "given"),
    [
        ("start", ()),
        ("pause", ("lunch",)),
        ("resume", ()),
        ("change_invite", ("sesame",)),
        ("give_half_bye", ("ann", 1)),
        ("play_again", ()),
    ],
)
def test_commands_on_a_tournament_that_is_over_get_one_refusal(
    command: str, given: tuple[object, ...], in_memory: bool
) -> None:
    world = World()
    world.organiser.end(world.create().id, cancelled=True)
    organiser = world.organiser if in_memory else world.after_crash().organiser
    what = "friday.1.1.1.1" if command == "play_again" else "friday"
    with pytest.raises(CommandRefused, match=r"^friday is over; its results stand$") as refused:
        getattr(organiser, command)(what, *given)
    assert refused.value.code is ErrorCode.TOURNAMENT_CLOSED


def test_a_half_point_bye_is_told_to_the_bot_and_counts_when_its_round_is_paired() -> None:
    world = World()
    tournament = world.create(start_at_bots=5, format="swiss", rounds=2)
    ann, *_ = enter(world, tournament.id, "ann")
    world.organiser.give_half_bye(tournament.id, "ANN", 1)
    world.organiser.give_half_bye(tournament.id, "ann", 1)
    world.run()
    assert (ann.last("notice")["code"], ann.last("notice")["tournament"]) == ("bye", tournament.id)
    assert ann.inbox.kinds().count("notice") == 1
    enter(world, tournament.id, "ben", "cid", "dan", "eve")
    world.run()
    assert tournament.status == "finished"
    line = next(each for each in tournament.standings.lines() if each.name == "ann")
    assert (line.played, line.points >= 1) == (2, True), (
        "two matches of the second round, and a draw's points for each of two"
    )


def test_a_half_point_bye_is_taken_back_before_its_round_is_paired() -> None:
    world = World()
    tournament = world.create(start_at_bots=3, format="swiss", rounds=2, legs=1)
    ann, _ = enter(world, tournament.id, "ann", "ben")
    for number in (1, 2):
        world.organiser.give_half_bye(tournament.id, "ann", number)
    world.organiser.take_half_bye(tournament.id, "ANN", 2)
    assert "takes back the half-point bye of ann in round 2" in ann.last("notice")["message"]
    with pytest.raises(CommandRefused, match="ann has no half-point bye in round 2 of friday"):
        world.organiser.take_half_bye(tournament.id, "ann", 2)
    again = world.after_crash()
    enter(again, "friday", "cid", "ann", "ben")
    again.run()
    rebuilt = again.tournament("friday")
    assert rebuilt.half_byes == {1: {"ann": None}, 2: {}}
    assert {line.name: line.half_byes for line in rebuilt.standings.lines()} == {"ann": 1, "ben": 0, "cid": 0}
    with pytest.raises(CommandRefused, match="friday is over; its results stand"):
        again.organiser.take_half_bye("friday", "ann", 1)


def test_a_round_that_half_point_byes_leave_nobody_for_is_followed_by_the_next() -> None:
    world = World()
    tournament = world.create(start_at_bots=3, format="swiss", rounds=2, legs=1)
    enter(world, tournament.id, "ann", "ben")
    for name in ("ann", "ben"):
        world.organiser.give_half_bye(tournament.id, name, 1)
    enter(world, tournament.id, "cid")
    world.run()
    assert (tournament.status, tournament.reason) == ("finished", "all matches were played")
    assert {line.name: line.half_byes for line in tournament.standings.lines()} == {"ann": 1, "ben": 1, "cid": 0}
    assert len(tournament.results) == 1


def test_more_rounds_of_a_swiss_than_its_field_can_play_are_refused() -> None:
    world = World()
    why = "4 bots can play 3 rounds without meeting again, not 7"
    with pytest.raises(CommandRefused, match=why) as refused:
        world.create(format="swiss", rounds=7, start_at_bots=4)
    assert refused.value.code is ErrorCode.BAD_SETTINGS
    tournament = world.create(format="swiss", rounds=7)
    enter(world, tournament.id, "ann", "ben", "cid", "dan")
    with pytest.raises(CommandRefused, match=why):
        world.organiser.start(tournament.id)


def test_bans_in_force_are_bounded_and_ended_bans_do_not_count() -> None:
    world = World()
    bans = world.arena.bans
    now_ms = world.arena.clock.now_ms()
    for number in range(MOST_BANS):
        bans.add(Ban(f"bot-{number}", by_name=True, until_ms=None, reason="", at_ms=now_ms))
    with pytest.raises(CommandRefused) as refused:
        world.organiser.ban("zoe", by_name=True, until_ms=None, reason="")
    assert refused.value.code is ErrorCode.UNAVAILABLE
    world.organiser.ban("bot-7", by_name=True, until_ms=now_ms + 1_000, reason="for a second more")
    world.clock.advance(1_000)
    world.organiser.ban("zoe", by_name=True, until_ms=None, reason="")
    assert bans.has("zoe", world.arena.clock.now_ms(), by_name=True)
