from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.tournament.tables.plan import TablePlan, meetings, table_round, table_sizes


@given(st.integers(0, 100), st.integers(3, 8), st.booleans())
def test_tables_are_full_or_one_smaller_where_that_saves_every_bye(bots: int, full: int, may_be_smaller: bool) -> None:
    sizes = table_sizes(bots, full, full - may_be_smaller)
    byes = bots - sum(sizes)
    assert set(sizes) <= ({full, full - 1} if may_be_smaller else {full})
    assert sizes == sorted(sizes, reverse=True)
    assert 0 <= byes < full
    if full - 1 in sizes:
        assert byes == 0
    elif may_be_smaller:
        fits = any(tables * (full - 1) <= bots <= tables * full for tables in range(1, bots))
        assert (byes == 0) == fits or bots == 0


@pytest.mark.parametrize("wrong", [{"seats": 2}, {"least": 5}, {"least": 1}, {"cycles": 0}])
def test_a_plan_without_a_table_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^tables have three seats at least, "):
        TablePlan(**{"bots": 8, "seats": 4, **wrong})


def test_a_field_that_is_too_small_for_a_table_is_refused() -> None:
    assert TablePlan(3, 4).smallest == 3
    with pytest.raises(ValueError, match=r"^a table of 4 needs 3 bots, and there are 2$"):
        TablePlan(2, 4)
    with pytest.raises(ValueError, match=r"^a table of 4 needs 4 bots, and there are 3$"):
        TablePlan(3, 4, least=4)


def test_the_smallest_table_is_one_smaller_if_the_game_allows() -> None:
    assert [TablePlan(8, 4, least).smallest for least in (2, 3, 4)] == [3, 3, 4]


def test_meetings_count_pairs_in_any_seat_order() -> None:
    rounds = [table_round(1, [(2, 0, 1)]), table_round(2, [(1, 2, 3)], [0])]
    assert meetings(rounds) == {(0, 1): 1, (0, 2): 1, (1, 2): 2, (1, 3): 1, (2, 3): 1}
    assert [seating.match_key for made in rounds for seating in made.seatings] == [(1, 1, 1, 1), (1, 2, 1, 1)]
