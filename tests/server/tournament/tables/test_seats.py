from collections import Counter
from itertools import permutations
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from rumble_server.tournament.tables.seats import balanced_seats, seated_by, seats_had


@given(st.integers(3, 8), st.integers(1, 5), st.integers(1, 20), st.booleans(), st.integers(0, 99))
def test_seats_of_a_schedule_differ_by_one_at_most(
    size: int, tables: int, rounds: int, has_smaller: bool, seed: int
) -> None:
    random, given_tables = Random(seed), []
    for _ in range(rounds):
        bots = random.sample(range(tables * size + 2), tables * size)
        sizes = [size - (has_smaller and random.random() < 0.4) for _ in range(tables)]
        given_tables += [bots[table * size :][: sizes[table]] for table in range(tables)]
    found = balanced_seats(given_tables)
    assert list(map(sorted, found)) == list(map(sorted, given_tables))
    had, full = seats_had(found), Counter(bot for bots in given_tables if len(bots) == size for bot in bots)
    everywhere = range(min(map(len, found)))
    for bot in {bot for bots in found for bot in bots}:
        times = [had[bot, seat] for seat in everywhere]
        assert max(times) - min(times) <= 1
        assert had[bot, size - 1] in (full[bot] // size, -(-full[bot] // size))


@given(st.integers(2, 5), st.integers(0, 99))
def test_no_swap_at_a_table_gives_two_bots_seats_that_they_had_less(size: int, seed: int) -> None:
    random = Random(seed)
    had = {(bot, seat): random.randrange(4) for bot in range(size) for seat in range(size)}

    def times(order: tuple[int, ...]) -> int:
        return sum(had[bot, seat] for seat, bot in enumerate(order))

    found = seated_by(had, range(size))
    near = [order for order in permutations(found) if sum(map(int.__ne__, order, found)) == 2]
    assert sorted(found) == list(range(size))
    assert times(found) <= min(map(times, near))


def test_four_bots_have_each_seat_in_four_rounds() -> None:
    had: Counter[tuple[int, int]] = Counter()
    for _ in range(4):
        had += seats_had([seated_by(had, range(4))])
    assert set(had.values()) == {1}
    assert len(had) == 16
