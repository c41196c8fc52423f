"""Files with tables: CSV and JSON, read back as they were written, and every bad value named by its place."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_engine import Termination
from rumble_engine.outcome import scores_of
from rumble_server.match.facts import MatchOver, Placement
from rumble_server.results.file_contents import ResultsFile
from rumble_server.results.results_file import read_results
from rumble_server.results.table_result import TableResult
from rumble_server.results.tables.csv_tables import FIRST
from rumble_server.results.tables.export_tables import has_tables
from rumble_server.results.tables.reading import FALLS
from rumble_server.results.tally import MOST_POINTS
from rumble_server.tournament.exports import csv_file
from rumble_server.tournament.exports.document import export, match_json

from tests.server.results.tables.rankings import table, tables
from tests.server.results.test_results_file import problems
from tests.server.tournament.leader import Leader
from tests.server.web.export_schema import check_export

HEADER = "seat_0,place_0,seat_1,place_1,seat_2,place_2"


def test_csv() -> None:
    file = read_results(f"{HEADER}\nann,1,ben,3,cid d,2\nben,1,ann,1,,\n")
    assert file.tables == (TableResult(("ann", "ben", "cid d"), (1, 3, 2)), TableResult(("ben", "ann"), (1, 1)))
    assert file.field == ("ann", "ben", "cid d")
    assert file.results == ()
    assert file.is_of_tables


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_with_more_columns(separator: str) -> None:
    text = "match,fall_1,seat_1,place_1,payoff_1,who,payoff_0,seat_0,place_0\nm.1,timeout,B,2,-1,x,2.5,A,1\n"
    (result,) = read_results("\ufeff" + text.replace(",", separator)).tables
    assert result == TableResult(("A", "B"), (1, 2), (2.5, -1.0), ((1, Termination.TIMEOUT),), "m.1")


def test_bad_rows_are_named_by_line_and_column() -> None:
    header = "seat_0,place_0,payoff_0,fall_0,seat_1,place_1,payoff_1"
    rows = ["A,x,,,B,2,", "A,1,,,A,2,", "A,1,nan,,B,2,1e16", "A,1,,lost,B,2,", "A,1,2,,B,2,", "A,1,,,B,3,", "A,1,,,,2,"]
    assert problems("\n".join([header, *rows, "A,1", "a,1,,,B,0,"])) == (
        "line 2, column 2: 'x' is not a place",
        "line 3, column 5: A has a second seat",
        "line 4, column 3: nan is not a payoff",
        "line 4, column 7: 1e+16 is not a payoff",
        "line 5, column 4: 'lost' is not a fall",
        "line 6, column 7: a payoff is missing",
        "line 7, column 2: the places 1, 3 should be 1, 2",
        "line 8, column 5: '' is not a name",
        "line 9, column 3: 2 columns where there should be 7",
        "line 10, column 1: 'a' and 'A' (line 2, column 1) differ only in case",
        "line 10, column 6: 0 is not a place",
    )


def test_bad_headers() -> None:
    assert problems(f"{FIRST},place_0\n") == ("line 1: the header has no column 'seat_1'",)
    assert problems(f"{HEADER},seat_4\n") == ("line 1: the header has no column 'seat_3'",)
    assert problems(f"{HEADER},place_1\n") == ("line 1, column 7: a second column 'place_1'",)
    assert problems("seat_0,place_0,payoff_0,seat_1,place_1\nA,1,2,B,2\n") == ("line 2: a payoff is missing",)
    assert problems(f'{HEADER}\n"A,1')[0].startswith("line 2: not CSV")


def over(result: TableResult) -> MatchOver:
    placed = Placement(result.places, result.payoffs, tuple([(seat, 0, kind) for seat, kind in result.falls]), "")
    scores = scores_of(result.places)
    return MatchOver(
        "t.1.1.1.1", 1, result.seats, scores, Termination.NORMAL, 'a "b",\nc', (), ("x",), 5, placement=placed
    )


def exported(matches: list[dict[str, Any]], **tournament: Any) -> str:
    return json.dumps({"tournament": tournament, "matches": matches, "standings": [], "voided": []})


@given(st.lists(tables(least=3), min_size=1, max_size=3), st.lists(tables(most=3), max_size=3))
def test_exports_are_read_back_as_they_were_written(some: list[TableResult], more: list[TableResult]) -> None:
    results = [*some, *more]
    matches = [match_json(over(result)) for result in results]
    expected = [(r.seats, r.places, r.payoffs, r.falls, "t.1.1.1.1") for r in results]

    def fields_of(file: ResultsFile) -> list[object]:
        assert file.results == ()
        return [(r.seats, r.places, r.payoffs, r.falls, r.match_id) for r in file.tables]

    assert fields_of(read_results(exported(matches))) == expected
    assert fields_of(read_results(csv_file.write({"matches": matches}))) == expected


def test_an_export_of_tables_fits_the_schema() -> None:
    matches = [match_json(over(table("A=1 B=2 C=3!", 1, 0, -1))), match_json(over(table("A=1 B=2 C=3")))]
    check_export({**export(Leader.started("A", "B").tournament), "matches": matches})


def test_payoffs_of_two_seats_are_read_beside_the_results() -> None:
    match = match_json(over(table("A=1 B=2", 9, 3)))
    file = read_results(exported([match, match]))
    assert [result.scores for result in file.results] == [(1, 0), (1, 0)]
    assert [result.payoffs for result in file.tables] == [(9, 3), (9, 3)]
    assert not file.is_of_tables
    assert not read_results(exported([match, match | {"payoffs": None}])).tables


def test_bad_json_is_named_by_its_place() -> None:
    good = match_json(over(table("A=1 B=2 C=3")))
    bad: list[tuple[Any, str]] = [
        (1, "matches[1]: not an object"),
        (good | {"seats": ["A"]}, "matches[1].seats: not a list of two names or more"),
        (good | {"seats": ["A", "B", 5]}, "matches[1].seats[2]: 5 is not a name"),
        (good | {"seats": ["A", "B", "A"]}, "matches[1].seats[2]: A has a second seat"),
        (good | {"places": [1, 2]}, "matches[1].places: not a list with a place for each seat"),
        (good | {"places": [1, 2, True]}, "matches[1].places[2]: True is not a place"),
        (good | {"payoffs": {"A": 1}}, "matches[1].payoffs: not a list with a payoff for each seat"),
        (good | {"payoffs": [1, 2, 10**400]}, f"matches[1].payoffs[2]: {10**400} is not a payoff"),
        (good | {"payoffs": [1, 2, None]}, "matches[1].payoffs[2]: a payoff is missing"),
        (good | {"falls": [{"seat": 3}]}, "matches[1].falls: not a list of objects with seats"),
        (good | {"falls": "x"}, "matches[1].falls: not a list of objects with seats"),
        (good | {"falls": [{"seat": 1}]}, "matches[1].falls[1]: '' is not a fall"),
    ]
    for match, problem in bad:
        assert problems(exported([good, match])) == (problem,)
    assert problems(exported([good, good | {"places": None}]))[0] == "matches[1].places[0]: None is not a place"
    assert MOST_POINTS < 10**400
    assert not has_tables([1, {"seats": 3}, {"seats": ["A", "B"]}])


def test_rounds_of_pairs_are_not_looked_for_beside_tables() -> None:
    good = match_json(over(table("A=1 B=2 C=3")))
    assert len(read_results(exported([good], rounds_paired=[{"tables": []}])).tables) == 1


def test_any_termination_but_the_usual_and_a_void_one_can_be_a_fall() -> None:
    assert set(Termination) - set(FALLS.values()) == {Termination.NORMAL, Termination.ABORTED}


def test_numbers_as_only_python_writes_them_are_refused() -> None:
    assert problems(f"{HEADER}\nA,1_0,B,\u0661,,\n") == (
        "line 2, column 2: '1_0' is not a place",
        "line 2, column 4: '\u0661' is not a place",
    )
