"""`rumble standings` on files, and the reading of files shared with `rumble ratings`: bad rows and large files."""

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest
from rumble_server.cli.main import run

from tests.server.cli.run_here import Captured, printed, printed_json, refused


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "results.csv"
    path.write_text("first,second,score\nann,ben,1\nben,cid,0.5\ncid,ann,0\n")
    return path


def test_standings_of_a_csv(capsys: Captured, file: Path) -> None:
    document = printed_json(capsys, "standings", file)
    assert document["tiebreaks"] == ["de", "won", "sb", "ks"]
    assert next((line["name"], line["points"]) for line in document["standings"]) == ("ann", 2.0)
    document = printed_json(capsys, "standings", file, "--points", "3,1,0", "--tiebreaks", "sb")
    assert document["standings"][0]["points"] == 6.0
    assert list(document["standings"][0]["tiebreaks"]) == ["sb"]
    shown = printed(capsys, "standings", file)
    assert "decided by" in shown
    assert "\nEqual points are told apart by: DE direct encounter, WON wins over" in shown


def test_an_export_s_own_choices_are_the_defaults(capsys: Captured, tmp_path: Path) -> None:
    match = {"id": "t.1.1.1.1", "seats": ["ann", "ben"], "scores": [1, 0], "termination": "normal", "moves": []}
    tournament: dict[str, Any] = {"names": ["ann", "ben"], "scheme": [3, 1, 0], "tiebreak_order": ["faults", "sb"]}
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"tournament": {**tournament, "format": "knockout"}, "matches": [match]}))
    document = printed_json(capsys, "standings", path)
    assert (document["tiebreaks"], document["standings"][0]["points"]) == (["faults", "sb"], 3.0)
    assert "a knockout ranks by how far a bot came" in printed(capsys, "standings", path)
    path.write_text(json.dumps({"tournament": {**tournament, "scheme": "x", "tiebreak_order": [[]]}, "matches": []}))
    assert printed_json(capsys, "standings", path)["tiebreaks"] == ["de", "won", "sb", "ks"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--points", "1,2"], "three numbers"),
        (["--points", "0,1,2"], "a win must be worth more"),
        (["--tiebreaks", "elo"], "unknown tie-break 'elo'"),
    ],
)
def test_wrong_usage(capsys: Captured, file: Path, arguments: list[str], said: str) -> None:
    assert said in refused(capsys, 2, "standings", file, *arguments)


def test_bad_rows_are_named(capsys: Captured, file: Path) -> None:
    file.write_text("first,second,score\nann,ben,2\nann,ann,1\n")
    for command in ("standings", "ratings"):
        assert run([command, str(file)]) == 1
        first, second = capsys.readouterr().err.splitlines()
        assert "line 2, column 3" in first
        assert "line 3, column 2" in second


@pytest.mark.parametrize("command", ["standings", "ratings"])
@pytest.mark.slow
def test_a_hundred_thousand_results_are_no_trouble(capsys: Captured, tmp_path: Path, command: str) -> None:
    path = tmp_path / "large.csv"
    lot = random.Random(7)
    names = [f"bot-{number}" for number in range(100)]
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        for _ in range(100_000):
            first, second = lot.sample(names, 2)
            writer.writerow((first, second, lot.choice(("1", "0.5", "0"))))
    document = printed_json(capsys, command, str(path))
    lines = document["standings" if command == "standings" else "ratings"]
    assert sum(line["played" if command == "standings" else "matches"] for line in lines) == 200_000


TRF = """012 Four players
042 {start}
001    1      A                                                                  2.0    1     4 w 1     2 b 1     3 w 0
001    2      B                                                                  2.0    2     3 b 1     1 w 0  0000 - U
001    3      C                                                                  2.0    3     2 w 0  0000 - U     1 b 1
001    4      D                                                                  0.0    4     1 b 0  0000 - Z  0000 - Z
"""


def trf(folder: Path, start: str) -> Path:
    path = folder / "four.trf"
    path.write_text(TRF.format(start=start))
    return path


def test_standings_of_a_trf_by_the_edition_of_its_day(capsys: Captured, tmp_path: Path) -> None:
    chosen = ("--tiebreaks", "bh,sb")
    for start, rules, arguments, buchholz in (
        ("2025/05/01", "2024-08", (), [5, 6, 6]),
        ("2026/05/01", "2026-03", (), [5, 5.5, 5.5]),
        ("", "2026-03", (), [5, 5.5, 5.5]),
        ("2026/05/01", "2024-08", ("--tiebreak-rules", "2024-08"), [5, 6, 6]),
    ):
        document = printed_json(capsys, "standings", str(trf(tmp_path, start)), *chosen, *arguments)
        assert document["tiebreak_rules"] == rules
        by_number = {line["number"]: line for line in document["standings"]}
        assert [by_number[number]["tiebreaks"]["bh"] for number in (1, 2, 3)] == buchholz
    assert [(by_number[number]["name"], by_number[number]["byes"]) for number in (1, 2)] == [("A", 0), ("B", 1)]


def test_standings_of_a_trf_as_a_table(capsys: Captured, tmp_path: Path) -> None:
    out = printed(capsys, "standings", trf(tmp_path, "2026/05/01"))
    assert "BH-C1" in out
    assert "tie-break rules: 2026-03" in out
    assert run(["ratings", str(trf(tmp_path, ""))]) == 0


def test_a_round_robin_of_a_trf_has_its_own_tie_breaks(capsys: Captured, tmp_path: Path) -> None:
    path = trf(tmp_path, "2026/05/01")
    path.write_text("092 Individual: Round-Robin\n" + path.read_text())
    assert printed_json(capsys, "standings", path)["tiebreaks"] == ["de", "won", "sb", "ks"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--points", "3,1,0"], "a TRF file tells the points itself"),
        (["--tiebreak-rules", "2023"], "unknown tie-break rules '2023'; there are: 2024-08, 2026-03"),
    ],
)
def test_wrong_usage_with_a_trf(capsys: Captured, tmp_path: Path, arguments: list[str], said: str) -> None:
    assert said in refused(capsys, 2, "standings", trf(tmp_path, ""), *arguments)


def test_a_csv_has_the_newest_rules_and_an_export_of_a_swiss_needs_its_rounds(
    capsys: Captured, file: Path, tmp_path: Path
) -> None:
    assert printed_json(capsys, "standings", file)["tiebreak_rules"] == "2026-03"
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"tournament": {"names": ["ann", "ben"], "format": "swiss"}, "matches": []}))
    assert "this export of a swiss does not tell its rounds" in refused(capsys, 2, "standings", path)


def test_an_export_of_a_swiss_that_names_no_tie_breaks_is_ranked_by_those_of_a_swiss(
    capsys: Captured, tmp_path: Path
) -> None:
    match = {"id": "t.1.1.1.1", "seats": ["ann", "ben"], "scores": [1, 0], "termination": "normal", "moves": []}
    rounds = [{"pairs": [["ann", "ben"]], "byes": [], "half_byes": []}]
    tournament = {"names": ["ann", "ben"], "format": "swiss", "rounds_paired": rounds}
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"tournament": tournament, "matches": [match]}))
    assert printed_json(capsys, "standings", path)["tiebreaks"] == ["bh-c1", "bh", "de", "won", "sb"]


def test_half_point_byes_are_shown_as_halves(capsys: Captured, tmp_path: Path) -> None:
    path = trf(tmp_path, "")
    path.write_text(path.read_text().replace("0000 - Z\n", "0000 - H\n").replace("0.0    4", "0.5    4"))
    by_name = {line["name"]: line for line in printed_json(capsys, "standings", path)["standings"]}
    assert [(by_name[name]["byes"], by_name[name]["half_byes"]) for name in "ABD"] == [(0, 0), (1, 0), (0, 1)]
    assert run(["standings", str(path), "--tiebreaks", ""]) == 0
    cells = [[cell.strip() for cell in line.split("|")] for line in capsys.readouterr().out.splitlines() if "|" in line]
    assert {row[2]: row[8] for row in cells} == {"bot": "byes", "A": "0", "B": "1", "C": "1", "D": "0.5"}


@pytest.mark.parametrize("command", [("standings",), ("pair", "--check")])
def test_a_trf_is_read_as_utf_8_or_as_windows_1252(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    text = TRF.format(start="").replace("      A  ", "      Müß").replace("      B  ", "      “Ž”")
    path, said = tmp_path / "four.trf", set()
    for encoding in ("utf-8", "utf-8-sig", "cp1252"):
        path.write_text(text, encoding=encoding)
        code = run([command[0], str(path), *command[1:]])
        captured = capsys.readouterr()
        said.add((code, captured.out, captured.err))
    assert len(said) == 1
    assert (command[0] == "pair") != ("Müß" in said.pop()[1])
    with path.open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert run([command[0], "-", *command[1:]]) == code


@pytest.mark.parametrize("command", ["standings", "pair", "ratings"])
def test_a_file_that_is_no_text_is_refused_in_one_line(capsys: Captured, tmp_path: Path, command: str) -> None:
    path = tmp_path / "picture.trf"
    for content, said in ((b"001 \xff\x00", "byte 5 is 0"), (b"001 \xff\x81", "byte 5 is not Windows-1252 either")):
        path.write_bytes(content)
        assert run([command, str(path)]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert said in line
