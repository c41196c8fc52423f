from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.match.match_id import MatchKey
from rumble_server.tournament.tables.knockout import KnockoutOfTables, advancing_counts, deal
from rumble_server.tournament.tables.plan import Seating, TablePlan, TableRound
from rumble_server.tournament.tables.schedule import TableScores

Found = dict[MatchKey, tuple[int, ...]]


def pull(knockout: KnockoutOfTables, results: Found, withdrawn: tuple[int, ...] = ()) -> TableRound:
    task = knockout.prepare(scores(results), withdrawn)
    assert task is not None
    made = task()
    knockout.add(made)
    return made


def scores(results: Found) -> dict[MatchKey, TableScores]:
    return {key: TableScores((), places, ()) for key, places in results.items()}


def by_number(seating: Seating) -> tuple[int, ...]:
    return tuple(1 + sorted(seating.bots).index(bot) for bot in seating.bots)


@given(st.integers(3, 8), st.integers(0, 40), st.integers(2, 8), st.integers(0, 2), st.integers(0, 999))
def test_every_field_has_one_winner_and_fair_byes(seats: int, more: int, least: int, replays: int, seed: int) -> None:
    plan = TablePlan(seats + more, seats, min(least, seats), replays=replays)
    random, knockout, results = Random(seed), KnockoutOfTables(plan), Found()
    left, byes = set(range(plan.bots)), dict.fromkeys(range(plan.bots), 0)
    while not knockout.is_finished(scores(results)):
        made = pull(knockout, results)
        assert knockout.prepare(scores(results)) is None
        there = [bot for seating in made.seatings for bot in seating.bots]
        if made.seatings[0].cycle == 1:
            assert len(set(there).union(made.byes)) == len(there) + len(made.byes)
            assert left >= set(there).union(made.byes)
            left = set(there).union(made.byes)
            for bot in made.byes:
                byes[bot] += 1
            assert max(byes[bot] for bot in left) - min(byes[bot] for bot in left) <= 1
        for seating in made.seatings:
            assert plan.least <= len(seating.bots) <= seats
            assert seating.cycle <= replays + 1
            results[seating.match_key] = tuple(random.choices(range(1, 4), k=len(seating.bots)))
    ranks = knockout.places(scores(results))
    assert sorted(ranks.values())[:2] == [1, 2]
    assert knockout.prepare(scores(results)) is None


def test_the_best_of_sixteen_go_through_two_rounds_and_the_final() -> None:
    knockout, results, shape = KnockoutOfTables(TablePlan(16, 4)), Found(), []
    while not knockout.is_finished(scores(results)):
        made = pull(knockout, results)
        shape.append([sorted(seating.bots) for seating in made.seatings])
        results |= {seating.match_key: by_number(seating) for seating in made.seatings}
    assert shape == [
        [[0, 7, 8, 15], [1, 6, 9, 14], [2, 5, 10, 13], [3, 4, 11, 12]],
        [[0, 3, 4, 7], [1, 2, 5, 6]],
        [[0, 1, 2, 3]],
    ]
    ranks = knockout.places(scores(results))
    assert [ranks[bot] for bot in range(16)] == [1, 2, 3, 4, 5, 5, 5, 5, 9, 9, 9, 9, 9, 9, 9, 9]


def tied_at_the_border(least: int, replays: int) -> tuple[KnockoutOfTables, Found]:
    """Play the first round of eight bots: at the first table the second and third bot are tied."""
    knockout, results = KnockoutOfTables(TablePlan(8, 4, least, replays=replays)), Found()
    first, second = pull(knockout, results).seatings
    assert sorted(first.bots) == [0, 3, 4, 7]
    places = {7: 1, 3: 2, 4: 2, 0: 4}
    results |= {first.match_key: tuple(places[bot] for bot in first.bots), second.match_key: by_number(second)}
    return knockout, results


def test_bots_that_are_tied_at_the_border_play_again_then_the_better_seed_goes_on() -> None:
    knockout, results = tied_at_the_border(2, replays=2)
    for cycle in (2, 3):
        (replay,) = pull(knockout, results).seatings
        assert (replay.cycle, replay.round, replay.board, sorted(replay.bots)) == (cycle, 1, 1, [3, 4])
        results[replay.match_key] = (1, 1)
    assert sorted(pull(knockout, results).seatings[0].bots) == [1, 2, 3, 7]


def test_a_replay_decides_only_between_the_tied_bots() -> None:
    knockout, results = tied_at_the_border(3, replays=1)
    (replay,) = pull(knockout, results).seatings
    assert sorted(replay.bots) == [0, 3, 4, 7]
    places = {0: 1, 4: 2, 3: 3, 7: 4}
    results[replay.match_key] = tuple(places[bot] for bot in replay.bots)
    assert sorted(pull(knockout, results).seatings[0].bots) == [1, 2, 4, 7]


def test_without_replays_or_without_tied_bots_that_are_there_the_better_seed_goes_on() -> None:
    for replays, withdrawn in ((0, ()), (1, (3, 4))):
        knockout, results = tied_at_the_border(2, replays)
        assert sorted(pull(knockout, results, withdrawn).seatings[0].bots) == [1, 2, 3, 7]


def test_a_replay_waits_for_no_other_table() -> None:
    knockout, results = tied_at_the_border(2, replays=1)
    del results[1, 1, 2, 1]
    assert pull(knockout, results).seatings[0].cycle == 2
    assert knockout.prepare(scores(results)) is None


def test_a_voided_result_changes_who_goes_on() -> None:
    knockout, results = KnockoutOfTables(TablePlan(8, 4)), Found()
    for seating in pull(knockout, results).seatings:
        results[seating.match_key] = by_number(seating)
    results[1, 1, 1, 1] = tuple(5 - place for place in results[1, 1, 1, 1])
    assert sorted(pull(knockout, results).seatings[0].bots) == [1, 2, 4, 7]


@pytest.mark.parametrize("wrong", [Seating(1, 3, 1, (0, 1, 2, 3)), Seating(3, 1, 1, (0, 1, 2, 3))])
def test_tables_that_cannot_be_next_are_refused(wrong: Seating) -> None:
    knockout, _ = tied_at_the_border(2, replays=1)
    with pytest.raises(ValueError, match=r"is next|is not to be played again"):
        knockout.add(TableRound((wrong,)))


def test_enough_bots_go_on_for_the_game() -> None:
    assert advancing_counts([4, 4, 3], 0, 2) == [2, 2, 1]
    assert advancing_counts([4], 0, 2) == [1]
    assert advancing_counts([4], 1, 4) == [3]
    assert advancing_counts([3, 3], 0, 3) == [2, 2]


def test_bots_are_dealt_back_and_forth_while_tables_have_room() -> None:
    assert deal(range(10), [4, 3, 3]) == [[0, 5, 6, 9], [1, 4, 7], [2, 3, 8]]
