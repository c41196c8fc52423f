"""`rumble standings` and `rumble ratings` on files with tables."""

import json
from pathlib import Path

import pytest
from rumble_server.cli.support.table_files import given_points
from rumble_server.results.file_contents import ResultsFile
from rumble_server.results.tables.points import TablePoints

from tests.server.cli.run_here import Captured, printed, printed_json, refused

TABLES = """seat_0,place_0,seat_1,place_1,seat_2,place_2,seat_3,place_3
ann,1,ben,2,cid,3,dan,4
ben,1,ann,2,dan,3,cid,3
cid,2,dan,2,ann,1,,
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tables.csv"
    path.write_text(TABLES)
    return path


def test_standings(capsys: Captured, file: Path) -> None:
    document = printed_json(capsys, "standings", file)
    assert document["tiebreaks"] == ["won", "places", "de"]
    points = [(line["name"], line["points"]) for line in document["standings"]]
    assert points == [("ann", 8), ("ben", 5), ("cid", 2.25), ("dan", 1.25)]
    assert document["finished_before"]["ann"] == {"ben": 1, "cid": 3, "dan": 3}
    document = printed_json(capsys, "standings", file, "--points", "10,6,3,0", "--tiebreaks", "faults")
    assert (document["tiebreaks"], document["standings"][0]["points"]) == (["faults"], 26)
    shown = printed(capsys, "standings", file)
    assert "first, shared" in shown
    assert "\nEqual points are told apart by: WON first places alone, PLACES most first places" in shown
    assert "tie-break rules" not in shown


def test_a_file_with_columns_for_two_seats(capsys: Captured, tmp_path: Path) -> None:
    file = tmp_path / "two.csv"
    file.write_text("seat_0,place_0,seat_1,place_1\nann,1,ben,2\nben,1,ann,2\nann,1,ben,2\n")
    points = [(line["name"], line["points"]) for line in printed_json(capsys, "standings", file)["standings"]]
    assert points == [("ann", 2), ("ben", 1)]
    assert [line["matches"] for line in printed_json(capsys, "ratings", file)["ratings"]] == [3, 3]


def test_ratings(capsys: Captured, file: Path) -> None:
    document = printed_json(capsys, "ratings", file)
    assert document["model"].startswith("Plackett-Luce")
    assert [line["name"] for line in document["ratings"]][:2] == ["ann", "ben"]
    assert "no terms for seats" in printed_json(capsys, "ratings", file, "--no-first-move")["model"]
    assert "model: Plackett-Luce" in printed(capsys, "ratings", file)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--tiebreaks", "sb"], "the tie-break 'sb' is not for tables; there are: won, places"),
        (["--tiebreak-rules", "2024-08"], "editions of the tie-break rules are for matches of two seats"),
        (["--points", "1,2"], "a better place must not be worth less"),
        (["--points", "payoffs"], "3 results have no payoffs"),
    ],
)
def test_wrong_usage(capsys: Captured, file: Path, arguments: list[str], said: str) -> None:
    assert said in refused(capsys, 2, "standings", file, *arguments)


def test_two_seats_count_by_payoffs_if_asked(capsys: Captured, tmp_path: Path) -> None:
    match = {"id": "t.1.1.1.1", "seats": ["ann", "ben"], "scores": [1, 0], "termination": "normal", "moves": []}
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"matches": [match | {"places": [1, 2], "payoffs": [4, 1]}]}))
    assert printed_json(capsys, "standings", path)["standings"][0]["points"] == 1
    assert printed_json(capsys, "standings", path, "--points", "payoffs")["standings"][0]["points"] == 4
    by_payoffs = {"tournament": {"table_points": "payoffs"}, **json.loads(path.read_text())}
    (tmp_path / "own.json").write_text(json.dumps(by_payoffs))
    assert printed_json(capsys, "standings", str(tmp_path / "own.json"))["standings"][0]["points"] == 4
    assert printed_json(capsys, "ratings", path)["model"].startswith("Bradley-Terry")


def test_an_export_s_own_choices_are_the_defaults() -> None:
    for points, expected in (
        ([5, 2, 0.5], TablePoints.of((5, 2, 0.5))),
        ("payoffs", TablePoints(counts_payoffs=True)),
        (None, TablePoints()),
    ):
        file = ResultsFile((), (), {}, {"table_points": points})
        assert given_points(None, file) == expected
        assert given_points("3,1", file) == TablePoints.of((3, 1))
        assert given_points("places", file) == TablePoints()
