"""The machine that leads a tournament: commands, due matches, absence, and rebuilding from facts."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_engine import Termination, get_game
from rumble_protocol.codes import ErrorCode
from rumble_server.match.facts import MatchStarted
from rumble_server.tournament import commands
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.exports import trf
from rumble_server.tournament.exports.document import export
from rumble_server.tournament.facts import (
    BotAbsent,
    BotJoined,
    ConfigChanged,
    TournamentCreated,
    TournamentStarted,
)
from rumble_server.tournament.rebuild import rebuild_tournament
from rumble_server.tournament.tournament import MOST_LATEST, Tournament

from tests.server.tournament.leader import START_MS, Leader, dump
from tests.server.tournament.refusals import refused

FOUR = ("ann", "ben", "cid", "dan")


# --- joining and leaving ---


@pytest.mark.parametrize("status", ["running", "paused", "finished", "cancelled"])
def test_after_the_start_no_new_bot_gets_in_and_joined_bots_stay_in(status: str) -> None:
    leader = Leader("ann", "ben")
    leader.start()
    if status == "paused":
        leader.pause()
    elif status != "running":
        leader.record(commands.end(leader.tournament, 0, cancelled=status == "cancelled", reason="enough"))
    assert leader.tournament.status == status
    assert (status if status in ("running", "paused") else "friday is over") in refused(
        ErrorCode.TOURNAMENT_CLOSED, lambda: leader.join("cid")
    )
    assert commands.join(leader.tournament, "ann", 0) is None


def test_late_bots_that_would_get_too_many_matches_at_once_are_refused() -> None:
    leader = Leader.started("ann", "ben", cycles=50, legs=50, late_join=True)
    assert commands.join(leader.tournament, "cid", 0, joining=1) is not None
    message = refused(ErrorCode.TOURNAMENT_CLOSED, lambda: commands.join(leader.tournament, "cid", 0, joining=2))
    assert message == "friday is running; bots that join late get at most 5000 matches at once, not 12500"
    leader.join("cid")
    refused(ErrorCode.TOURNAMENT_CLOSED, lambda: leader.join("dan"))


def test_a_round_with_too_many_matches_is_refused() -> None:
    config = Leader(legs=1000).tournament.config
    commands.check_rounds(config, 11)
    message = refused(ErrorCode.BAD_SETTINGS, lambda: commands.check_rounds(config, 12))
    assert message == "a round of 12 bots has 6000 matches; 5000 is the most: ask for fewer legs"
    commands.check_rounds(Leader(legs=1000, format="gauntlet", challengers=5).tournament.config, 400)


def test_an_invitation_is_asked_of_bots_not_yet_in_the_field() -> None:
    leader = Leader(invite="sesame")
    refused(ErrorCode.INVITE_REQUIRED, lambda: leader.join("ann"))
    refused(ErrorCode.INVITE_REQUIRED, lambda: leader.join("ann", "wrong"))
    leader.join("ann", "sesame")
    assert commands.join(leader.tournament, "ann", 0) is None


def test_a_bot_that_leaves_the_lobby_was_never_in_and_may_join_again() -> None:
    leader = Leader("ann", "ben")
    leader.record(commands.leave(leader.tournament, "ann", 0))
    assert (list(leader.tournament.field), list(leader.tournament.standings.tally.bots)) == (["ben"], ["ben"])
    leader.join("ann")
    assert list(leader.tournament.field) == ["ben", "ann"]


def test_a_bot_that_leaves_the_lobby_loses_its_half_point_byes() -> None:
    leader = Leader("ann", "ben", "cid", format="swiss", legs=1)
    for bot in ("ann", "cid"):
        leader.record(commands.give_half_bye(leader.tournament, bot, 1, 0))
    leader.record(commands.leave(leader.tournament, "cid", 0))
    leader.start()
    assert {number: list(bots) for number, bots in leader.tournament.half_byes.items()} == {1: ["ann"]}
    assert "ann" in trf.write(export(leader.tournament))


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"rounds": 3}, {2: ["ann"], 3: ["ben"]}),
        ({"rounds": 2}, {2: ["ann"]}),
        ({"format": "knockout"}, {}),
        ({"game": "snakes", "seats": 3}, {}),
    ],
    ids=["as-many-rounds", "fewer-rounds", "another-format", "tables"],
)
def test_a_change_of_the_configuration_keeps_only_the_half_point_byes_that_are_possible(
    change: dict[str, Any], kept: dict[int, list[str]]
) -> None:
    swiss: dict[str, Any] = {"name": "Friday", "game": "snakes", "seats": 2, "format": "swiss"}
    leader = Leader("ann", "ben", "cid", "dan", **swiss)
    for number, bot in enumerate(("ann", "ben"), 2):
        leader.record(commands.give_half_bye(leader.tournament, bot, number, 0))
    leader.record(ConfigChanged("friday", TournamentConfig(**swiss | change), 0))
    assert {number: list(bots) for number, bots in leader.tournament.half_byes.items()} == kept


def test_the_start_drops_half_point_byes_in_rounds_beyond_the_last() -> None:
    leader = Leader("ann", "ben", "cid", format="swiss")
    for number in (2, 3):
        leader.record(commands.give_half_bye(leader.tournament, "ann", number, 0))
    leader.start()
    assert list(leader.tournament.half_byes) == [2]


def test_a_bot_that_leaves_after_the_start_has_left_for_good() -> None:
    leader = Leader.started("ann", "ben")
    leader.record(commands.leave(leader.tournament, "ann", 0))
    assert leader.tournament.field["ann"].withdrawn
    refused(ErrorCode.TOURNAMENT_CLOSED, lambda: leader.join("ann"))
    assert commands.leave(leader.tournament, "ann", 0) is None


def test_leaving_a_tournament_without_having_joined_changes_nothing() -> None:
    assert commands.leave(Leader("ann").tournament, "ben", 0) is None


def test_nobody_leaves_a_tournament_that_is_over() -> None:
    leader = Leader.started("ann", "ben")
    leader.record(commands.end(leader.tournament, 0, cancelled=False, reason="enough"))
    refused(ErrorCode.TOURNAMENT_CLOSED, lambda: commands.leave(leader.tournament, "ann", 0))


# --- starting, pausing, ending ---


@given(st.permutations(["ann", "Ben", "cid", "Dan", "eve"]), st.integers(0, 2**32))
def test_the_numbering_depends_on_the_seed_and_the_names_alone(order: list[str], seed: int) -> None:
    sorted_in, as_drawn = Leader("ann", "Ben", "cid", "Dan", "eve", seed=seed), Leader(*order, seed=seed)
    assert commands.start(sorted_in.tournament, 0).bots == commands.start(as_drawn.tournament, 0).bots


def test_the_seed_draws_the_numbers() -> None:
    numberings = {commands.start(Leader(*FOUR, seed=seed).tournament, 0).bots for seed in range(200)}
    assert len(numberings) == 24


def test_two_bots_are_needed_to_start() -> None:
    refused(ErrorCode.TOURNAMENT_CLOSED, Leader("ann").start)


def test_a_tournament_starts_once() -> None:
    leader = Leader.started("ann", "ben")
    refused(ErrorCode.TOURNAMENT_CLOSED, leader.start)


def test_a_tournament_is_ready_when_as_many_bots_are_in_as_it_waits_for() -> None:
    leader = Leader("ann", start_at_bots=2)
    assert not leader.tournament.ready_to_start(START_MS)
    leader.join("ben")
    assert leader.tournament.ready_to_start(START_MS)
    leader.start()
    assert not leader.tournament.ready_to_start(START_MS)
    assert not Leader(*FOUR).tournament.ready_to_start(START_MS)


def test_a_tournament_is_ready_from_its_time_on_once_two_bots_are_in() -> None:
    leader = Leader("ann", start_at_ms=START_MS + 1000, start_at_bots=3)
    assert not leader.tournament.ready_to_start(START_MS + 5000)
    wakes = [leader.tournament.wake_at_ms]
    leader.join("ben")
    wakes.append(leader.tournament.wake_at_ms)
    assert wakes == [None, START_MS + 1000]
    assert [leader.tournament.ready_to_start(START_MS + ms) for ms in (0, 999, 1000)] == [False, False, True]
    leader.join("cid")
    assert leader.tournament.ready_to_start(START_MS), "so many bots are enough, whatever the time"
    leader.start()
    assert not leader.tournament.ready_to_start(START_MS + 5000)


def test_a_final_that_is_decided_because_tied_bots_leave_has_a_winner() -> None:
    leader = Leader.started("ann", "ben", "cid", game="snakes", seats=3, format="knockout")
    leader.due()
    leader.pause()
    leader.finish("1.1.1.1", (0.75, 0.75, 0.0))
    assert {line.rank for line in leader.tournament.standings.lines()} == {1}
    for bot in ("ann", "ben"):
        leader.record(commands.leave(leader.tournament, bot, leader.now_ms))
    leader.resume()
    assert leader.due() == []
    assert leader.tournament.is_complete
    assert [line.rank for line in leader.tournament.standings.lines()] == [1, 2, 3]


def test_only_a_running_tournament_is_paused_and_only_a_paused_tournament_goes_on() -> None:
    leader = Leader(*FOUR)
    refused(ErrorCode.TOURNAMENT_CLOSED, leader.pause)
    refused(ErrorCode.TOURNAMENT_CLOSED, leader.resume)
    leader.start()
    refused(ErrorCode.TOURNAMENT_CLOSED, leader.resume)
    leader.pause()
    assert (leader.tournament.status, leader.tournament.reason) == ("paused", "lunch")
    refused(ErrorCode.TOURNAMENT_CLOSED, leader.pause)
    leader.resume()
    assert (leader.tournament.status, leader.tournament.reason) == ("running", "")


def test_while_paused_running_matches_finish_and_none_starts() -> None:
    leader = Leader.started(*FOUR)
    running = leader.due_ids()
    leader.pause()
    for match in running:
        leader.finish(match)
    assert (leader.due(), len(leader.tournament.results)) == ([], 2)
    leader.resume()
    assert leader.due_ids() != []


def test_the_host_ends_a_tournament_early_with_its_standings_or_cancels_it() -> None:
    leader = Leader("ann", "ben")
    refused(ErrorCode.TOURNAMENT_CLOSED, lambda: commands.end(leader.tournament, 0, cancelled=False, reason=""))
    leader.record(commands.end(leader.tournament, 5, cancelled=True, reason="rain"))
    assert (leader.tournament.status, leader.tournament.reason, leader.tournament.ended_at_ms) == (
        "cancelled",
        "rain",
        5,
    )
    refused(ErrorCode.TOURNAMENT_CLOSED, lambda: commands.end(leader.tournament, 0, cancelled=True, reason=""))
    leader = Leader.started("ann", "ben")
    leader.record(commands.end(leader.tournament, 5, cancelled=False, reason="late"))
    assert leader.tournament.status == "finished"


def test_a_tournament_is_complete_when_every_match_has_its_result() -> None:
    leader = Leader("ann", "ben", "cid")
    assert (leader.tournament.is_complete, leader.tournament.matches_total) == (False, None)
    leader.start()
    assert leader.tournament.matches_total == 6
    while found := leader.due():
        assert not leader.tournament.is_complete
        for started in found:
            leader.finish(started.match)
    assert leader.tournament.is_complete
    assert len(leader.tournament.results) == 6
    leader.record(commands.end(leader.tournament, 0, cancelled=False, reason="done"))
    assert not leader.tournament.is_complete


# --- what is due ---


def test_a_pairing_starts_as_soon_as_both_are_free_without_a_round_barrier() -> None:
    leader = Leader.started(*FOUR, legs=1)
    assert leader.due_ids() == ["1.1.1.1", "1.1.2.1"]
    leader.finish("1.1.1.1")
    assert leader.due() == []
    leader.finish("1.1.2.1")
    assert sorted(leader.due_ids()) == ["1.2.1.1", "1.2.2.1"]


def test_a_bot_that_is_not_there_holds_up_only_its_own_matches() -> None:
    leader = Leader.started(*FOUR, legs=1)
    leader.go("dan")
    played = leader.play_out()
    assert len(played) == 3
    assert all("dan" not in over.seats for over in leader.tournament.results.values())
    leader.come("dan")
    assert len(leader.play_out()) == 3


def test_a_void_match_is_played_again_as_the_next_attempt_and_is_no_result() -> None:
    leader = Leader.started("ann", "ben", legs=1)
    leader.due()
    leader.finish("1.1.1.1", None)
    assert (leader.tournament.results, leader.tournament.is_complete) == ({}, False)
    (again,) = leader.due()
    assert isinstance(again, MatchStarted)
    assert (again.match, again.attempt) == ("friday.1.1.1.1", 2)
    leader.finish("1.1.1.1")
    assert leader.tournament.is_complete
    assert [over.attempt for over in leader.tournament.voided] == [1]


def test_a_result_that_the_host_voids_is_taken_back_and_played_again() -> None:
    leader = Leader.started("ann", "ben")
    leader.play_out()
    assert leader.tournament.is_complete
    before = leader.dumps[-3]["standings"]
    leader.record(commands.void(leader.tournament, "friday.1.1.1.2", 0))
    assert leader.dumps[-1]["standings"] == before
    (again,) = leader.due()
    assert isinstance(again, MatchStarted)
    assert (again.match, again.attempt, again.seats) == ("friday.1.1.1.2", 2, ("ben", "ann"))
    leader.finish("1.1.1.2", (0.5, 0.5))
    assert leader.tournament.is_complete
    assert {line.name: line.points for line in leader.tournament.standings.lines()} == {"ann": 1.5, "ben": 0.5}


def test_only_the_final_states_of_the_latest_results_are_kept() -> None:
    tournament = Leader.started("ann", "ben").tournament
    for number in range(MOST_LATEST + 1):
        tournament.keep_final_state(str(number), get_game("tictactoe").initial())
    assert list(tournament.final_states) == [str(number) for number in range(1, MOST_LATEST + 1)]


def test_a_match_to_be_played_again_has_no_final_state_since_its_next_attempt_may_be_lost_by_absence() -> None:
    leader = Leader.started("ann", "ben")
    leader.play_out()
    leader.tournament.keep_final_state("friday.1.1.1.2", get_game("tictactoe").initial())
    leader.record(commands.void(leader.tournament, "friday.1.1.1.2", 0))
    assert leader.tournament.final_states == {}


def test_only_a_result_that_stands_can_be_voided() -> None:
    leader = Leader.started("ann", "ben")
    refused(ErrorCode.UNAVAILABLE, lambda: commands.void(leader.tournament, "friday.1.1.1.1", 0))
    leader.play_out()
    leader.record(commands.end(leader.tournament, 0, cancelled=False, reason="done"))
    refused(ErrorCode.TOURNAMENT_CLOSED, lambda: commands.void(leader.tournament, "friday.1.1.1.1", 0))


def test_a_search_pulls_only_some_thousand_matches_and_goes_on_later() -> None:
    names = tuple(f"bot-{number:03}" for number in range(500))
    tournament = Tournament(TournamentCreated("friday", TournamentConfig(name="x", game="tictactoe", legs=20), 0))
    for name in names:
        tournament.apply(BotJoined("friday", name, 0))
    tournament.apply(TournamentStarted("friday", names, (), 0))
    assert tournament.agenda is not None
    for rounds in range(1, 14):
        assert list(tournament.due({"bot-000"}, 0)) == []
        assert len(tournament.agenda.open) == rounds * 5_000
        assert tournament.has_more_due
    assert list(tournament.due({"bot-000"}, 0)) == []
    assert (len(tournament.agenda.open), tournament.has_more_due, tournament.bots_to_check) == (65_000, False, ())


def test_before_the_start_there_are_no_matches() -> None:
    leader = Leader("ann", "ben")
    assert leader.due() == []
    with pytest.raises(ValueError, match="has not started"):
        leader.record(*Leader.started("ann", "ben").due())


def test_no_result_is_voided_while_the_next_round_of_a_bracket_is_made_from_it() -> None:
    leader = Leader.started("ann", "ben", format="knockout", legs=1)
    leader.due()
    leader.finish("1.1.1.1")
    leader.tournament.is_pairing = True
    refused(ErrorCode.UNAVAILABLE, lambda: commands.void(leader.tournament, "friday.1.1.1.1", 0))
    leader.tournament.is_pairing = False
    assert commands.void(leader.tournament, "friday.1.1.1.1", 0).attempt == 1


def test_no_result_is_voided_of_a_tied_pairing_that_is_played_again() -> None:
    leader = Leader.started("ann", "ben", format="knockout", legs=1)
    leader.due()
    leader.finish("1.1.1.1", (0.5, 0.5))
    assert leader.due_ids() == ["2.1.1.1"]
    message = refused(ErrorCode.UNAVAILABLE, lambda: commands.void(leader.tournament, "friday.1.1.1.1", 0))
    assert message == "the pairing of friday.1.1.1.1 was tied, and friday.2.1.1.1 repeats it; its result stands"
    leader.finish("2.1.1.1")
    refused(ErrorCode.UNAVAILABLE, lambda: commands.void(leader.tournament, "friday.1.1.1.1", 0))
    assert commands.void(leader.tournament, "friday.2.1.1.1", 0).attempt == 1


# --- the facts rebuild the machine ---


def test_a_final_that_is_to_be_played_again_has_no_winner_until_it_is() -> None:
    leader = Leader.started("ann", "ben", format="knockout", legs=1)
    leader.due()
    leader.finish("1.1.1.1", (1.0, 0.0), Termination.NORMAL, ())
    leader.due()
    assert leader.tournament.is_complete
    leader.record(commands.void(leader.tournament, "friday.1.1.1.1", leader.now_ms))
    ranks = {line.rank for line in leader.tournament.standings.lines()}
    assert (leader.tournament.is_complete, ranks) == (False, {1})
    leader.due()
    leader.finish("1.1.1.1", (0.0, 1.0), Termination.NORMAL, ())
    leader.due()
    seats = leader.tournament.results["friday.1.1.1.1"].seats
    assert [line.name for line in leader.tournament.standings.lines()] == [seats[1], seats[0]]
    assert leader.tournament.is_complete


steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["due", "finish", "void", "replay", "go", "come", "wait", "pause", "resume", "leave", "bench", "unbench"]
        ),
        st.integers(0, 11),
    ),
    max_size=50,
)


def step(leader: Leader, action: str, number: int) -> None:
    """Do an action, as far as possible."""
    tournament, bot = leader.tournament, FOUR[number % 4]
    running = sorted(tournament.running)
    results = sorted(tournament.results)
    match action:
        case "due":
            task = tournament.pairing_task()
            if task is not None:
                leader.record(tournament.round_fact(task(), leader.now_ms))
            leader.due()
        case "finish" if running:
            scores = [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)][number % 3]
            leader.finish(running[number % len(running)], scores, Termination.NORMAL, (1,) if number == 3 else ())
        case "void" if running:
            leader.finish(running[number % len(running)], None)
        case "replay" if results:
            leader.record(commands.void(tournament, results[number % len(results)], leader.now_ms))
        case "go":
            leader.go(bot)
        case "come":
            leader.come(bot)
        case "wait":
            leader.pass_ms(number * 100)
        case "pause" if tournament.status == "running":
            leader.pause()
        case "resume" if tournament.status == "paused":
            leader.resume()
        case "leave":
            leader.record(commands.leave(tournament, bot, leader.now_ms))
        case "bench":
            leader.record(commands.bench(tournament, bot, leader.now_ms))
        case "unbench" if tournament.field[bot].benched:
            leader.record(commands.unbench(tournament, bot, leader.now_ms))
        case _:
            pass


@pytest.mark.parametrize("kind", ["round-robin", "knockout", "swiss", "gauntlet"])
@given(script=steps)
def test_the_facts_rebuild_the_machine_at_every_point(kind: str, script: list[tuple[str, int]]) -> None:
    leader = Leader(*FOUR, absent_ms=1000, bench_after=1, format=kind, legs=1 + (kind == "round-robin"))
    leader.start()
    for action, number in script:
        step(leader, action, number)
    for count, known in enumerate(leader.dumps, 1):
        rebuilt = rebuild_tournament(leader.facts[:count])
        assert rebuilt is not None
        assert dump(rebuilt) == known, f"after {leader.facts[count - 1]}"


def test_without_facts_there_is_no_tournament() -> None:
    assert rebuild_tournament([]) is None
    assert rebuild_tournament([TournamentStarted("friday", FOUR, (), 0), BotAbsent("friday", "ann", 0, 0)]) is None
