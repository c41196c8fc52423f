"""`rumble pair` on files: the next round, and every round again."""

import json
from pathlib import Path

import pytest

from tests.server.cli.run_here import Captured, printed, printed_json, ran, refused
from tests.server.swiss_events import swiss_events


def row(number: int, points: str, opponent: int, seat: str, result: str) -> str:
    head = f"001 {number:>4}      Player {number}".ljust(80)
    return f"{head}{points:>4} {number:>4}  {opponent:>4} {seat} {result}\n"


def write(path: Path, *pairs: tuple[int, int]) -> Path:
    """Write a round in which the first player of each pair has white, and the lower number wins."""
    rows = {}
    for white, black in pairs:
        for number, other, seat in ((white, black, "w"), (black, white, "b")):
            won = number < other
            rows[number] = row(number, "1.0" if won else "0.0", other, seat, "01"[won])
    path.write_text("".join(rows[number] for number in sorted(rows)))
    return path


@pytest.fixture
def event(tmp_path: Path) -> Path:
    return write(tmp_path / "event.trf", (1, 3), (4, 2))


def test_the_next_round(capsys: Captured, event: Path) -> None:
    shown = printed(capsys, "pair", event, "--rounds", "3").splitlines()
    assert shown == [
        "round 2 of 3, by dutch-2026",
        "   1  2 Player 2  -  1 Player 1",
        "   2  3 Player 3  -  4 Player 4",
    ]
    paired = printed_json(capsys, "pair", event, "--rounds", "3")
    assert paired == {"round": 2, "of": 3, "rules": "dutch-2026", "boards": [[2, 1], [3, 4]], "bye": None}


def test_the_number_of_rounds_is_the_file_s_or_asked_for(capsys: Captured, event: Path) -> None:
    line = refused(capsys, 2, "pair", str(event))
    assert "does not say how many rounds there will be (142 or XXR): add --rounds N" in line
    for line in ("XXR 3", "142 3"):
        event.write_text(event.read_text().partition("XXR")[0].partition("142")[0] + line + "\n")
        assert "round 2 of 3" in printed(capsys, "pair", event)
    assert "all 1 rounds are paired" in refused(capsys, 1, "pair", event, "--rounds", "1")


def test_every_round_again(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "119.trf"
    path.write_text(swiss_events.texts()["119.trf"], newline="")
    assert printed(capsys, "pair", path, "--check") == "5 rounds paired again by dutch-2026: all as the rules have it\n"
    line = refused(capsys, 2, "pair", str(path), "--check", "--rounds", "4")
    assert line == "rumble: the file has 5 rounds already; --rounds 4 is too few\n"


def test_a_differing_round_is_told_with_its_criterion(capsys: Captured, event: Path) -> None:
    write(event, (1, 4), (3, 2))
    code, out, _ = ran(capsys, "pair", event, "--check")
    assert code == 1
    assert out.splitlines() == [
        "round 1 differs by articles 3 and 4 (the sequence of candidates)",
        "  file:  1-4, 3-2",
        "  rules: 1-3, 4-2",
        "1 round paired again by dutch-2026: 1 otherwise",
    ]
    code, out, _ = ran(capsys, "pair", event, "--check", "--json", "--pairing-rules", "dutch-2025")
    (found,) = json.loads(out)["differing"]
    assert (code, found["round"], found["file"], found["by"]) == (1, 1, ["1-4", "3-2"], "")


def test_an_export_names_its_rules_and_missing_data_is_remarked(capsys: Captured, event: Path) -> None:
    event.write_text("092 Individual: swiss (tictactoe), dutch-2025\n### round 2 is left out\n" + event.read_text())
    code, out, err = ran(capsys, "pair", event, "--check")
    assert (code, "by dutch-2025" in out) == (0, True)
    assert "event.trf remarks: round 2 is left out" in err


@pytest.mark.parametrize("options", [["--check"], ["--rounds", "3"]])
def test_an_export_of_two_legs_is_not_paired_as_if_each_were_a_round(
    capsys: Captured, event: Path, options: list[str]
) -> None:
    why = "this cannot be paired again elsewhere: each pairing has 2 matches, and each of them is a round here"
    event.write_text(f"### {why}\n{event.read_text()}")
    assert refused(capsys, 1, "pair", event, *options) == f"rumble: {event}: {why}\n"


@pytest.mark.parametrize(
    ("text", "said"), [("nothing", "there is no player"), (row(1, "1.0", 2, "w", "1"), "there is no player 2")]
)
def test_bad_files_are_one_clear_line(capsys: Captured, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.trf"
    path.write_text(text)
    assert said in refused(capsys, 1, "pair", path, "--check")
    assert "No such file" in refused(capsys, 1, "pair", tmp_path / "missing.trf")


def test_a_round_that_cannot_be_paired_says_so(capsys: Captured, event: Path) -> None:
    write(event, (1, 2))
    assert "round 2 cannot be paired" in refused(capsys, 1, "pair", event, "--rounds", "2")


def test_tables_cannot_be_paired(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "tables.csv"
    path.write_text("seat_0,place_0,seat_1,place_1,seat_2,place_2\nann,1,ben,2,cid,3\n")
    assert "pairing is for matches of two seats, and this file has tables of more" in refused(capsys, 1, "pair", path)
    path.write_text("ann,ben,1\n")
    assert "two seats" not in refused(capsys, 1, "pair", path)
