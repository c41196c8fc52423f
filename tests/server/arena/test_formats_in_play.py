"""Every format in a world of bots, through crashes: it ends by itself, and each pairing is played once."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from rumble_engine import Termination
from rumble_server.match.facts import MatchOver, MoveMade
from rumble_server.match.match_id import MatchId
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.facts import RoundPaired, TournamentEnded
from rumble_server.tournament.formats import FORMATS
from rumble_server.tournament.pairs.plan import Pairing, Plan
from rumble_server.tournament.tournament import Tournament

from tests.needs import long_or
from tests.server.arena.playing import assert_log_rebuilds, at_random, numbered
from tests.server.tournament.rounds import all_rounds
from tests.server.world import Bot, World

Told = dict[str, tuple[tuple[float, ...], tuple[str, ...]]]


def names(count: int) -> list[str]:
    return [f"bot-{number:02}" for number in range(count)]


def log_in(world: World, bots: list[str], *join: str) -> list[Bot]:
    """Connect bots that join at login."""
    run = world.arena.matches.run_number
    found = [world.player(each, at_random((each, run)), max_matches=1 + len(f"{each}{run}") % 2) for each in bots]
    for bot in found:
        for tournament in join or ("friday",):
            bot.say(type="join", tournament=tournament)
    return found


def through_crashes(seed: int, bots: int, *, leavers: int = 0, has_drops: bool = False, **config: Any) -> World:
    """Play a tournament to its end, with crashes of the server after any fact; told facts stay true.

    With `has_drops`, bots lose their connections meanwhile, and come back.
    """
    random = Random(f"{seed}.{bots}")
    world = World(seed=seed, delay_ms=random.randrange(4))
    world.create(start_at_bots=bots, **config)
    told: Told = {}
    for _ in range(random.randrange(1, 6)):
        connected = log_in(world, names(bots))
        for _ in range(random.randrange(40 * bots)):
            world.clock.step()
            if leavers and random.random() < 0.01:
                leavers -= 1
                random.choice(connected).say(type="leave", tournament="friday")
            if has_drops and random.random() < 0.02:
                lost = random.choice(connected)
                lost.drop()
                connected += log_in(world, [lost.name])
        note(told, connected)
        if world.tournament("friday").status == "finished":
            break
        world = world.after_crash(random.randrange(world.log.durable, world.log.last + 1))
    if world.tournament("friday").status != "finished":
        connected = log_in(world, names(bots))
        world.run()
        note(told, connected)
    tournament = world.tournament("friday")
    for match, result in told.items():
        assert (tournament.results[match].scores, tournament.results[match].moves) == result
    return world


def status(tournament: Tournament) -> str:
    """Return the status anew (a type checker believes that a compared value stays)."""
    return tournament.status


def note(told: Told, bots: list[Bot]) -> None:
    for frame in (frame for bot in bots for frame in bot.inbox.all("match_over")):
        result = (tuple(frame["scores"]), tuple(frame["moves"]))
        assert told.setdefault(frame["match"], result) == result, "told twice, and differently"


def rounds_paired(world: World, tournament: str = "friday") -> list[RoundPaired]:
    return [fact for fact in world.log.facts if isinstance(fact, RoundPaired) and fact.tournament == tournament]


def seats_of(tournament: Tournament, pairings: Iterator[Pairing]) -> dict[str, tuple[str, str]]:
    """Return the seats of each match of these pairings, by match id."""
    bots, seats = numbered(tournament), {}
    for pairing in pairings:
        pair = (bots[pairing.first], bots[pairing.second])
        for leg in range(1, tournament.config.legs + 1):
            match = str(MatchId(tournament.id, *pairing.match_key(leg)))
            assert match not in seats, "an id comes twice"
            seats[match] = pair if leg % 2 else pair[::-1]
    return seats


def assert_ended(world: World, tournament: str = "friday") -> Tournament:
    """Assert that the tournament ended by itself, no match has two results, and the log rebuilds the tournament."""
    found = world.tournament(tournament)
    assert (found.status, found.running) == ("finished", {})
    results = [fact.match for fact in world.log.facts if isinstance(fact, MatchOver) and fact.scores is not None]
    mine = [match for match in results if match.startswith(f"{tournament}.")]
    assert sorted(mine) == sorted(found.results), "two results of one match"
    assert_log_rebuilds(world, found)
    assert found.matches_total == len(found.results)
    return found


def assert_all_was_played(world: World, pairings: list[Pairing], tournament: str = "friday") -> Tournament:
    """Assert that the tournament ended, and each leg of each pairing has one result."""
    found = assert_ended(world, tournament)
    assert {match: over.seats for match, over in found.results.items()} == seats_of(found, iter(pairings))
    return found


def paired(world: World, tournament: str = "friday") -> list[Pairing]:
    return [pairing for fact in rounds_paired(world, tournament) for pairing in fact.pairings]


@pytest.mark.parametrize(("kind", "bots"), [("knockout", 5), ("swiss", 5), ("gauntlet", 4), ("round-robin", 4)])
def test_a_tournament_of_each_format_goes_on_from_whatever_fact(kind: str, bots: int) -> None:
    first = World()
    first.create(start_at_bots=bots, format=kind, legs=1, replays=2)
    log_in(first, names(bots))
    first.run()
    assert isinstance(first.log.facts[-1], TournamentEnded)
    for facts in range(1, len(first.log.facts), 1 if kind == "round-robin" else long_or(3, 1)):
        logged = [fact for fact in first.log.facts[:facts] if isinstance(fact, MatchOver)]
        made = [fact for fact in first.log.facts[:facts] if isinstance(fact, MoveMade)]
        world = first.after_crash(facts)
        log_in(world, names(bots))
        world.run()
        tournament = world.tournament("friday")
        if kind in ("knockout", "swiss"):
            assert_all_was_played(world, paired(world))
            assert len({(each.round, each.board) for each in paired(world)}) == (4 if kind == "knockout" else 6)
        assert status(tournament) == "finished"
        assert [over for over in tournament.results.values() if over in logged] == logged, "a result is lost"
        assert all(tournament.results[each.match].moves[each.ply] == each.move for each in made), "a move is lost"
        assert_log_rebuilds(world, tournament)


# --- knockout ---


def places_by_hand(tournament: Tournament, pairings: list[Pairing]) -> dict[str, int]:
    """Return each bot's place, from the last replay of each pairing and its scores alone."""
    bots, legs = numbered(tournament), tournament.config.legs
    rounds = (len(bots) - 1).bit_length()
    last = {(pairing.round, pairing.board): pairing for pairing in sorted(pairings, key=lambda each: each.cycle)}
    places = dict.fromkeys(bots, 1)
    for pairing in last.values():
        overs = [tournament.results[str(MatchId("friday", *pairing.match_key(1 + leg)))] for leg in range(legs)]
        first, second = (
            sum((over.scores or ())[(leg + side) % 2] for leg, over in enumerate(overs)) for side in (0, 1)
        )
        first_lost = first < second or (first == second and pairing.first > pairing.second)
        places[bots[pairing.first if first_lost else pairing.second]] = 2 ** (rounds - pairing.round) + 1
    return places


@pytest.mark.parametrize("leavers", [0, 2])
@pytest.mark.parametrize("bots", long_or((2, 3, 4, 5, 7, 8, 13), range(2, 17)))
def test_a_knockout_ends_by_itself_and_ranks_by_how_far_each_came(bots: int, leavers: int) -> None:
    legs, replays = 1 + bots % 3, bots % 4
    world = through_crashes(bots, bots, format="knockout", legs=legs, replays=replays, leavers=leavers)
    pairings = paired(world)
    tournament = assert_all_was_played(world, pairings)
    assert len({(each.round, each.board) for each in pairings}) == bots - 1
    assert max(each.cycle for each in pairings) <= 1 + replays
    lines = tournament.standings.lines()
    assert {standing.name: standing.rank for standing in lines} == places_by_hand(tournament, pairings)
    assert [standing.rank for standing in lines] == sorted(standing.rank for standing in lines)
    assert [standing.rank for standing in lines][:2] == [1, 2]


def test_knockout_waits_for_no_eliminated_bot_and_a_winner_keeps_its_absent_budget() -> None:
    world = World()
    tournament = world.create(start_at_bots=4, format="knockout", legs=1, replays=0, absent_ms=1000)
    world.logins("slow-1", "slow-2", join="friday")
    quick = log_in(world, names(2))
    world.run(100)
    (over,) = tournament.results.values()
    assert set(over.seats) == set(names(2)), "choose another seed: the quick ones are to meet each other"
    for bot in quick:
        bot.drop()
    world.run(9_000)
    assert tournament.wake_at_ms is None
    world.run(900)  # a slow bot runs out of time
    ended = list(tournament.results.values())[-1]
    assert (ended.termination, len(tournament.results)) == (Termination.TIMEOUT, 2)
    assert {tournament.field[bot.name].absent_left_ms for bot in quick} == {1000}
    world.run(ended.at_ms + 999 - world.clock.now_ms())
    assert status(tournament) == "running"
    world.run(1)
    final = list(tournament.results.values())[-1]
    assert (final.termination, final.at_ms - ended.at_ms) == (Termination.NO_SHOW, 1000)
    assert status(tournament) == "finished"


def test_a_semi_final_whose_winner_has_gone_on_is_not_played_again() -> None:
    world = World()
    tournament = world.create(start_at_bots=4, format="knockout", legs=1, replays=0)
    bots = {bot.name: bot for bot in world.logins(*names(4), join="friday")}
    semi_finals = [tournament.running[f"friday.1.1.{board}.1"] for board in (1, 2)]
    for match in semi_finals:
        bots[match.seats[0]].say(type="resign", match=match.match)
    (final,) = tournament.running.values()
    with pytest.raises(CommandRefused, match=r"the winner of friday\.1\.1\.1\.1 has gone on to round 2; its result"):
        world.organiser.play_again(semi_finals[0].match)
    bots[final.seats[0]].say(type="resign", match=final.match)
    assert status(tournament) == "finished"
    assert tournament.standings.lines()[0].name == final.seats[1]
    assert len(paired(world)) == 3


# --- Swiss ---


@pytest.mark.parametrize("leavers", [0, 2])
@pytest.mark.parametrize("bots", long_or((2, 3, 4, 5, 6, 9, 14), range(2, 21)))
def test_a_swiss_ends_by_itself_and_byes_count_as_won(bots: int, leavers: int) -> None:
    legs = 1 + bots % 2
    world = through_crashes(bots, bots, format="swiss", legs=legs, leavers=leavers)
    pairings = paired(world)
    tournament = assert_all_was_played(world, pairings)
    played = Counter(frozenset((each.first, each.second)) for each in pairings)
    unplayed = {
        frozenset(over.seats) for over in tournament.results.values() if over.termination is Termination.NO_SHOW
    }
    numbers = {bot: number for number, bot in enumerate(numbered(tournament))}
    forfeited = {frozenset(numbers[bot] for bot in pair) for pair in unplayed}
    assert all(count == 1 or pair in forfeited for pair, count in played.items()), "two met twice"
    byes = Counter(bot for fact in rounds_paired(world) for bot in fact.byes)
    assert set(byes.values()) <= {1}
    counts = tournament.standings.tally.bots
    for number, bot in enumerate(numbered(tournament)):
        assert counts[bot].byes == byes[number] * legs
    points = sum(standing.points for standing in tournament.standings.lines())
    lost_by_both = sum(over.scores == (0, 0) for over in tournament.results.values())
    assert points == len(tournament.results) - lost_by_both + legs * byes.total()
    if not leavers:
        rounds = (bots - 1).bit_length()
        assert [len(fact.pairings) for fact in rounds_paired(world)] == [bots // 2] * rounds
        assert byes.total() == rounds * (bots % 2)


def test_a_swiss_with_one_bot_left_ends_and_says_why() -> None:
    for crash in (False, True):
        world = World()
        _, bots = world.begun(*names(4), format="swiss", rounds=3)
        for bot in bots[:2]:
            bot.say(type="leave", tournament="friday")
        if crash:
            world = world.after_crash()
            bots = log_in(world, names(4))
        assert world.tournament("friday").status == "running"
        bots[2].say(type="leave", tournament="friday")
        world.run(1_000)
        bots[3].say(type="resign", match=next(iter(world.arena.matches.live), ""))
        world.run(1_000)
        found = world.tournament("friday")
        assert (found.status, found.reason) == ("finished", "fewer than two bots are left")
        assert bots[3].last("tournament_over")["status"] == "finished"


# --- gauntlet ---


@pytest.mark.parametrize(("bots", "challengers"), [(2, 1), (3, 1), (5, 1), (5, 2), (6, 3), (7, 6), (9, 1)])
def test_a_gauntlet_ends_by_itself_and_only_challengers_meet_the_others(bots: int, challengers: int) -> None:
    cycles, legs = 1 + bots % 2, 1 + challengers % 2
    config: dict[str, Any] = {"challengers": challengers, "cycles": cycles, "legs": legs}
    world = through_crashes(bots, bots, format="gauntlet", leavers=bots % 3, **config)
    schedule = FORMATS["gauntlet"].schedule(Plan(bots, cycles, legs, challengers=challengers))
    pairings: list[Pairing] = []
    for each in all_rounds(schedule):
        pairings += each.pairings
    tournament = assert_all_was_played(world, pairings)
    met = Counter(frozenset(over.seats) for over in tournament.results.values())
    numbers = numbered(tournament)
    assert met == {
        frozenset((challenger, other)): cycles * legs
        for challenger in numbers[:challengers]
        for other in numbers[challengers:]
    }
    assert rounds_paired(world) == []


# --- several at once, and points ---
