"""Tournaments of tables in a world of bots: they end by themselves, through crashes and beside bots that leave."""

import pickle
from typing import Any

import pytest
from rumble_engine import Termination
from rumble_server.match.facts import MatchStarted
from rumble_server.tournament.facts import TablesSeated
from rumble_server.tournament.tables import schedule
from rumble_server.tournament.tables.knockout import KnockoutOfTables
from rumble_server.tournament.tables.plan import Seating, TablePlan
from rumble_server.tournament.tournament import Tournament

from tests.needs import long_or
from tests.server.arena.playing import numbered
from tests.server.arena.test_formats_in_play import assert_ended, log_in, names, through_crashes
from tests.server.world import World

SHORT: dict[str, Any] = {"game": "snakes", "seats": 4, "settings": {"size": 7, "turns": 8}}
FORMATS = ("round-robin", "swiss", "knockout", "gauntlet")


def seatings(world: World) -> list[Seating]:
    return [each for fact in world.log.facts if isinstance(fact, TablesSeated) for each in fact.seatings]


def assert_all_was_played(world: World) -> Tournament:
    """Assert that the tournament ended, and each table has one result."""
    found = assert_ended(world)
    made = {
        f"friday.{each.cycle}.{each.round}.{each.board}.1": {numbered(found)[bot] for bot in each.bots}
        for each in seatings(world)
    }
    assert {match: {*over.seats, *over.absent} for match, over in found.results.items()} == made
    return found


@pytest.mark.parametrize("leavers", [0, 3])
@pytest.mark.parametrize("bots", long_or((4, 7, 9), range(3, 17)))
@pytest.mark.parametrize("kind", FORMATS)
def test_tables_end_by_themselves_through_crashes(kind: str, bots: int, leavers: int) -> None:
    world = through_crashes(bots, bots, format=kind, leavers=leavers, **SHORT)
    found = assert_all_was_played(world)
    lines = found.standings.lines()
    assert len(lines) == bots
    assert [line.rank for line in lines] == sorted(line.rank for line in lines)
    if not leavers:
        assert all(not over.absent for over in found.results.values())
    if kind == "knockout":
        assert [line.rank for line in lines][:2] == [1, 2]
    elif not leavers:
        points = sum(line.points for line in lines)
        byes = sum(count.byes for count in found.standings.tally.bots.values())
        small_tables = sum(len(over.seats) == 3 for over in found.results.values())  # which give 4.5 points, not 6
        assert points == pytest.approx(6 * len(found.results) + 3 * byes - 1.5 * small_tables)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_table_plays_without_the_bots_that_left(kind: str) -> None:
    world = World()
    world.create(start_at_bots=8, format=kind, **SHORT)
    bots = log_in(world, names(8))
    world.clock.step()
    while not world.tournament("friday").running:
        world.clock.step()
    bots[7].say(type="leave", tournament="friday")
    world.run()
    found = assert_all_was_played(world)
    lone = [over for over in found.results.values() if over.absent]
    assert lone or kind in ("swiss", "knockout"), "these pair no bot that has left"
    for over in lone:
        assert over.absent == ("bot-07",)
        assert len(over.seats) == 3
    last = next(line for line in found.standings.lines() if line.name == "bot-07")
    assert last.losses >= len(lone)
    if lone:
        assert found.standings.tally.bots["bot-07"].faults[Termination.NO_SHOW] == len(lone)


def test_a_table_with_too_few_bots_is_lost_by_the_bots_that_are_gone() -> None:
    world = World()
    tournament = world.create(start_at_bots=3, **{**SHORT, "seats": 3})
    bots = log_in(world, names(3))
    for bot in bots[1:]:
        bot.say(type="leave", tournament="friday")
    world.run()
    found = assert_all_was_played(world)
    assert found.id == tournament.id
    lost = [over for over in found.results.values() if over.termination is Termination.NO_SHOW]
    assert lost
    told = {frame["match"]: frame for frame in bots[0].inbox.all("match_over")}
    for over in lost:
        assert {"places", "falls"} <= set(told[over.match])
        assert "seed" not in told[over.match], "no seed was made"
        own = over.seats.index("bot-00")
        assert over.scores is not None
        assert over.scores[own] == 1
        assert over.placement is not None
        assert over.placement.places is not None
        assert sorted(over.placement.places) == [1, 2, 2]
        assert own not in over.at_fault
        assert sorted(over.reason.split(" and ")) == [f"bot-0{bot} has left the tournament" for bot in (1, 2)]
    assert found.standings.lines()[0].name == "bot-00"


def test_a_started_table_names_its_bots_in_the_order_of_their_seats() -> None:
    world = World()
    tournament = world.create(start_at_bots=4, cycles=1, **SHORT)
    log_in(world, names(4))
    world.run()
    numbers = {name: number for number, name in enumerate(numbered(tournament))}
    started = [fact for fact in world.log.facts if isinstance(fact, MatchStarted)]
    assert [tuple(numbers[bot] for bot in fact.seats) for fact in started] == [each.bots for each in seatings(world)]
    had = [[fact.seats.index(bot) for fact in started] for bot in numbers]
    assert all(sorted(seats) == [0, 1, 2, 3] for seats in had), "a bot has each seat once"


@pytest.mark.parametrize("kind", ["round-robin", "knockout", "gauntlet"])
def test_a_tournament_by_payoffs_sums_the_payoffs_of_its_games(kind: str) -> None:
    world = World()
    tournament = world.create(game="dilemma", settings={"rounds": 3}, format=kind, points="payoffs", start_at_bots=4)
    bots = log_in(world, names(4))
    world.clock.step()
    bots[3].say(type="leave", tournament="friday")
    world.run()
    assert tournament.status == "finished"
    paid = dict.fromkeys(names(4), 0.0)
    for over in tournament.results.values():
        assert over.placement is not None
        assert over.placement.payoffs is not None, "also a match that was lost before it began"
        for bot, payoff in zip(over.seats, over.placement.payoffs, strict=True):
            paid[bot] += payoff
    assert {line.name: line.points for line in tournament.standings.lines()} == paid
    lost = [over for over in tournament.results.values() if over.termination is Termination.NO_SHOW]
    for over in lost:
        assert over.placement is not None
        own = over.seats.index("bot-03")
        assert over.placement.payoffs is not None
        assert (over.placement.payoffs[own], over.placement.payoffs[1 - own]) == (0, 15), (
            "the least, and the best answer"
        )


@pytest.mark.parametrize("kind", ["swiss", "knockout"])
def test_the_rounds_of_a_large_field_are_made_elsewhere(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "MOST_BOTS_ON_LOOP", 6)
    found = assert_all_was_played(through_crashes(4, 9, format=kind, **SHORT))
    assert found.agenda is not None
    assert found.agenda.schedule.is_slow


def test_a_task_of_a_knockout_can_be_sent_to_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "MOST_BOTS_ON_LOOP", 6)
    knockout = KnockoutOfTables(TablePlan(9, 4))
    task = knockout.prepare({})
    assert task is not None
    first = pickle.loads(pickle.dumps(task))()
    knockout.add(first)
    assert knockout.prepare({}) is None, "no result is there"
