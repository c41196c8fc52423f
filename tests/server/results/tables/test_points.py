from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_engine.outcome import scores_of
from rumble_server.results.table_result import TableResult
from rumble_server.results.tables.points import TablePoints
from rumble_server.results.tables.tally import TableTally

from tests.server.results.tables.rankings import table, tables

DEFAULT = TablePoints()


def counted(points: TablePoints, *results: TableResult, byes: dict[str, int] | None = None) -> dict[str, float]:
    values, unit = points.count(TableTally.of(results, byes=byes))
    return {name: value / unit for name, value in values.items()}


def test_by_default_a_seat_behind_is_a_point_at_the_largest_table() -> None:
    assert counted(DEFAULT, table("A=1 B=2 C=3 D=4")) == {"A": 3, "B": 2, "C": 1, "D": 0}
    assert counted(DEFAULT, table("A=1 B=1 C=3 D=4")) == {"A": 2.5, "B": 2.5, "C": 1, "D": 0}
    smaller = [table("A=1 B=2 C=3 D=4"), table("E=1 F=2 G=3")]
    assert counted(DEFAULT, *smaller) == {"A": 3, "B": 2, "C": 1, "D": 0, "E": 3, "F": 1.5, "G": 0}
    assert counted(DEFAULT, table("A=1 B=2"), table("A=1 B=1")) == {"A": 1.5, "B": 0.5}


@given(st.lists(tables(), min_size=1, max_size=5))
def test_the_default_is_the_score_times_the_other_seats_of_the_largest_table(results: list[TableResult]) -> None:
    most = max(len(result.seats) for result in results)
    expected: dict[str, float] = {}
    for result in results:
        for seat, (name, score) in enumerate(zip(result.seats, scores_of(result.places), strict=True)):
            expected[name] = expected.get(name, 0) + (score * (most - 1) if seat not in result.absent else 0)
    assert counted(DEFAULT, *results) == pytest.approx(expected)


def test_points_of_places() -> None:
    scheme = TablePoints.read("10,6,3")
    assert scheme.by_place == (Fraction(10), Fraction(6), Fraction(3))
    assert counted(scheme, table("A=1 B=2 C=3 D=4")) == {"A": 10, "B": 6, "C": 3, "D": 3}
    assert counted(scheme, table("A=1 B=1 C=3")) == {"A": 8, "B": 8, "C": 3}
    assert counted(scheme, table("A=1 B=1 C=1 D=1")) == dict.fromkeys("ABCD", 5.5)
    assert counted(TablePoints.of((0.3, 0.1)), *[table("A=1 B=2")] * 3) == {"A": 0.9, "B": 0.3}


def test_seats_that_never_played_get_the_points_of_the_last_place() -> None:
    absent = table("A=1 B=2! C=2! D=2!")
    assert counted(DEFAULT, absent) == {"A": 3, "B": 0, "C": 0, "D": 0}
    assert counted(TablePoints.read("5,4,3,2"), absent) == {"A": 5, "B": 2, "C": 2, "D": 2}
    assert counted(DEFAULT, table("A=1! B=1! C=1!")) == {"A": 0, "B": 0, "C": 0}


def test_points_by_payoffs() -> None:
    by_payoffs = TablePoints.read("payoffs")
    assert counted(by_payoffs, table("A=1 B=2", 3.5, -1), table("B=1 A=2", 0, 0)) == {"A": 3.5, "B": -1}
    with pytest.raises(ValueError, match="1 results have no payoffs"):
        counted(by_payoffs, table("A=1 B=2", 3.5, -1), table("B=1 A=2"))


def test_a_bye_is_a_first_place() -> None:
    assert counted(DEFAULT, table("A=1 B=2 C=3"), byes={"C": 2}) == {"A": 2, "B": 1, "C": 4}
    assert counted(TablePoints.read("7,2"), byes={"C": 1}) == {"C": 7}
    assert counted(TablePoints.read("payoffs"), byes={"C": 1}) == {"C": 0}


@pytest.mark.parametrize("text", ["", "3", "3,x", "1,2", "2,2", "3,nan", "3,inf", "2e15,0", "payoff"])
def test_other_points_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"point|place"):
        TablePoints.read(text)
