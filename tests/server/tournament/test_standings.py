"""Standings: a result costs the same whenever it comes, can be taken back, and equal bots share a rank."""

from hypothesis import given
from hypothesis import strategies as st
from rumble_engine import Termination
from rumble_server.tournament.standings import Record, Standing, Table

NAMES = ["ann", "ben", "cid", "Dan"]
SCORES = [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0), (0.0, 0.0)]


def lines(table: Table) -> list[tuple[int, str, float]]:
    return [(standing.rank, standing.name, standing.record.points) for standing in table.standings()]


def test_a_field_without_results_shares_the_first_rank_in_order_of_name_without_case() -> None:
    assert lines(Table(["cid", "Dan", "ann"])) == [(1, "ann", 0.0), (1, "cid", 0.0), (1, "Dan", 0.0)]


def test_more_points_come_first_then_more_wins() -> None:
    table = Table(NAMES)
    table.add("m.1", ("ann", "ben"), (0.5, 0.5))
    table.add("m.2", ("ann", "ben"), (0.5, 0.5))
    table.add("m.3", ("cid", "Dan"), (1.0, 0.0))
    assert lines(table) == [(1, "cid", 1.0), (2, "ann", 1.0), (2, "ben", 1.0), (4, "Dan", 0.0)]


def test_a_record_counts_wins_draws_losses_and_faults_by_kind() -> None:
    table = Table()
    table.add("m.1", ("ann", "ben"), (1.0, 0.0))
    table.add("m.2", ("ben", "ann"), (0.5, 0.5))
    table.add("m.3", ("ann", "ben"), (0.0, 1.0), Termination.TIMEOUT, (0,))
    table.add("m.4", ("ann", "ben"), (0.0, 0.0), Termination.NO_SHOW, (0, 1))
    assert table.records["ann"] == Record(1.5, 1, 1, 2, {Termination.TIMEOUT: 1, Termination.NO_SHOW: 1})
    assert table.records["ann"].played == 4
    assert table.records["ben"].faults == {Termination.NO_SHOW: 1}


def test_the_crosstable_holds_every_score_by_match() -> None:
    table = Table()
    table.add("m.1", ("ann", "ben"), (1.0, 0.0))
    table.add("m.2", ("ben", "ann"), (0.5, 0.5))
    assert table.cells == {("ann", "ben"): {"m.1": 1.0, "m.2": 0.5}, ("ben", "ann"): {"m.1": 0.0, "m.2": 0.5}}


def test_a_line_as_data_leaves_out_faults_that_were_taken_back() -> None:
    table = Table(["ann"])
    arguments = ("m.1", ("ann", "ben"), (0.0, 1.0), Termination.FLOOD, (0,))
    table.add(*arguments)
    table.take_back(*arguments)
    assert table.standings()[0].as_json() == {
        "rank": 1,
        "name": "ann",
        "points": 0.0,
        "played": 0,
        "wins": 0,
        "draws": 0,
        "losses": 0,
        "faults": {},
    }
    assert Standing(1, "ann", Record(1.0, 1, faults={Termination.TIMEOUT: 2})).as_json()["faults"] == {"timeout": 2}


results = st.lists(
    st.tuples(st.permutations(NAMES).map(lambda names: tuple(names[:2])), st.sampled_from(SCORES)), max_size=20
)


@given(results)
def test_whatever_was_added_in_whatever_order_the_points_are_the_same(
    played: list[tuple[tuple[str, ...], tuple[float, ...]]],
) -> None:
    forwards, backwards = Table(NAMES), Table(NAMES)
    numbered = [(f"m.{number}", seats, scores) for number, (seats, scores) in enumerate(played)]
    for each in numbered:
        forwards.add(*each)
    for each in reversed(numbered):
        backwards.add(*each)
    assert lines(forwards) == lines(backwards)
    assert sum(record.points for record in forwards.records.values()) == sum(sum(scores) for _, scores in played)


@given(results)
def test_taking_everything_back_leaves_nothing(played: list[tuple[tuple[str, ...], tuple[float, ...]]]) -> None:
    table = Table(NAMES)
    for number, (seats, scores) in enumerate(played):
        table.add(f"m.{number}", seats, scores)
    for number, (seats, scores) in enumerate(played):
        table.take_back(f"m.{number}", seats, scores)
    assert lines(table) == lines(Table(NAMES))
    assert not any(table.cells.values())
