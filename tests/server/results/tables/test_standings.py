from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_protocol.feed_messages import Standing
from rumble_server.results.table_result import TableResult
from rumble_server.results.tables.points import TablePoints
from rumble_server.results.tables.standings import DEFAULT_TABLES, TABLE_TIEBREAKS, rank_tables
from rumble_server.results.tables.tally import TableTally

from tests.server.results.tables.rankings import table, tables


def ranked(*results: TableResult, tiebreaks: tuple[str, ...] = DEFAULT_TABLES, points: str = "") -> list[Standing]:
    return rank_tables(TableTally.of(results), tiebreaks, TablePoints.read(points) if points else None)


def order(lines: list[Standing]) -> str:
    return " ".join(f"{line.rank}{line.name}" for line in lines)


def test_points_rank_and_equal_bots_share_a_rank() -> None:
    lines = ranked(table("A=2 B=1 C=2 D=4"), tiebreaks=())
    assert order(lines) == "1B 2A 2C 4D"
    assert [(line.points, line.wins, line.draws, line.losses) for line in lines] == [
        (3, 1, 0, 0),
        (1.5, 0, 0, 1),
        (1.5, 0, 0, 1),
        (0, 0, 0, 1),
    ]


def test_wins_decide() -> None:
    lines = ranked(table("A=1 B=2 C=3"), table("A=3 B=2 C=1"), tiebreaks=("won",))
    assert order(lines) == "1A 1C 3B"
    assert [line.decided_by for line in lines] == ["", "won", "won"]
    assert lines[0].tiebreaks == {"won": 1}


def test_places_decide_from_the_first_down() -> None:
    results = [table("A=1 B=1 C=3 D=4"), table("A=3 C=2 B=4 D=1"), table("A=3 B=2 C=4 D=1")]
    points = "1,1,1,1,0"
    assert order(ranked(*results, tiebreaks=("places",), points=points)) == "1D 2B 3A 4C"
    lines = ranked(table("A=1 B=2 C=3!"), tiebreaks=("places",), points="1,1,1,0")
    assert [(line.name, line.tiebreaks["places"]) for line in lines] == [("A", 1), ("B", 2), ("C", 3)]


def test_the_order_at_common_tables_decides_among_the_tied() -> None:
    results = [table("B=2 A=1 C=3"), table("A=1 B=2 C=3"), table("D=2 B=1 E=3")]
    lines = ranked(*results, tiebreaks=("de",))
    assert order(lines) == "1A 2B 3D 4C 4E"
    assert [(line.tiebreaks["de"], line.decided_by) for line in lines[:2]] == [(1, "de"), (2, "de")]
    even = [table("A=1 B=2 C=3"), table("B=1 A=2 C=3")]
    assert order(ranked(*even, tiebreaks=("de",))) == "1A 1B 3C"


def test_payoffs_and_faults_decide() -> None:
    results = [table("A=1 B=2", 5, 0), table("A=2 B=1", 0, 9)]
    lines = ranked(*results, tiebreaks=("payoff",))
    assert [(line.name, line.tiebreaks["payoff"], line.decided_by) for line in lines] == [
        ("B", 9, "payoff"),
        ("A", 5, "payoff"),
    ]
    assert [line.tiebreaks for line in ranked(table("A=1 B=1"), tiebreaks=("payoff",))] == [{"payoff": None}] * 2
    lines = ranked(table("A=1 B=2!"), table("A=2 B=1"), tiebreaks=("faults",))
    assert [(line.name, line.faults) for line in lines] == [("A", {}), ("B", {"no_show": 1})]


def test_other_tie_breaks_are_refused() -> None:
    with pytest.raises(ValueError, match="'sb' is not for tables; there are: won, places, de, payoff, faults"):
        ranked(tiebreaks=("sb",))
    with pytest.raises(ValueError, match="comes twice in won, won"):
        ranked(tiebreaks=("won", "won"))


@given(st.lists(tables(), max_size=8), st.permutations(list(TABLE_TIEBREAKS)))
def test_standings_do_not_depend_on_the_order_of_play(results: list[TableResult], tiebreaks: list[str]) -> None:
    lines = ranked(*results, tiebreaks=tuple(tiebreaks))
    assert lines == ranked(*results[::-1], tiebreaks=tuple(tiebreaks))
    assert all(one.points >= two.points for one, two in pairwise(lines))
    assert [line.rank for line in lines] == [1 + sum(x.rank < line.rank for x in lines) for line in lines]
