"""A bot of several workers: the sharing of matches among sessions, and their fate when sessions come and go."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from rumble_engine import Termination
from rumble_protocol.bot_messages import Login
from rumble_protocol.codes import CloseCode
from rumble_protocol.fields import TimeControl
from rumble_protocol.server_messages import Limits
from rumble_server.arena.bots.player import Player, Players
from rumble_server.arena.bots.session import BotSession, FrameSender, Part
from rumble_server.arena.ports import Caller
from rumble_server.limits.admission import Admission
from rumble_server.limits.bounds import Bounds
from rumble_server.match.facts import FrameSeen, FrameShared, MatchOver, SeatAway, SeatBack, TurnAsked, with_turns
from rumble_server.tournament.tournament import Tournament

from tests.server.arena.playing import NAMES, assert_all_was_played, at_random, enter, first_legal
from tests.server.world import Bot, World

CALLER = Caller(
    address="",
    keyless_allowed=True,
    most_matches=64,
    lag_ms=0,
    lag_by_pings=False,
    has_room=True,
    has_invited_room=True,
    may_send=True,
)


def workers(world: World, *names: str, name: str = "ann", **login: Any) -> list[Bot]:
    return [world.login(name, worker=worker, **login) for worker in names]


def gauntlet(world: World, **given: Any) -> Tournament:
    """Create a tournament in which ann meets each other bot once."""
    return world.create(**{"format": "gauntlet", "challengers": 1, "legs": 1, "openings": "none", **given})


def start(world: World, tournament: Tournament, *opponents: str) -> None:
    """Begin the tournament with ann and these opponents."""
    world.logins(*opponents, join=tournament.id, max_matches=4)
    with world.arena.transaction:
        world.arena.lifecycle.begin(tournament, ("ann", *opponents))
    world.end_iteration()


def playing(world: World, opponents: int = 1, *, names: tuple[str, ...] = ("one", "two"), **given: Any) -> list[Bot]:
    """Return workers of ann, with a match each as far as there are opponents."""
    login = given.pop("login", {})
    tournament = gauntlet(world, **given)
    bots = workers(world, *names, join=tournament.id, **login)
    start(world, tournament, *NAMES[1 : opponents + 1])
    return bots


def facts(world: World, kind: type) -> list[Any]:
    return [fact for fact in world.log.facts if isinstance(fact, kind)]


def absent_since_ms(tournament: Tournament) -> int | None:
    return tournament.field["ann"].absent_since_ms


def busy(bots: list[Bot]) -> list[Bot]:
    """Return the bots, those with a match first."""
    return sorted(bots, key=lambda bot: not bot.inbox.all("match_start"))


# --- several sessions are one bot ---


def test_workers_share_the_matches_of_their_bot_and_are_one_bot_in_the_standings() -> None:
    world = World(delay_ms=3)
    tournament = world.create(start_at_bots=5, cycles=2)
    enter(world, tournament.id, *NAMES[1:5], max_matches=3)
    bots = []
    for worker, most in (("one", 1), ("two", 2), (None, 1)):
        bots.append(world.player("ann", at_random(worker), join=tournament.id, max_matches=most, worker=worker))
    most_at_once = 0
    while world.clock.step():
        live = world.arena.matches.live.values()
        most_at_once = max(most_at_once, sum("ann" in match.referee.progress.terms.seats for match in live))
    assert_all_was_played(tournament)
    assert most_at_once == 4
    assert len(tournament.field) == 5
    told = Counter(frame["match"] for bot in bots for frame in bot.inbox.all("match_start"))
    assert set(told) == {match for match, over in tournament.results.items() if "ann" in over.seats}
    assert set(told.values()) == {1}
    for bot in bots:
        assert bot.inbox.all("match_over"), "each played"
        assert bot.last("tournament_over")["bots"] == 5


def test_a_new_login_replaces_its_own_worker_alone() -> None:
    world = World()
    one, two = playing(world, 2)
    match = one.last("match_start")["match"]
    again = world.login("ANN", worker="ONE")
    assert (one.link.closed, two.link.closed) == (CloseCode.REPLACED, None)
    assert one.link.reason == "a newer login of this worker took over"
    assert again.last("session")["matches"] == [match]
    assert (again.last("match_start")["match"], again.last("match_start")["resumed"]) == (match, True)
    assert two.inbox.all("session")[0]["matches"] == []
    assert not [frame for frame in two.inbox.frames if frame.get("match") == match]
    one.drop()
    assert not facts(world, SeatAway)
    workers(world, "one")
    assert again.link.closed is CloseCode.REPLACED


def test_a_login_without_a_worker_is_a_worker_of_its_own() -> None:
    world = World()
    (named,) = workers(world, "one")
    plain = world.login("ann")
    assert named.link.closed is None
    world.login("ann")
    assert (named.link.closed, plain.link.closed) == (None, CloseCode.REPLACED)
    assert plain.link.reason == "a newer login of this name took over"


def test_a_worker_has_a_name_of_the_pattern_of_names() -> None:
    bot = World().login("ann", worker="no spaces")
    assert bot.error() == "bad_message"
    assert bot.last("error")["detail"][0]["field"] == "worker"


def test_a_bot_has_no_more_workers_than_it_may() -> None:
    world = World(admission=Admission(Bounds(sessions_per_bot=2)))
    first, _second = workers(world, "one", "two")
    (third,) = workers(world, "three")
    assert (third.error(), third.link.closed) == ("unavailable", None)
    plain = world.login("ann")
    assert plain.error() == "unavailable"
    (second_again,) = workers(world, "two")
    assert second_again.last("session")["name"] == "ann", "it takes the place of the one there was"
    first.drop()
    third.login("ann", worker="three")
    assert third.last("session")["name"] == "ann"


# --- what goes to whom ---


def test_frames_of_a_match_go_to_the_session_that_plays_it() -> None:
    world = World()
    one, two = busy(playing(world))
    match = one.last("match_start")["match"]
    two.heard()
    two.say(type="move", match=match, turn_id=one.last("turn")["turn_id"], move="4")
    assert two.last("rejected")["code"] == "unknown_match"
    two.say(type="resign", match=match)
    assert two.error() == "bad_message"
    one.say(type="resign", match=match)
    assert one.last("match_over")["termination"] == "resignation"
    assert not two.inbox.all("match_over")


def test_frames_about_a_tournament_go_to_every_session_and_answers_to_who_asked() -> None:
    world = World()
    one, two = workers(world, "one", "two")
    tournament = gauntlet(world)
    one.say(type="join", tournament=tournament.id)
    assert [bot.inbox.kinds()[-1] for bot in (one, two)] == ["joined", "joined"]
    two.say(type="join", tournament=tournament.id)
    assert [bot.inbox.kinds() for bot in (one, two)] == [[], ["joined"]]
    two.say(type="join", tournament="nowhere")
    assert [bot.inbox.kinds() for bot in (one, two)] == [[], ["error"]]
    two.say(type="leave", tournament=tournament.id)
    assert [bot.inbox.kinds() for bot in (one, two)] == [["left"], ["left"]]
    one.say(type="leave", tournament=tournament.id)
    assert [bot.inbox.kinds() for bot in (one, two)] == [["left"], []]


def test_a_frame_of_no_match_is_kept_with_the_matches_of_its_session() -> None:
    world = World()
    one, two = playing(world, 2)
    own = {bot.link: bot.last("match_start")["match"] for bot in (one, two)}
    one.say_text("{")
    assert {seen.match for seen in facts(world, FrameSeen) if seen.frame == "{"} == {own[one.link]}
    assert not facts(world, FrameShared), "by no match of the other session"


def test_lag_and_thinking_are_those_of_the_session() -> None:
    world = World()
    one, two = sorted(playing(world, 2), key=lambda bot: not bot.inbox.all("turn"))
    assert [len(bot.inbox.all("turn")) for bot in (one, two)] == [1, 0]
    two.session.on_round_trip(7)
    one.session.on_round_trip(70)
    for bot, lag_ms in ((one, 70), (two, 7)):
        match = world.arena.matches.live[bot.last("match_start")["match"]]
        assert match.referee.progress.seats[bot.last("match_start")["seat"]].lag_ms == lag_ms
    one.session.on_silent()
    two.session.on_silent()
    assert (one.link.was_cut, two.link.was_cut) == (False, True)


# --- workers that drop ---


def test_a_match_whose_worker_drops_is_asked_of_another_at_once() -> None:
    world = World()
    control = TimeControl(bank_ms=60_000)
    one, two = busy(playing(world, time_control=control))
    turn = one.last("turn")
    world.run(4000)
    one.drop()
    start, asked = two.heard()[-2:]
    assert (start["type"], start["match"], start["resumed"]) == ("match_start", turn["match"], True)
    assert (asked["type"], asked["ply"]) == ("turn", turn["ply"])
    assert asked["turn_id"] != turn["turn_id"]
    assert asked["clock"]["remaining_ms"] == 56_000, "as it stood"
    assert not facts(world, SeatAway)
    two.move(first_legal(asked))
    two.say(type="resign", match=turn["match"])
    (over,) = facts(world, MatchOver)
    assert (over.termination, over.drops) == (Termination.RESIGNATION, (0, 0))


def test_nobody_is_told_of_a_worker_whose_match_goes_on() -> None:
    world = World()
    one, _two = busy(playing(world))
    other = world.login("ben")
    one.drop()
    assert not other.inbox.all("notice")


def test_who_takes_a_match_over_is_asked_as_its_own_login_wants() -> None:
    world = World()
    tournament = gauntlet(world)
    (one,) = workers(world, "one", join=tournament.id, omit=["legal"])
    start(world, tournament, "ben")
    (two,) = workers(world, "two", omit=["moves"])
    assert "legal" not in one.last("turn")
    one.drop()
    assert "moves" not in two.last("turn")
    assert two.last("turn")["legal"]


def test_matches_of_a_worker_go_to_those_with_most_room() -> None:
    world = World()
    one, two, three = workers(world, "one", "two", "three", max_matches=1)
    tournament = gauntlet(world)
    four, five = workers(world, "four", "five", max_matches=3)
    four.say(type="join", tournament=tournament.id)
    start(world, tournament, *NAMES[1:5])
    assert sorted(len(bot.inbox.all("match_start")) for bot in (one, two, three, four, five)) == [0, 0, 0, 2, 2]
    four.drop()
    assert [len(bot.inbox.all("match_start")) for bot in (one, two, three, five)] == [1, 1, 0, 2]
    assert not facts(world, SeatAway)


def test_without_room_elsewhere_the_away_budget_runs_until_a_worker_has_room() -> None:
    world = World()
    one, two = playing(world, 2, away_ms=30_000)
    lost, kept = (bot.last("match_start")["match"] for bot in (one, two))
    one.drop()
    (away,) = facts(world, SeatAway)
    assert away.match == lost
    world.run(5000)
    two.say(type="resign", match=kept)
    (back,) = facts(world, SeatBack)
    assert (back.match, back.away_left_ms) == (lost, 25_000)
    assert two.last("match_start")["match"] == lost
    assert two.last("turn")["match"] == lost


def test_a_worker_that_comes_with_room_takes_up_what_is_away() -> None:
    world = World()
    one, two = playing(world, 2)
    lost = one.last("match_start")["match"]
    one.drop()
    world.run(5000)
    (three,) = workers(world, "three", max_matches=2)
    assert three.last("session")["matches"] == [lost]
    assert [frame["match"] for frame in three.inbox.all("match_start")] == [lost]
    assert (three.last("match_start")["resumed"], two.link.closed) == (True, None)


def test_a_match_that_is_away_comes_before_a_new_one() -> None:
    world = World()
    one, two = playing(world, 3)
    lost, kept = (bot.last("match_start")["match"] for bot in (one, two))
    one.drop()
    two.say(type="resign", match=kept)
    assert [frame["match"] for frame in two.inbox.all("match_start")] == [kept, lost]


def test_the_budget_runs_out_although_other_workers_are_there() -> None:
    world = World()
    one, _two = playing(world, 2, away_ms=3000)
    lost = one.last("match_start")["match"]
    one.drop()
    world.run(3000)
    over = next(fact for fact in facts(world, MatchOver) if fact.match == lost)
    assert (over.termination, over.told) == (Termination.DISCONNECT, (1 - over.at_fault[0],))


def test_a_replaced_worker_with_less_room_leaves_the_rest_to_others() -> None:
    world = World()
    (one,) = playing(world, 3, names=("one",), login={"max_matches": 3})
    (two,) = workers(world, "two")
    assert len(one.inbox.all("match_start")) == 3
    (again,) = workers(world, "one")
    matches = [frame["match"] for frame in one.inbox.all("match_start")]
    told = [frame["match"] for bot in (again, two) for frame in bot.inbox.all("match_start")]
    assert again.last("session")["matches"] == [told[0]]
    assert len(told) == 2
    (away,) = facts(world, SeatAway)
    assert {*told, away.match} == set(matches)


def test_a_bot_is_absent_from_its_tournaments_when_no_session_is_left() -> None:
    world = World()
    tournament = gauntlet(world, absent_ms=10_000)
    one, two = workers(world, "one", "two", join=tournament.id)
    one.drop()
    assert absent_since_ms(tournament) is None
    assert world.arena.is_connected("ann")
    two.drop()
    assert absent_since_ms(tournament) == world.clock.now_ms()
    workers(world, "three")
    assert absent_since_ms(tournament) is None


def test_a_session_that_is_closing_is_given_nothing() -> None:
    world = World()
    tournament = gauntlet(world)
    beyond, key = {"address": "203.0.113.7", "is_local": False}, "correct-horse-battery"
    one = world.login("ann", beyond, worker="one", key=key, join=tournament.id, max_matches=9)
    (two,) = workers(world, "two", key=key)
    world.organiser.ban("203.0.113.7/32", by_name=False, until_ms=None, reason="")
    assert (one.link.closed, two.link.closed) == (CloseCode.BANNED, None)
    start(world, tournament, "ben")
    assert two.inbox.all("match_start")
    assert not one.inbox.all("match_start")


# --- floods ---


def test_a_flood_loses_the_matches_of_its_worker_alone() -> None:
    world = World(limits=Limits(unsolicited_per_minute=5))
    one, two = playing(world, 2)
    own, others = (bot.last("match_start")["match"] for bot in (one, two))
    for _ in range(6):
        one.say(type="join", tournament="nowhere")
    assert one.link.closed is CloseCode.TOO_MANY_MESSAGES
    (over,) = facts(world, MatchOver)
    assert (over.match, over.termination) == (own, Termination.FLOOD)
    assert others in world.arena.matches.live
    two.say(type="join", tournament="nowhere")
    assert two.link.closed is None, "its messages are counted apart"
    (again,) = workers(world, "one")
    assert again.link.closed is CloseCode.TOO_MANY_MESSAGES, "the limit outlives the connection"


def test_new_names_of_workers_bring_no_new_messages() -> None:
    world = World(limits=Limits(unsolicited_per_minute=5))
    for number in range(6):
        (bot,) = workers(world, f"w{number}")
        bot.drop()
    assert bot.link.closed is CloseCode.TOO_MANY_MESSAGES
    plain = world.login("ann")
    assert plain.link.closed is None


# --- games and challenges ---


def test_a_match_goes_to_a_worker_of_its_game() -> None:
    world = World()
    other, own = world.login("ann", worker="c4", games=["connect4"], max_matches=9), world.login("ann", worker="ttt")
    tournament = gauntlet(world, absent_ms=10_000)
    other.say(type="join", tournament=tournament.id)
    start(world, tournament, "ben", "cid")
    assert len(own.inbox.all("match_start")) == 1, "it has room for one, and the other is not asked"
    own.drop()
    assert facts(world, SeatAway), "it waits for who plays the game"
    assert absent_since_ms(tournament) == world.clock.now_ms()
    world.run(9000)
    (again,) = workers(world, "ttt")
    assert len(again.last("session")["matches"]) == 1
    assert absent_since_ms(tournament) is None
    assert not other.inbox.all("match_start")


def test_a_tournament_does_not_wait_without_end_for_a_worker_of_its_game() -> None:
    world = World()
    tournament = gauntlet(world, absent_ms=10_000)
    workers(world, "ttt", join=tournament.id)[0].drop()
    (other,) = workers(world, "c4", games=["connect4"])
    start(world, tournament, "ben")
    world.run(10_000)
    (over,) = facts(world, MatchOver)
    assert (over.termination, over.at_ms) == (Termination.NO_SHOW, world.clock.now_ms())
    assert not other.inbox.all("match_start")


def test_a_bot_that_is_one_session_without_a_worker_is_given_its_matches_whatever_its_games() -> None:
    world = World()
    tournament = gauntlet(world)
    world.login("ann", join=tournament.id).drop()
    bot = world.login("ann", games=["connect4"])
    start(world, tournament, "ben")
    assert len(bot.inbox.all("match_start")) == 1
    bot.drop()
    assert len(world.login("ann", games=["connect4"]).inbox.all("match_start")) == 1


def test_a_challenge_is_accepted_if_any_worker_accepts_challenges() -> None:
    world = World()
    bots = [world.login("ben", worker=worker, challenges=worker == "two") for worker in ("one", "two", "three")]
    ann = world.login("ann")
    ann.say(type="challenge", against="ben", game="tictactoe")
    assert all(bot.last("joined") for bot in (ann, *bots))


def test_a_tournament_takes_the_room_of_a_challenge_at_a_worker_of_its_game() -> None:
    world = World()
    bots = [world.login("ann", worker=game, games=[game], challenges=True) for game in ("tictactoe", "connect4")]
    for name, game in (("ben", "tictactoe"), ("cid", "connect4")):
        world.login(name).say(type="challenge", against="ann", game=game)
    assert [len(bot.inbox.all("match_start")) for bot in bots] == [1, 1]
    tournament = gauntlet(world)
    bots[1].say(type="join", tournament=tournament.id)
    start(world, tournament, "dan")
    assert bots[0].last("match_start")["tournament"] == tournament.id
    assert len(bots[1].inbox.all("match_start")) == 1
    assert not bots[1].inbox.all("match_over"), "its challenge is not in the way"


def test_the_room_that_a_challenge_leaves_goes_to_a_match_that_is_away_first() -> None:
    world = World()
    one, two = workers(world, "one", "two", challenges=True)
    world.login("zoe").say(type="challenge", against="ann", game="tictactoe")
    first = gauntlet(world)
    one.say(type="join", tournament=first.id)
    start(world, first, "ben")
    challenged, other = sorted((one, two), key=lambda bot: bot.last("match_start")["tournament"] == first.id)
    lost = other.last("match_start")["match"]
    other.drop()
    second = gauntlet(world, name="second")
    challenged.say(type="join", tournament=second.id)
    start(world, second, "cid")
    assert challenged.last("match_start")["match"] == lost
    challenged.say(type="resign", match=lost)
    assert challenged.last("match_start")["tournament"] == second.id


# --- a restart ---


def restarted(opponents: int) -> tuple[World, list[str]]:
    """Return the next run of a server on which ann plays a match at each of several workers."""
    world = World()
    names = tuple(f"w{number}" for number in range(opponents))
    playing(world, opponents, names=names)
    matches = list(world.arena.matches.live)
    assert len(matches) == opponents
    return world.after_crash(), matches


def test_after_a_restart_matches_go_on_with_whichever_worker_has_room() -> None:
    world, matches = restarted(3)
    (first,) = workers(world, "new", max_matches=2)
    (second,) = workers(world, "w0")
    assert first.last("session")["matches"] == matches[:2]
    assert second.last("session")["matches"] == matches[2:]
    assert {frame["resumed"] for bot in (first, second) for frame in bot.inbox.all("match_start")} == {True}


def test_after_a_restart_a_login_without_a_worker_has_all_as_ever() -> None:
    world, matches = restarted(3)
    assert world.login("ann").last("session")["matches"] == matches


def test_no_ply_is_asked_of_two_sessions_while_workers_come_and_go() -> None:
    world = World(delay_ms=2)
    tournament = world.create(start_at_bots=4, cycles=3, away_ms=60_000, absent_ms=60_000)
    enter(world, tournament.id, *NAMES[1:4], max_matches=3)
    live: dict[str, Bot] = {}
    everyone: list[Bot] = []

    def come(worker: str) -> None:
        live[worker] = world.player("ann", first_legal, lambda: 3, worker=worker, join=tournament.id)
        everyone.append(live[worker])

    for worker in ("one", "two", "three"):
        come(worker)
    for step in range(200):
        world.run(7)
        worker = ("one", "two", "three")[step % 3]
        if step % 2:
            live[worker].drop()
        else:
            come(worker)
    for worker in ("one", "two", "three"):
        come(worker)
    world.run()
    assert_all_was_played(tournament)
    asked = Counter(turn["turn_id"] for bot in everyone for turn in bot.inbox.all("turn"))
    assert set(asked.values()) == {1}
    assert len(asked) <= sum(isinstance(fact, TurnAsked) for fact in with_turns(world.log.facts))
    assert all(over.termination is Termination.NORMAL for over in tournament.results.values())


def test_a_match_that_never_began_is_told_once() -> None:
    world = World()
    tournament = gauntlet(world, absent_ms=1000)
    older, newest = workers(world, "one", "two", join=tournament.id)
    world.login("ben", join=tournament.id).drop()
    world.organiser.start(tournament.id)
    world.run(2000)
    assert len(newest.inbox.all("match_over")) == 1
    assert not older.inbox.all("match_over")
    assert len(older.inbox.all("tournament_over")) == len(newest.inbox.all("tournament_over")) == 1


# --- whatever comes, in any order ---

GAMES = ("hex", "chess")


def check_player(players: Players, player: Player, parts: dict[str, Part]) -> None:
    """Assert that sessions and matches agree, no match waits although a session has room, and `free` is current."""
    for session in player.sessions.values():
        assert session.matches == {match: part for match, part in parts.items() if part.session is session}
        assert set(session.challenges) == {match for match, part in session.matches.items() if part.is_challenge}
    assert player.waiting_parts == {match: part for match, part in parts.items() if part.session is None}
    for part in player.waiting_parts.values():
        assert player.session_for(part.game) is None
    assert sorted(player.matches()) == sorted(parts)
    for game in GAMES:
        able = [each for each in player.sessions.values() if each is player.sole_session or each.admits_game(game)]
        is_free = any(len(each.matches) - len(each.challenges) < each.max_matches for each in able)
        assert (player.name in players.free(game)) == is_free == player.is_free(game)


@pytest.mark.parametrize("seed", range(60))
def test_a_player_keeps_its_books_whatever_comes_in_whatever_order(seed: int) -> None:
    random, world = Random(seed), World()
    sender = FrameSender(world.log, world.gateway.sessions)
    players = Players()
    player, parts = players.get_or_add("ann"), dict[str, Part]()
    players.free("hex")
    for number in range(200):
        what = random.choice(("connect", "drop", "begin", "begin", "end"))
        if what == "connect":
            games = random.choice((None, None, ["hex"], ["chess"]))
            worker = random.choice((None, "one", "ONE", "two"))
            login = Login(name="ann", worker=worker, games=games, max_matches=random.randint(1, 3))
            session = BotSession(number, login, CALLER, sender)
            player.connect(session)
            taken = player.assign_waiting_parts(session)
            if session is not player.sole_session:
                assert session.room >= 0
            assert all(part.session is not None for part in taken)
        elif what == "drop" and player.sessions:
            player.disconnect(random.choice(list(player.sessions.values())))
            player.assign_waiting_parts()
        elif what == "begin":
            game = random.choice(GAMES)
            if player.session_for(game) is not None:
                part = parts[f"m{number}"] = Part(f"m{number}", 0, game, random.random() < 0.3)
                player.begin_match(part)
        elif what == "end" and parts:
            player.end_match(parts.pop(random.choice(list(parts))))
            player.assign_waiting_parts()
        check_player(players, player, parts)
