import json
import time
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_engine import Termination
from rumble_server.results.csv_results import SEPARATORS
from rumble_server.results.problems import BadResults
from rumble_server.results.result import Result
from rumble_server.results.results_file import read_results
from rumble_server.tournament.exports import WRITERS

from tests.needs import long_or
from tests.server.results.events import rank, rate


def problems(text: str) -> tuple[str, ...]:
    with pytest.raises(BadResults) as caught:
        read_results(text)
    return caught.value.problems


def test_csv() -> None:
    for header in ("", "first,second,score\n", "\ufefffirst,second,score\r\n"):
        file = read_results(f'{header}A,B,1\nB,A,0.5\n\n"C, the third",A,0\n')
        assert file.field == ("A", "B", "C, the third")
        assert [(result.seats, result.scores) for result in file.results] == [
            (("A", "B"), (1.0, 0.0)),
            (("B", "A"), (0.5, 0.5)),
            (("C, the third", "A"), (0.0, 1.0)),
        ]


def test_csv_with_more_columns() -> None:
    file = read_results("score,who,second,first,termination,second_score\n0,x,B,A,no_show,0\n1,y,A,B,timeout,\n")
    assert file.results == (
        Result(("A", "B"), (0.0, 0.0), Termination.NO_SHOW, (0, 1)),
        Result(("B", "A"), (1.0, 0.0), Termination.TIMEOUT, (1,)),
    )


@pytest.mark.parametrize("separator", SEPARATORS)
def test_columns_may_be_apart_by_commas_semicolons_or_tabs(separator: str) -> None:
    for lines in (("A,B,1", "B,C d,0"), ("second,first,score", "B,A,1", "C d,B,0")):
        file = read_results("\n".join(lines).replace(",", separator))
        assert file.results == (Result(("A", "B"), (1.0, 0.0)), Result(("B", "C d"), (0.0, 1.0)))


def test_a_separator_is_that_of_the_first_line() -> None:
    assert read_results("Ann, A.;Ben, B.;1\n").results == (Result(("Ann, A.", "Ben, B."), (1.0, 0.0)),)
    assert read_results("a;b,c;d,1\n").field == ("a;b", "c;d")
    assert problems("A;B;x\n") == ("line 1, column 3: the score must be 1, 0.5 or 0, not 'x'",)
    assert problems("A;B;1\nA,B,1\n") == ("line 2, column 2: 1 columns where there should be 3",)


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("1-0", (1.0, 0.0)),
        ("0 - 1", (0.0, 1.0)),
        ("1/2-1/2", (0.5, 0.5)),
        ("½-½", (0.5, 0.5)),
        ("½", (0.5, 0.5)),
        ("1/2", (0.5, 0.5)),
        ("0.5-0.5", (0.5, 0.5)),
        ("1–0", (1.0, 0.0)),
        ("0-0", (0.0, 0.0)),
        ("0.0", (0.0, 1.0)),
    ],
)
def test_scores_may_be_of_both(text: str, scores: tuple[float, float]) -> None:
    assert read_results(f"A,B,{text}\n").results == (Result(("A", "B"), scores),)


@pytest.mark.parametrize("text", ["1-1", "1-", "-", "1-0-0", "½-0", "2-0", ""])
def test_other_scores_are_refused(text: str) -> None:
    assert problems(f"A,B,{text}\n") == (f"line 1, column 3: the score must be 1, 0.5 or 0, not {text!r}",)


def test_a_decimal_comma() -> None:
    assert read_results("A;B;0,5\n").results == (Result(("A", "B"), (0.5, 0.5)),)


def test_trf_is_told_by_its_first_line_and_its_players() -> None:
    for begin in ("", "012 Open\n", "### a comment\n", "\ufeff\nXXR 2\n"):
        file = read_results(begin + "001    1      Ann\n001    2      Ben\n")
        assert file.event is not None
        assert file.field == ("Ann", "Ben")
    assert problems("012 Open\n001    x      Ann\n") == (
        "line 2, column 5: the starting number must be a whole number from 1, not 'x'",
    )
    assert read_results("012 Bot,Ann,1\n").event is None


def test_bad_rows_are_named_by_line_and_column() -> None:
    text = "A,B,1\nA,B\nA,B,2\nA,A,1\n,B,1\n B,A,1\na,B,1\nA,B,1,0\nA,B,0.50\n"
    assert problems(text) == (
        "line 2, column 3: 2 columns where there should be 3",
        "line 3, column 3: the score must be 1, 0.5 or 0, not '2'",
        "line 4, column 2: A cannot play itself",
        "line 5, column 1: '' is not a name",
        "line 6, column 1: ' B' is not a name",
        "line 7, column 1: 'a' and 'A' (line 1, column 1) differ only in case",
        "line 8, column 4: 4 columns where there should be 3",
        "line 9, column 3: the score must be 1, 0.5 or 0, not '0.50'",
    )


def test_bad_headers_and_cells() -> None:
    assert problems("first,score\nA,1\n") == ("line 1: the header has no column 'second'",)
    assert problems("first,second,score,score\n") == ("line 1, column 4: a second column 'score'",)
    header = "first,second,score,second_score,termination,at_fault\n"
    assert problems(f"{header}A,B,1,1,,\n") == ("line 2, column 4: '1' does not go with the score '1'",)
    assert problems(f"{header}A,B,1,x,,\n") == ("line 2, column 4: 'x' does not go with the score '1'",)
    assert problems(f"{header}A,B,1,0,lost,\n") == ("line 2, column 5: 'lost' is not a termination",)
    assert problems(f"{header}A,B,1,0,normal,2\n") == ("line 2, column 6: seats are 0 and 1, not '2'",)
    assert problems('A,B,1\n"A,B,1\n')[0].startswith("line 2: not CSV")
    for text in ("A" * 200_000 + ",B,1\n", "seat_0," + "A" * 200_000 + "\n"):
        assert problems(text) == ("line 1: not CSV: field larger than field limit (131072)",)


def test_many_problems_are_cut_short() -> None:
    with pytest.raises(BadResults, match="and 30 more") as caught:
        read_results("A,B,x\n" * 50)
    assert len(caught.value.problems) == 50


def test_an_empty_file_has_no_results() -> None:
    for text in ("", "first,second,score\n", "\n"):
        assert read_results(text).results == ()


def document(**more: Any) -> dict[str, Any]:
    match = {
        "id": "friday.1.1.1.1",
        "attempt": 2,
        "seats": ["A", "B"],
        "scores": [1.0, 0.0],
        "termination": "timeout",
        "reason": "B, alas, was late",
        "moves": ["4", "0"],
    }
    return {
        "tournament": {"names": ["A", "B", "C"], "name": "Friday", "game": "tictactoe", "format": "round-robin"},
        "standings": [],
        "matches": [match],
        "voided": [],
        **more,
    }


def test_our_export() -> None:
    file = read_results(json.dumps(document(byes={"C": 2})))
    assert file.field == ("A", "B", "C")
    assert file.byes == {"C": 2}
    assert file.tournament is not None
    assert file.tournament["name"] == "Friday"
    assert file.results == (Result(("A", "B"), (1.0, 0.0), Termination.TIMEOUT, (1,), "friday.1.1.1.1"),)
    lines = rank(file.results, field=file.field, byes=file.byes)
    assert [(line.name, line.points) for line in lines] == [("C", 2), ("A", 1), ("B", 0)]


def test_bad_json_is_named_by_its_place() -> None:
    assert problems('{"matches": [\n 1,,]}') == ("line 2, column 4: not JSON: Expecting value",)
    assert problems("{}") == ('not an export of Rumble: it has no list "matches"',)
    match = document()["matches"][0]
    bad = [
        1,
        match | {"seats": ["A"]},
        match | {"seats": ["A", "A"]},
        match | {"seats": ["A", 5]},
        match | {"scores": None},
        match | {"termination": "aborted"},
        match | {"moves": "4"},
        match | {"at_fault": [2]},
    ]
    assert problems(json.dumps(document(matches=bad, byes={"A": "x"}))) == (
        "matches[0]: not an object",
        "matches[1].seats: not a list of two names",
        "matches[2].seats: A cannot play itself",
        "matches[3].seats[1]: 5 is not a name",
        "matches[4].scores: None is none of [1, 0], [0, 1], [0.5, 0.5] and [0, 0]",
        "matches[5].termination: 'aborted' is not a termination",
        "matches[6].moves: not a list of texts",
        "matches[7].at_fault: not a list of seats",
        "byes: not a number of matches for each name",
    )


def test_json_that_cannot_be_parsed_at_all_is_refused() -> None:
    for text in ('{"a":' * 100_000, '{"a":' + "1" * 5_000 + "}"):
        (problem,) = problems(text)
        assert problem.startswith("line 1, column 1: not JSON")


def test_seats_at_fault_may_be_any_json_numbers() -> None:
    match = document()["matches"][0] | {"at_fault": [1.0]}
    (result,) = read_results(json.dumps(document(matches=[match]))).results
    assert repr(result.at_fault) == "(1,)"


def test_names_with_byes_alone_are_in_the_field() -> None:
    assert read_results(json.dumps(document(byes={"D": 1}))).field == ("A", "B", "C", "D")
    assert problems(json.dumps(document(byes={"a": 1}))) == (
        "byes: 'a' and 'A' (tournament.names[0]) differ only in case",
    )


NAMES = st.sampled_from(["A", "B", "c-3", "d_4"])
MATCHES = st.builds(
    lambda seats, scores, kind, fault, moves: {
        "id": "t.1.1.1.1",
        "attempt": 1,
        "seats": list(seats),
        "scores": list(scores),
        "termination": str(kind),
        "reason": 'said "no", and\nleft',
        "at_fault": fault,
        "moves": moves,
    },
    st.tuples(NAMES, NAMES).filter(lambda seats: seats[0] != seats[1]),
    st.sampled_from([(1.0, 0.0), (0.5, 0.5), (0.0, 1.0), (0.0, 0.0)]),
    st.sampled_from([kind for kind in Termination if kind is not Termination.ABORTED]),
    st.sampled_from([[], [0], [1], [0, 1]]),
    st.lists(st.sampled_from(["4", "d", "e2e4"]), max_size=4),
)


@given(st.lists(MATCHES, max_size=6))
def test_csv_and_json_exports_are_read_back_alike(matches: list[dict[str, Any]]) -> None:
    exported = document(matches=matches)
    write, media_type = WRITERS["csv"]
    assert media_type.startswith("text/csv")
    from_csv, from_json = read_results(write(exported)), read_results(json.dumps(exported))
    assert from_csv.results == from_json.results
    assert len(from_csv.results) == len(matches)


def test_a_hundred_thousand_results_are_a_matter_of_seconds() -> None:
    """A usual run reads a tenth of the results, in a tenth of the time plus the time to import modules."""
    count, most_s = long_or((10_000, 2), (100_000, 10))
    random = Random(1)
    names = [f"bot-{number}" for number in range(200)]
    rows = []
    for _ in range(count):
        first, second = random.sample(names, 2)
        rows.append(f"{first},{second},{random.choice(['1', '0.5', '0'])}\n")
    began = time.thread_time()
    file = read_results("".join(rows))
    assert len(rank(file.results)) == len(rate(file.results).lines) == 200
    assert time.thread_time() - began < most_s
