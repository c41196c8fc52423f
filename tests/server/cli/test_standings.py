"""`rumble standings` on files, and what it shares with `rumble ratings`: bad rows and large files."""

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest
from rumble_server.cli.main import run

Captured = pytest.CaptureFixture[str]


def told(capsys: Captured, *arguments: str) -> Any:
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "results.csv"
    path.write_text("first,second,score\nann,ben,1\nben,cid,0.5\ncid,ann,0\n")
    return path


def test_standings_of_a_csv(capsys: Captured, file: Path) -> None:
    document = told(capsys, "standings", str(file))
    assert document["tiebreaks"] == ["de", "won", "sb", "ks"]
    assert next((line["name"], line["points"]) for line in document["standings"]) == ("ann", 2.0)
    document = told(capsys, "standings", str(file), "--points", "3,1,0", "--tiebreaks", "sb")
    assert document["standings"][0]["points"] == 6.0
    assert list(document["standings"][0]["tiebreaks"]) == ["sb"]
    assert run(["standings", str(file)]) == 0
    assert "decided by" in capsys.readouterr().out


def test_an_export_s_own_choices_are_the_defaults(capsys: Captured, tmp_path: Path) -> None:
    match = {"id": "t.1.1.1.1", "seats": ["ann", "ben"], "scores": [1, 0], "termination": "normal", "moves": []}
    tournament: dict[str, Any] = {"names": ["ann", "ben"], "scheme": [3, 1, 0], "tiebreak_order": ["faults", "sb"]}
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"tournament": {**tournament, "format": "knockout"}, "matches": [match]}))
    document = told(capsys, "standings", str(path))
    assert (document["tiebreaks"], document["standings"][0]["points"]) == (["faults", "sb"], 3.0)
    assert run(["standings", str(path)]) == 0
    assert "a knockout ranks by how far a bot came" in capsys.readouterr().out
    path.write_text(json.dumps({"tournament": {**tournament, "scheme": "x", "tiebreak_order": [[]]}, "matches": []}))
    assert told(capsys, "standings", str(path))["tiebreaks"] == ["de", "won", "sb", "ks"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--points", "1,2"], "three numbers"),
        (["--points", "0,1,2"], "a win must be worth more"),
        (["--tiebreaks", "elo"], "unknown tie-break 'elo'"),
    ],
)
def test_wrong_usage(capsys: Captured, file: Path, arguments: list[str], said: str) -> None:
    assert run(["standings", str(file), *arguments]) == 2
    assert said in capsys.readouterr().err


def test_bad_rows_are_named(capsys: Captured, file: Path) -> None:
    file.write_text("first,second,score\nann,ben,2\nann,ann,1\n")
    for command in ("standings", "ratings"):
        assert run([command, str(file)]) == 1
        first, second = capsys.readouterr().err.splitlines()
        assert "line 2, column 3" in first
        assert "line 3, column 2" in second


@pytest.mark.parametrize("command", ["standings", "ratings"])
def test_a_hundred_thousand_results_are_no_trouble(capsys: Captured, tmp_path: Path, command: str) -> None:
    path = tmp_path / "large.csv"
    lot = random.Random(7)
    names = [f"bot-{number}" for number in range(100)]
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        for _ in range(100_000):
            first, second = lot.sample(names, 2)
            writer.writerow((first, second, lot.choice(("1", "0.5", "0"))))
    document = told(capsys, command, str(path))
    lines = document["standings" if command == "standings" else "ratings"]
    assert sum(line["played" if command == "standings" else "matches"] for line in lines) == 200_000
