"""The arena in a world of bots: whole tournaments on virtual time, and the order of each bot's messages."""

import weakref
from collections import Counter
from functools import partial
from random import Random
from typing import Any

import pytest
from rumble_engine import Termination
from rumble_protocol.codes import CloseCode
from rumble_protocol.fields import TimeControl
from rumble_server.arena.bots.player import Players
from rumble_server.arena.tournaments.scheduler import STARTS_AT_ONCE
from rumble_server.match.facts import FrameSeen, MatchOver, MatchStarted
from rumble_server.results.standings import WinLossStandings
from rumble_server.tournament.errors import TournamentError
from rumble_server.tournament.exports.document import export
from rumble_server.tournament.tournament import Tournament

from tests.server.arena.playing import (
    NAMES,
    assert_all_was_played,
    at_random,
    begun_at_random,
    enter,
    first_legal,
    numbered,
    schedule_ids,
)
from tests.server.failing import note_calls
from tests.server.tournament.rounds import round_robin
from tests.server.web.export_schema import check_export
from tests.server.world import World

# --- whole tournaments ---


@pytest.mark.parametrize("max_matches", [1, 2, 3])
@pytest.mark.parametrize("bots", range(2, 8))
def test_a_tournament_of_random_bots_plays_everything_and_tells_everyone(bots: int, max_matches: int) -> None:
    world = World(delay_ms=3)
    tournament, players = begun_at_random(world, *NAMES[:bots], max_matches=max_matches, cycles=2)
    world.run()
    assert_all_was_played(tournament)
    ranks = {standing.name: standing for standing in tournament.standings.lines()}
    for bot in players:
        own = {match: over for match, over in tournament.results.items() if bot.name in over.seats}
        for kind in ("match_start", "match_over"):
            assert sorted(frame["match"] for frame in bot.inbox.all(kind)) == sorted(own)
        for frame in bot.inbox.all("match_over"):
            assert tuple(frame["scores"]) == own[frame["match"]].scores
        told = bot.inbox.frames[-1]
        assert (told["type"], told["status"], told["bots"]) == ("tournament_over", "finished", bots)
        assert (told["rank"], told["points"]) == (ranks[bot.name].rank, ranks[bot.name].points)


@pytest.mark.parametrize("max_matches", [1, 2, 3])
def test_nobody_plays_more_matches_at_once_than_it_asked_for(max_matches: int) -> None:
    world = World()
    tournament = world.create(start_at_bots=6)
    most: Counter[str] = Counter()
    enter(world, tournament.id, *NAMES[:6], max_matches=max_matches)
    while world.clock.step():
        now = Counter(player.name for match in world.arena.matches.live.values() for player in match.players)
        most |= now
    assert set(most.values()) == {max_matches}


# --- promise 2: the same seed, the same tournament ---


def matches_started(world: World) -> list[MatchStarted]:
    return [fact for fact in world.log.facts if isinstance(fact, MatchStarted)]


def test_ids_numbering_and_seats_do_not_depend_on_who_joins_or_finishes_first() -> None:
    seen = set()
    for attempt in range(6):
        random = Random(attempt)
        world = World(seed=attempt)
        tournament = world.create(start_at_bots=6, seed=42, cycles=2)
        for name in random.sample(NAMES[:6], 6):
            think_ms, most = partial(random.randrange, 1000), random.randrange(1, 4)
            world.player(name, at_random((name, attempt)), think_ms, join=tournament.id, max_matches=most)
        world.run()
        assert_all_was_played(tournament)
        matches = frozenset((started.match, started.seats, started.moves) for started in matches_started(world))
        seen.add((numbered(tournament), tournament.openings, matches))
    assert len(seen) == 1


def test_another_seed_draws_other_numbers() -> None:
    numberings = set()
    for seed in range(5):
        world = World()
        tournament, _ = begun_at_random(world, *NAMES[:6], seed=seed)
        numberings.add(numbered(tournament))
    assert len(numberings) > 1


# --- promise 3: no round barrier, no starvation ---


@pytest.mark.parametrize("max_matches", [1, 2])
@pytest.mark.parametrize("bots", [4, 5, 7])
def test_a_pairing_starts_as_soon_as_both_bots_are_free(bots: int, max_matches: int) -> None:
    world = World()
    random = Random(bots)
    tournament = world.create(start_at_bots=bots, legs=1)
    for name in NAMES[:bots]:
        think_ms = partial(int, 5000) if name == "ann" else partial(random.randrange, 50)
        world.player(name, at_random(name), think_ms, join=tournament.id, max_matches=max_matches)
    looked = 0
    while world.clock.step():
        if tournament.status != "running":
            continue
        unplayed = schedule_ids(tournament) - tournament.results.keys() - tournament.running.keys()
        pairs = {pair_of(tournament, match) for match in unplayed}
        free = {player.name for player in world.arena.players if player.room > 0}
        assert not [pair for pair in pairs if pair <= free], "two free bots wait for each other"
        looked += 1
    assert looked > 10 * bots
    assert_all_was_played(tournament)


@pytest.mark.parametrize("bots", [2, 3, 5])
def test_a_bot_of_one_match_at_a_time_plays_all_its_tournaments_in_turn(bots: int) -> None:
    world = World()
    both = [world.create(name=name, start_at_bots=bots, cycles=20 // bots) for name in ("Friday", "Saturday")]
    for bot in enter(world, both[0].id, *NAMES[:bots], max_matches=1):
        bot.say(type="join", tournament=both[1].id)
    looked = 0
    while world.clock.step():
        played = [len(tournament.results) for tournament in both]
        if all(tournament.status == "running" for tournament in both):
            assert abs(played[0] - played[1]) <= 2 * bots, "one of them starves"
            looked += 1
    assert looked > 100
    for tournament in both:
        assert_all_was_played(tournament)


def pair_of(tournament: Tournament, match: str) -> frozenset[str]:
    cycle, number, board, _ = (int(part) for part in match.split(".")[-4:])
    for pairings in round_robin(len(tournament.field), cycle):
        for each in pairings:
            if (each.cycle, each.round, each.board) == (cycle, number, board):
                return frozenset(numbered(tournament)[bot] for bot in (each.first, each.second))
    raise KeyError(match)


def test_one_slow_bot_does_not_slow_those_who_can_play_another_match_meanwhile() -> None:
    def ends_at_ms(slow: int) -> int:
        world = World()
        tournament = world.create(start_at_bots=5, legs=1, time_control=TimeControl(move_ms=60_000))
        for name in NAMES[:5]:
            think_ms = partial(int, slow if name == "ann" else 10)
            world.player(name, first_legal, think_ms, join=tournament.id, max_matches=2)
        world.run()
        assert_all_was_played(tournament)
        return max(over.at_ms for over in tournament.results.values() if "ann" not in over.seats)

    assert ends_at_ms(slow=50_000) - ends_at_ms(slow=10) < 1000


def test_many_matches_start_a_few_at_a_time_so_that_the_loop_can_breathe() -> None:
    world = World()
    tournament = world.create(legs=1)
    bots = [world.login(f"bot-{number}", join=tournament.id) for number in range(2 * STARTS_AT_ONCE + 20)]
    world.organiser.start(tournament.id)
    assert len(world.arena.matches.live) == STARTS_AT_ONCE
    next(bot for bot in bots if "turn" in bot.inbox.kinds()).move("4")
    assert len(world.arena.matches.live) == STARTS_AT_ONCE, "a move starts no match"
    world.run(0)
    assert len(world.arena.matches.live) == STARTS_AT_ONCE + 10


def test_the_rounds_of_a_large_field_are_pulled_a_few_at_a_time_so_that_the_loop_can_breathe() -> None:
    world = World()
    tournament = world.create(legs=16)
    for number in range(320):
        world.login(f"bot-{number}", join=tournament.id).drop()
    world.organiser.start(tournament.id)
    assert tournament.agenda is not None
    first = len(tournament.agenda.open)
    assert first == 2_560
    world.run(0)
    world.login(tournament.agenda.bots[0])
    assert len(tournament.agenda.open) == 2 * first
    world.run(0)
    assert len(tournament.agenda.open) == 16 * first


def test_many_events_of_an_iteration_start_no_more_matches_than_one() -> None:
    world = World()
    tournament = world.create()
    bots = [world.login(f"bot-{number}", join=tournament.id, max_matches=4) for number in range(3 * STARTS_AT_ONCE)]
    for bot in bots[:20]:
        bot.drop()
    world.organiser.start(tournament.id)
    for bot in bots[:20]:
        world.login(bot.name, max_matches=4)
    assert len(world.arena.matches.live) == STARTS_AT_ONCE
    world.run(0)
    assert len(world.arena.matches.live) > 5 * STARTS_AT_ONCE


# --- joining ---


def test_joining_again_is_told_again_and_changes_nothing() -> None:
    world = World()
    tournament = world.create()
    bot = world.login("ann", join=tournament.id)
    told = bot.last("joined")
    facts = len(world.log.facts)
    bot.say(type="join", tournament=tournament.id)
    assert bot.inbox.all("joined") == [told, told]
    assert len(world.log.facts) == facts


def test_what_one_joins_is_told_with_all_settings() -> None:
    world = World()
    tournament = world.create(game="connect4", settings={"columns": 5}, time_control=TimeControl(bank_ms=9000))
    assert world.login("ann", join=tournament.id).last("joined") == {
        "type": "joined",
        "tournament": "friday",
        "game": "connect4",
        "settings": {"columns": 5, "rows": 6, "connect": 4},
        "time_control": {"move_ms": 0, "bank_ms": 9000, "increment_ms": 0},
        "status": "lobby",
        "away_clock": "stands",
    }


def test_who_leaves_loses_its_open_matches_and_the_rest_one_by_one() -> None:
    world = World()
    tournament, (ann, *_) = begun_at_random(world, "ann", "ben", "cid")
    while not any(match.players[0].name == "ann" for match in world.arena.matches.live.values()):
        world.clock.step()
    ann.say(type="leave", tournament=tournament.id)
    assert ann.inbox.all("left")[0]["status"] == "running"
    assert ann.last("match_over")["termination"] == "resignation"
    world.run()
    assert_all_was_played(tournament)
    endings = Counter(over.termination for over in tournament.results.values() if "ann" in over.seats)
    assert endings[Termination.RESIGNATION] == 1
    assert endings[Termination.NO_SHOW] >= 1
    ben = world.arena.players["ben"]
    assert tournament.standings.tally.bots[ben.name].played == 4


def test_leaving_again_or_where_one_never_was_is_told_and_changes_nothing() -> None:
    world = World()
    tournament = world.create()
    bot = world.login("ann", join=tournament.id)
    for _ in range(2):
        bot.say(type="leave", tournament=tournament.id)
    assert len(bot.inbox.all("left")) == 2
    assert list(tournament.field) == []


# --- faults ---


def test_a_bot_that_never_moves_loses_on_time_and_only_its_own_matches() -> None:
    world = World()
    tournament = world.create(start_at_bots=3, bench_after=0, time_control=TimeControl(move_ms=500))
    enter(world, tournament.id, "ann", "ben")
    world.login("hung", join=tournament.id)
    world.run()
    assert_all_was_played(tournament)
    for over in tournament.results.values():
        assert over.termination is (Termination.TIMEOUT if "hung" in over.seats else Termination.NORMAL)
        assert [over.seats[seat] for seat in over.at_fault] == (["hung"] if "hung" in over.seats else [])
    assert tournament.standings.lines()[-1].model_dump(exclude_unset=True)["faults"] == {"timeout": 4}


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


def test_a_bot_that_keeps_failing_is_benched_and_told_and_its_host_lets_it_play_again() -> None:
    world = World()
    tournament = world.create(start_at_bots=2, legs=5, bench_after=2, time_control=TimeControl(move_ms=500))
    enter(world, tournament.id, "ann")
    hung = world.login("hung", join=tournament.id)
    while tournament.field["hung"].faulty_in_a_row < 2 and not tournament.field["hung"].benched:
        world.clock.step()
    assert hung.last("notice")["code"] == "benched"
    world.run()
    endings = Counter(over.termination for over in tournament.results.values())
    assert endings == {Termination.TIMEOUT: 2, Termination.NO_SHOW: 3}
    with pytest.raises(TournamentError):
        world.organiser.unbench(tournament.id, "ann")


def test_an_unbenched_bot_plays_again() -> None:
    world = World()
    tournament = world.create(start_at_bots=3, bench_after=1, legs=1, time_control=TimeControl(move_ms=500))
    enter(world, tournament.id, "ann")
    enter(world, tournament.id, "ben")[0].drop()
    hung = world.login("hung", join=tournament.id)
    world.run(600)
    assert hung.last("notice")["code"] == "benched"
    hung.play(first_legal)
    world.organiser.unbench(tournament.id, "HUNG")
    assert not tournament.field["hung"].benched
    enter(world, tournament.id, "ben")
    world.run()
    assert_all_was_played(tournament)
    assert tournament.standings.tally.bots["hung"].played == 2
    assert isinstance(tournament.standings, WinLossStandings)
    assert tournament.standings.faults["hung"] == {Termination.TIMEOUT: 1}


def test_a_new_version_of_a_benched_bot_plays_again_also_after_a_restart() -> None:
    world = World()
    world.create(start_at_bots=3, bench_after=2, absent_ms=1_000_000)
    enter(world, "friday", "ann")
    enter(world, "friday", "ben")[0].drop()
    mine = world.login("mine", join="friday", version="1")
    for _ in range(2):
        mine.say(type="resign", match=mine.last("match_start")["match"], failed=True, reason="KeyError: 'x'")
    assert mine.last("notice")["code"] == "benched"
    assert world.tournament("friday").field["mine"].benched_version == "1"
    world = world.after_crash(len(world.log.facts))
    for version, is_benched in (("1", True), (None, True), ("2", False)):
        world.login("mine", version=version)
        assert world.tournament("friday").field["mine"].benched is is_benched


def test_frames_that_were_received_count_before_a_timeout_does() -> None:
    world = World()
    _, (ann, ben) = world.begun("ann", "ben", time_control=TimeControl(move_ms=1000))
    (mover,) = [bot for bot in (ann, ben) if bot.heard("turn")]
    world.run(900)
    world.clock.stall(5000)
    world.clock.after_input(lambda: mover.move("4"))
    world.run(0)
    (match,) = world.arena.matches.live.values()
    assert match.referee.progress.moves == ["4"]


def test_a_server_that_was_late_waits_as_long_again_before_a_verdict() -> None:
    world = World()
    _, (ann, ben) = world.begun("ann", "ben", time_control=TimeControl(move_ms=1000))
    mover = next(bot for bot in (ann, ben) if bot.heard("turn"))
    world.clock.stall(1300)
    world.run(299)
    mover.move("4")
    assert [match.referee.progress.moves for match in world.arena.matches.live.values()] == [["4"]]


# --- connections ---


def test_who_has_fallen_out_is_told_that_it_cannot_resign_any_more() -> None:
    world = World()
    _, (_, ben) = world.begun("ann", "ben", game="dilemma", legs=1)
    match = ben.last("turn")["match"]
    ben.say(type="resign", match=match)
    assert ben.last("notice")["code"] == "seat_fell"
    before = len(world.log.facts)
    ben.say(type="resign", match=match)
    assert ben.error() == "bad_message"
    assert [fact.sender for fact in world.log.facts[before:] if isinstance(fact, FrameSeen)] == ["server"]


def test_what_the_older_connection_says_after_that_counts_for_nothing() -> None:
    world = World()
    _, (old, _) = world.begun("ann", "ben")
    world.login("ann")
    facts = len(world.log.facts)
    old.say(type="resign", match="friday.1.1.1.1")
    assert len(world.log.facts) == facts


def test_a_bot_that_comes_back_gets_its_matches_with_the_clock_as_it_stood() -> None:
    world = World()
    _, (ann, ben) = world.begun("ann", "ben")
    mover = ann if ann.inbox.all("turn") else ben
    world.run(4000)
    mover.drop()
    world.run(20_000)
    again = world.login(mover.name)
    assert again.inbox.kinds() == ["welcome", "session", "match_start", "turn"]
    assert again.last("turn")["clock"]["remaining_ms"] == 6000
    mover.move("4")
    assert [match.referee.progress.moves for match in world.arena.matches.live.values()] == [[]], (
        "the old connection is dead"
    )
    again.move("4")
    assert [match.referee.progress.moves for match in world.arena.matches.live.values()] == [["4"]]


def test_the_round_trip_of_a_connection_is_allowed_at_its_turns() -> None:
    world = World()
    tournament = world.create(start_at_bots=2)
    slow, fast = world.connect(lag_ms=120), world.connect()
    for bot, name in ((slow, "ann"), (fast, "ben")):
        bot.login(name, join=tournament.id)
        bot.play(first_legal)
    fast.session.on_round_trip(30)
    mover = slow if slow.inbox.all("turn") else fast
    mover.move("4")
    world.run()
    assert {frame["clock"]["lag_ms"] for frame in slow.inbox.all("turn")} == {120}
    assert {frame["clock"]["lag_ms"] for frame in fast.inbox.all("turn")} <= {0, 30}


# --- export ---


def test_the_export_has_every_match_with_its_counted_attempt_and_the_void_ones_apart() -> None:
    world = World()
    tournament, _ = begun_at_random(world, "ann", "ben", seed=3)
    world.organiser.play_again("friday.1.1.1.1")
    world.run()
    document = export(tournament)
    check_export(document)
    assert set(document) == {"tournament", "standings", "matches", "voided"}
    assert document["tournament"]["id"] == "friday"
    assert document["tournament"]["status"] == "finished"
    assert (document["tournament"]["matches_total"], document["tournament"]["matches_over"]) == (2, 2)
    assert [standing["rank"] for standing in document["standings"]] in ([1, 2], [1, 1])
    over: MatchOver = tournament.results["friday.1.1.1.1"]
    (exported,) = (match for match in document["matches"] if match["id"] == "friday.1.1.1.1")
    assert exported == {
        "id": "friday.1.1.1.1",
        "attempt": 2,
        "seats": list(over.seats),
        "scores": list(over.scores or ()),
        "termination": "normal",
        "reason": over.reason,
        "at_fault": [],
        "moves": list(over.moves),
        "started_at_ms": over.started_at_ms,
        "ended_at_ms": over.at_ms,
    }
    (void,) = document["voided"]
    assert (void["attempt"], void["scores"], void["termination"]) == (1, None, "aborted")


def test_the_last_fault_of_a_bot_is_what_it_did_itself() -> None:
    world = World()
    tournament = world.create(cycles=5, bench_after=2, start_at_bots=2)
    world.player("ann", first_legal, join="friday")
    world.player("bad", lambda turn: "nonsense", join="friday")
    world.run()
    assert tournament.field["ann"].last_fault is None
    assert tournament.results[next(reversed(tournament.results))].termination is Termination.NO_SHOW
    fault = tournament.field["bad"].last_fault
    assert fault is not None
    assert fault.termination is Termination.ILLEGAL_MOVE


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("format_name", ["round-robin", "swiss", "knockout", "gauntlet"])
def test_what_is_over_is_freed_once_it_is_on_disk(format_name: str) -> None:
    world = World(delay_ms=3)
    world.create(start_at_bots=4, format=format_name)
    tournament = weakref.ref(world.tournament("friday"))
    enter(world, "friday", *NAMES[:4])
    world.run()
    assert world.arena.tournaments == {}
    assert tournament() is None


def test_an_event_costs_tournaments_that_it_does_not_concern_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    for number in range(50):
        world.create(name=f"Club {number}", start_at_bots=2, time_control=TimeControl(move_ms=1_000_000))
    bots = [world.login(f"{name}{number}", join=f"club-{number}") for number in range(50) for name in ("ann", "ben")]
    world.clock.advance(100)
    assert len(world.arena.matches.live) == 50
    looked_at = note_calls(monkeypatch, Tournament, "due")
    bots[14].say(type="resign", match=next(iter(world.tournament("club-7").running)))
    world.clock.advance(10)
    bots[14].drop()
    world.clock.advance(10)
    assert {tournament.id for tournament, *_ in looked_at} == {"club-7"}
    assert len(looked_at) < 10


def test_a_bot_that_comes_back_in_a_pause_costs_the_same_in_any_field(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    _, (ann, *_) = world.begun(*NAMES[:6])
    world.organiser.pause("friday", "lunch")
    looked_up = note_calls(monkeypatch, Players, "of")
    ann.drop()
    world.login("ann")
    assert all(set(names) <= {"ann"} for _, names in looked_up)


# --- the stop ---

SHORT_MS = 1500


def stopped_on_the_turn_of_a_full_bank() -> tuple[World, Any, Any]:
    """Return a stopped world, the bot on turn, which has much time, and the other bot, which has `SHORT_MS` left."""
    world = World()
    control = TimeControl(bank_ms=60_000)
    _, (one, two) = world.begun("ann", "ben", time_control=control, away_ms=1000)
    rich, poor = (one, two) if one.inbox.all("turn") else (two, one)
    rich.move(first_legal(rich.last("turn")))
    world.run(poor.last("turn")["clock"]["remaining_ms"] - SHORT_MS)
    poor.move(first_legal(poor.last("turn")))
    assert rich.heard("turn")
    poor.heard()
    world.arena.stop()
    return world, rich, poor


def test_no_bot_loses_on_time_by_a_move_that_comes_after_the_stop() -> None:
    world, rich, poor = stopped_on_the_turn_of_a_full_bank()
    facts = world.log.last
    rich.move(first_legal(rich.last("turn")))
    assert poor.heard() == []
    world.gateway.close_all(CloseCode.DRAINING)
    assert [bot.link.closed for bot in (rich, poor)] == [CloseCode.DRAINING] * 2
    poor.drop()
    rich.drop()
    world.run()
    assert world.log.last == facts
    again = world.after_crash()
    late, other = again.login(rich.name), again.login(poor.name)
    turn = late.last("turn")
    assert turn["legal"] == rich.last("turn")["legal"]
    late.move(first_legal(turn))
    assert other.last("turn")["clock"]["remaining_ms"] == SHORT_MS


def test_no_message_enters_the_arena_after_the_stop() -> None:
    world, rich, poor = stopped_on_the_turn_of_a_full_bank()
    facts, turn = world.log.last, rich.last("turn")
    stranger = world.connect()
    stranger.login("zoe")
    named = {"match": turn["match"], "turn_id": turn["turn_id"]}
    rich.say(type="move", **named, move="nonsense")
    rich.say(type="move", **named, move=5)
    rich.say_text("nonsense")
    for message in (
        {"type": "resign", "match": turn["match"]},
        {"type": "join", "tournament": "friday"},
        {"type": "leave", "tournament": "friday"},
        {"type": "challenge", "against": poor.name, "game": "tictactoe"},
    ):
        rich.say(**message)
    for _ in range(world.gateway.limits.unsolicited_per_minute + 1):
        poor.say(type="nonsense")
    assert (rich.heard(), poor.heard()) == ([], [])
    assert stranger.inbox.kinds() == ["welcome"]
    world.gateway.close_all(CloseCode.DRAINING)
    assert [bot.link.closed for bot in (rich, poor, stranger)] == [CloseCode.DRAINING] * 3
    for bot in (rich, poor, stranger):
        bot.drop()
    world.run()
    assert world.log.last == facts
    assert world.arena.is_connected(rich.name) is False


def test_a_turn_that_waited_for_the_disk_is_sent_after_the_stop_and_not_judged() -> None:
    world = World()
    world.create(start_at_bots=2, time_control=TimeControl(move_ms=1000))
    ann = world.login("ann", join="friday")
    ben = world.login("ben")
    world.log.stuck = True
    ben.say(type="join", tournament="friday")
    ann.move(first_legal(ann.last("turn")))
    world.run(2000)  # the timer of the first turn is gone
    assert ben.inbox.all("turn") == []
    world.arena.stop()
    facts = world.log.last
    world.log.unstick()
    assert ben.inbox.all("turn")
    world.run()
    assert world.log.last == facts
