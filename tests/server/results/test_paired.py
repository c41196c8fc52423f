from typing import Any

import pytest
from rumble_server.results.paired import Paired, read_paired, rounds_from
from rumble_server.results.result import Result
from rumble_server.results.rounds import ABSENT, RoundEntry
from rumble_server.results.tally import Scheme

SCHEME = Scheme.of((1, 0.5, 0))
TOLD: list[dict[str, Any]] = [
    {"round": 1, "pairs": [["A", "B"]], "byes": ["C"], "half_byes": []},
    {"round": 2, "pairs": [["C", "A"]], "byes": [], "half_byes": ["B"]},
]


def test_rounds_of_an_export() -> None:
    paired = read_paired(TOLD, "ABCD")
    assert paired == (Paired((("A", "B"),), ("C",)), Paired((("C", "A"),), (), ("B",)))
    results = [
        Result(("A", "B"), (1.0, 0.0), match_id="t.1.1.1.1"),
        Result(("A", "B"), (0.5, 0.5), match_id="t.1.1.1.2"),
    ]
    rounds = rounds_from(paired, results, "ABCD", SCHEME, 2)
    assert rounds.rows == {
        "A": [RoundEntry("B", 3, 2, 2, 0, 1, drawn=1), RoundEntry("C")],
        "B": [RoundEntry("A", 1, 2, 2, 2, drawn=1), RoundEntry(points=2, given_up=1)],
        "C": [RoundEntry(points=4), RoundEntry("A")],
        "D": [ABSENT, ABSENT],
    }


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "tournament.rounds_paired: not a list"),
        ([1], "tournament.rounds_paired[0]: it has no list 'pairs'"),
        ([TOLD[0] | {"byes": None}], "tournament.rounds_paired[0]: it has no list 'byes'"),
        ([TOLD[0] | {"pairs": [["A"]]}], "tournament.rounds_paired[0].pairs[0]: not a list of two names"),
        (
            [TOLD[0], TOLD[1] | {"byes": ["A"]}],
            "tournament.rounds_paired[1]: 'A' is not in the field, or is in the round twice",
        ),
        ([TOLD[0] | {"byes": ["X"]}], "tournament.rounds_paired[0]: 'X' is not in the field, or is in the round twice"),
        (
            [TOLD[0] | {"byes": [["A"]]}],
            "tournament.rounds_paired[0]: ['A'] is not in the field, or is in the round twice",
        ),
    ],
)
def test_bad_rounds_are_named(given: Any, problem: str) -> None:
    with pytest.raises(ValueError) as caught:
        read_paired(given, "ABCD")
    assert str(caught.value) == problem


@pytest.mark.parametrize("match", ["t.1.3.1.1", "t.1.0.1.1", "t.1.2.1.1", "first"])
def test_a_match_of_no_round_is_named(match: str) -> None:
    results = [Result(("A", "B"), (1.0, 0.0), match_id=match)]
    with pytest.raises(ValueError, match="is in none of the rounds"):
        rounds_from(read_paired(TOLD, "ABCD"), results, "ABCD", SCHEME, 1)
