"""Recovery: after a crash at any point the next run loses no told fact, and counts no fact twice."""

from collections.abc import Collection
from typing import Any

import pytest
from rumble_engine import Termination
from rumble_engine.games.tictactoe import TicTacToeState
from rumble_protocol.fields import TimeControl
from rumble_server.arena.matches import WHY_VOID, Matches
from rumble_server.arena.recovery import Recovered, read, restore_arena
from rumble_server.match.facts import ChanceDrawn, MatchOver, MoveMade, state_after
from rumble_server.tournament.facts import (
    BotJoined,
    LogFact,
    TournamentCreated,
    tournament_of,
)

from tests.server.arena.playing import (
    NAMES,
    assert_all_was_played,
    begun_at_random,
    enter,
    first_legal,
)
from tests.server.arena.test_formats_in_play import through_crashes
from tests.server.failing import fail_if, note_calls
from tests.server.world import Bot, World


def played(seed: int, bots: int, **config: Any) -> World:
    """Return a world whose tournament was played to its end."""
    world = World(seed=seed)
    begun_at_random(world, *NAMES[:bots], **config)
    world.run()
    return world


@pytest.mark.parametrize("seed", range(25))
def test_crashes_repeat_no_pairing_and_change_no_sent_result(seed: int) -> None:
    world = through_crashes(seed, 2 + seed % 5, legs=1 + seed % 3, has_drops=True)
    assert_all_was_played(world.tournament("friday"))


def test_returning_bot_gets_its_match_with_the_logged_ply_and_clock() -> None:
    world = World()
    _, bots = world.begun("ann", "ben", time_control=TimeControl(move_ms=1000, bank_ms=5000))
    mover = next(bot for bot in bots if bot.inbox.all("turn"))
    world.run(1500)
    mover.move("4")
    world.run(3000)
    after = world.after_crash()
    back = [after.login(bot.name) for bot in bots]
    asked = next(bot for bot in back if bot.inbox.all("turn"))
    assert asked.name != mover.name
    turn = asked.last("turn")
    assert (turn["moves"], turn["clock"]["remaining_ms"]) == (["4"], 6000)
    assert [bot.last("match_start")["resumed"] for bot in back] == [True, True]
    assert turn["turn_id"].startswith("2.")
    mover_again = next(bot for bot in back if bot is not asked)
    mover_again.move("4", turn=mover.last("turn"))
    assert mover_again.last("rejected")["code"] == "already_played"


def test_nobody_back_yet_costs_nothing_for_thirty_seconds() -> None:
    world = World()
    tournament, _ = world.begun("ann", "ben", "cid", away_ms=1000, absent_ms=1000)
    after = world.after_crash(down_ms=3_600_000)
    after.run(30_999)
    assert after.tournament("friday").results == {}
    after.run(1)
    ended = after.tournament("friday").results.values()
    assert [over.termination for over in ended] == [Termination.DISCONNECT]
    assert tournament.results == {}


def test_a_match_that_begins_within_the_grace_has_the_grace_too() -> None:
    world = World()
    world.create(start_at_bots=2, away_ms=1000, absent_ms=1000)
    world.logins("ann", "ben")
    after = world.after_crash()
    ann, _ = after.logins("ann", "ben", join="friday")
    after.run(1_000)
    ann.drop()
    after.run(29_999)
    assert after.tournament("friday").results == {}
    after.run(1)
    assert len(after.tournament("friday").results) == 1


def test_within_the_grace_no_absent_budget_runs_for_a_bot_that_drops_again() -> None:
    world = World()
    world.create(absent_ms=1000)
    world.logins("ann", "ben", join="friday")
    after = world.after_crash()
    ann, _ = after.logins("ann", "ben")
    ann.drop()
    after.organiser.start("friday")
    after.run(30_999)
    assert after.tournament("friday").results == {}
    after.run(1)
    assert len(after.tournament("friday").results) == 2


def test_bots_that_left_stay_out_after_a_crash_and_bots_that_are_in_stay_in() -> None:
    world = World()
    tournament, (ann, *_) = world.begun("ann", "ben", "cid")
    ann.say(type="leave", tournament=tournament.id)
    after = world.after_crash()
    assert after.login("ann", join="friday").error() == "tournament_closed"
    assert [each["id"] for each in after.login("ben").last("session")["tournaments"]] == ["friday"]
    assert after.login("ann").last("session")["tournaments"] == []


def test_a_pause_of_the_host_lasts_and_one_of_the_disk_ends_with_the_restart() -> None:
    for pause, status in (("host", "paused"), ("disk", "running")):
        world = World()
        tournament, _ = world.begun("ann", "ben")
        if pause == "host":
            world.organiser.pause(tournament.id, "lunch")
        else:
            world.arena.on_trouble("disk full")
        assert world.after_crash().tournament("friday").status == status


def test_a_void_attempt_leaves_nothing_behind_in_the_next() -> None:
    world = World()
    _, bots = world.begun("ann", "ben", legs=1)
    next(bot for bot in bots if bot.inbox.all("turn")).move("4")
    world.organiser.play_again("friday.1.1.1.1")
    after = world.after_crash()
    (match,) = after.arena.matches.live.values()
    assert (match.progress.terms.attempt, match.progress.moves) == (2, [])


def read_again(world: World, first: World, unfinished: list[str], match_facts: Any = None) -> Recovered:
    """Read tournaments from the log of a first world, without its names."""
    facts = world.log.facts = first.log.facts
    world.log.durable = len(facts)

    def of_matches(_: str, matches: Collection[str]) -> dict[str, list[LogFact]]:
        return {each: [fact for fact in facts if getattr(fact, "match", None) == each] for each in matches}

    def of_tournament(tournament_id: str) -> list[LogFact]:
        return [fact for fact in facts if tournament_of(fact) == tournament_id]

    return read([], unfinished, of_tournament, match_facts or of_matches)


def restart(world: World, first: World, *read_from: Any, **given: Any) -> dict[str, Exception]:
    """Fill a world with tournaments from the log of a first world, without its names."""
    recovered = read_again(world, first, *read_from)
    restore_arena(world.arena, recovered, **given)
    return recovered.damaged


def test_a_tournament_that_cannot_be_rebuilt_is_set_aside_and_the_others_go_on() -> None:
    first = World()
    first.create(name="Friday", start_at_bots=2)
    first.create(name="Monday", start_at_bots=2)
    first.logins("ann", "ben", join="friday")
    first.log.facts = [
        fact for fact in first.log.facts if not (isinstance(fact, TournamentCreated) and fact.tournament == "monday")
    ]
    first.log.facts.append(BotJoined("monday", "cid", 0))
    world = World(run_number=2, taken_ids=["friday", "monday"])
    problems = restart(world, first, ["monday", "friday"])
    assert {each: str(problem) for each, problem in problems.items()} == {"monday": "its creation is not in the log"}
    assert list(world.arena.tournaments) == ["friday"]
    enter(world, "friday", "ann", "ben")
    late = world.login("cid", join="monday")
    assert late.last("error")["message"] == "monday is damaged; the server's log says more"
    world.run()
    assert_all_was_played(world.tournament("friday"))


def test_damaged_facts_of_a_running_match_set_its_tournament_aside() -> None:
    first = World()
    first.create(start_at_bots=2)
    first.logins("ann", "ben", join="friday")

    def damaged(*_: object) -> Any:
        raise RuntimeError("row 7 is damaged")

    world = World(run_number=2, taken_ids=["friday"])
    problems = restart(world, first, ["friday"], damaged)
    assert (list(problems), list(world.arena.tournaments), world.arena.matches.live) == (["friday"], [], {})


def test_a_tournament_that_cannot_be_taken_up_is_set_aside_with_its_matches(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first = World()
    for name in ("Friday", "Monday"):
        first.create(name=name, start_at_bots=4, legs=1, away_ms=1000)
    bots = first.logins("ann", "ben", "cid", "dot", join="friday", max_matches=6)
    for bot in bots:
        bot.say(type="join", tournament="monday")
    first.run(0)
    assert [len(first.tournament(each).running) for each in ("friday", "monday")] == [6, 6]
    second = list(first.tournament("friday").running.values())[1]
    fail_if(monkeypatch, Matches, "go_on", lambda _, rebuilt: rebuilt.started == second)
    world = World(run_number=2, taken_ids=["friday", "monday"])
    problems = restart(world, first, ["friday", "monday"])
    assert list(problems) == ["friday"]
    assert "tournament friday cannot be taken up" in caplog.text
    assert (list(world.arena.tournaments), world.arena.tournaments.damaged) == (["monday"], {"friday"})
    assert [each.tournament.id for each in world.arena.matches.live.values()] == ["monday"] * 6
    bots = enter(world, "monday", "ann", "ben", "cid", "dot")
    assert [each["id"] for each in bots[0].last("session")["tournaments"]] == ["monday"]
    logged = len(world.log.facts)
    world.run()
    assert world.tournament("monday").status == "finished"
    assert not [fact for fact in world.log.facts[logged:] if tournament_of(fact) == "friday"]


def test_no_state_of_a_running_match_is_played_while_the_arena_is_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    first = stopped_after("0", "4")
    world = World(run_number=2, taken_ids=["friday", "monday"])
    recovered = read_again(world, first, ["friday", "monday"])
    with monkeypatch.context() as filling:
        played = [note_calls(filling, TicTacToeState, name) for name in ("play", "after")]
        restore_arena(world.arena, recovered)
        assert played == [[], []]
    progress = world.arena.live_progress("friday.1.1.1.1")
    assert progress is not None
    assert progress.moves == ["0", "4"]
    assert progress.lateness is world.clock.lateness
    assert progress.grace_until_ms == world.arena.matches.grace_until_ms


def stopped_after(*moves: str) -> World:
    """Return a world with two tournaments of two bots each. In Friday, of tic-tac-toe, the moves were made."""
    world = World()
    _, bots = world.begun("ann", "ben", legs=1, openings="none")
    mover, other = bots if bots[0].inbox.all("turn") else bots[::-1]
    for move in moves:
        mover.move(move)
        mover, other = other, mover
    world.begun("cid", "dot", name="Monday", game="connect4", legs=1)
    return world


def come_all_back(world: World) -> list[Bot]:
    """Let the four bots log in again, and play the first legal move."""
    bots = [world.player(name, first_legal) for name in ("ann", "ben", "cid", "dot")]
    world.run()
    return bots


def test_a_match_whose_game_fails_at_a_logged_move_is_void_and_played_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first = stopped_after("0", "4")
    with monkeypatch.context() as upgraded:
        fail_if(upgraded, TicTacToeState, "code_of", lambda _, text: text == "4")
        state_after.cache_clear()  # a new run has no states of the run before
        world = first.after_crash()
        (void,) = world.tournament("friday").voided
        assert (void.termination, void.scores, void.at_fault, void.reason) == (Termination.ABORTED, None, (), WHY_VOID)
        assert (void.attempt, void.moves, void.connected) == (1, ("0",), ())
        assert "match friday.1.1.1.1: the referee failed at ply 1" in caplog.text
        bots = come_all_back(world)
        for bot in bots[:2]:
            over = bot.inbox.all("match_over")[0]
            assert (over["attempt"], over["scores"]) == (1, None)
        assert world.tournament("monday").status == "finished"
        friday = world.tournament("friday")
        assert friday.status == "paused"
        assert "was void 5 times" in friday.reason
        assert all(bot.link.closed is None for bot in bots)
    world.organiser.resume("friday")
    world.run()
    assert world.tournament("friday").status == "finished"


@pytest.mark.parametrize(
    ("game", "settings", "ply"),
    [("tictactoe", {}, 1), *(("dilemma", {"rounds": 4, "noise": 30}, ply) for ply in (0, 1, 2))],
)
def test_a_match_that_lacks_a_move_in_the_log_is_void_and_played_again(
    game: str, settings: dict[str, int], ply: int
) -> None:
    first = World()
    first.create(start_at_bots=2, legs=1, game=game, settings=settings)
    enter(first, "friday", *NAMES[:2])
    first.run()
    facts = first.log.facts
    lost = next(f for f in facts if isinstance(f, MoveMade | ChanceDrawn) and f.ply == ply)
    end = next(number for number, fact in enumerate(facts) if isinstance(fact, MatchOver))
    first.log.facts = [fact for fact in facts[:end] if fact is not lost]
    world = first.after_crash(len(first.log.facts))
    enter(world, "friday", *NAMES[:2])
    world.run()
    overs = [fact for fact in world.log.facts if isinstance(fact, MatchOver)]
    assert [(over.attempt, over.scores is None, over.at_fault) for over in overs] == [(1, True, ()), (2, False, ())]
    assert "lost moves" in overs[0].reason


def test_names_that_are_lost_are_nobodys_until_the_host_resets_them() -> None:
    first = World()
    first.create(start_at_bots=3)
    first.login("ann", key="a" * 16, join="friday")
    first.login("zoe", key="z" * 16)
    world = World(run_number=2, taken_ids=["friday"])
    restart(world, first, ["friday"], lost_rows=[7], played_before=["old"])
    for name, key in (("ann", "a" * 16), ("ann", "b" * 16), ("ann", None), ("old", "c" * 16)):
        assert world.login(name, key=key).error() == ("key_required" if key is None else "bad_key")
    assert world.login("zoe", key="y" * 16).inbox.kinds() != []
    world.organiser.reset_key("ann")
    back = world.login("ann", key="a" * 16)
    assert back.last("session")["tournaments"][0]["id"] == "friday"
