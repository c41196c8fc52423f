"""`rumble replay`: of a file or a server, in a pipe and step by step."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rumble_server.cli.main import run
from rumble_server.cli.output.errors import CliError
from rumble_server.cli.support.recorded_match import RecordedMatch, from_text
from rumble_server.cli.support.replaying import Replay, step

from tests.server.cli.run_here import Captured, printed, refused
from tests.server.cli.server_thread import TOKEN, play, server_on_thread
from tests.server.web.export_schema import check_export

MATCH: dict[str, Any] = {
    "id": "t.1.1.1.1",
    "seats": ["ann", "ben"],
    "scores": [1.0, 0.0],
    "termination": "normal",
    "reason": "three in a row",
    "moves": ["0", "3", "1", "4", "2"],
}
EXPORT: dict[str, Any] = {"tournament": {"game": "tictactoe", "settings": {}, "seed": 0}, "matches": [MATCH]}


def replayed(capsys: Captured, *arguments: str) -> str:
    return printed(capsys, "replay", *arguments)


@pytest.fixture
def export(tmp_path: Path) -> Path:
    file = tmp_path / "export.json"
    file.write_text(json.dumps(EXPORT))
    return file


def test_a_pipe_gets_every_board(capsys: Captured, export: Path) -> None:
    lines = replayed(capsys, str(export)).splitlines()
    assert lines[0] == "t.1.1.1.1: ann (X) - ben (O), Tic-tac-toe"
    assert [line for line in lines if line.startswith("ply ")] == [
        "ply 0 of 5",
        "ply 1 of 5: ann played 0",
        "ply 2 of 5: ben played 3",
        "ply 3 of 5: ann played 1",
        "ply 4 of 5: ben played 4",
        "ply 5 of 5: ann played 2",
    ]
    assert lines[-2:] == [" 6 | 7 | 8 ", "1 : 0  three in a row (normal)"]
    assert replayed(capsys, str(export), "--ply", "1").count("ply ") == 1


def test_thoughts_of_the_bots_stand_under_their_moves(capsys: Captured, export: Path, tmp_path: Path) -> None:
    info = {"score": 0.5, "depth": 3, "nodes": 12, "time_ms": 1500, "pv": ["0", "\x1b[31m"], "later": "more"}
    infos = [info, None, {}, {"depth": 1}, None]
    export.write_text(json.dumps({**EXPORT, "matches": [{**MATCH, "infos": infos}]}))
    lines = replayed(capsys, str(export)).splitlines()
    at = lines.index("ply 1 of 5: ann played 0")
    assert lines[at + 1] == "ann thought: +0.50/3 1.5s, 12 nodes, pv 0  [31m"
    assert [line for line in lines if "thought" in line] == [lines[at + 1], "ben thought: depth 1"]
    export.write_text(json.dumps({**EXPORT, "matches": [{**MATCH, "infos": [{"depth": "deep"}]}]}))
    assert "the info of ply 1 is not as the protocol has it" in refused(capsys, 1, "replay", export)


def test_an_export_of_several_wants_to_know_which(capsys: Captured, export: Path) -> None:
    other = {**MATCH, "id": "t.1.1.1.2", "moves": ["4"]}
    export.write_text(json.dumps({**EXPORT, "matches": [MATCH, other]}))
    assert "say --match ID: t.1.1.1.1, t.1.1.1.2" in refused(capsys, 2, "replay", export)
    assert "ply 1 of 1: ann played 4" in replayed(capsys, str(export), "--match", "t.1.1.1.2")


@pytest.mark.slow
def test_a_server_and_a_transcript_tell_the_same(capsys: Captured, tmp_path: Path) -> None:
    with server_on_thread(tmp_path / "rumble.db") as server:
        organiser = ["--server", server, "--host-token", TOKEN]
        created = ["tournament", "create", "Friday", "--game", "connect4", "--legs", "1", "--start-at-bots", "2"]
        assert run([*created, "--set", "columns=5", *organiser]) == 0
        play(server, "friday", "ann", "ben", bot="minimax", depth=2)
        transcript, exported = tmp_path / "transcript.jsonl", tmp_path / "export.json"
        assert run(["tournament", "transcript", "friday.1.1.1.1", *organiser, "--out", str(transcript)]) == 0
        assert run(["tournament", "export", "friday", "--server", server, "--out", str(exported)]) == 0
        check_export(json.loads(exported.read_text()))
        capsys.readouterr()
        text = replayed(capsys, "friday.1.1.1.1", "--server", server)
        refused(capsys, 1, "replay", "friday.9.9.9.9", "--server", server)
    assert "Connect four" in text
    assert "a b c d e\n" in text
    assert re.search(r"\n(ann|ben) thought: [+-]\d\.\d\d/2 [\d.]+s, \d+ nodes", text)
    assert replayed(capsys, str(transcript)) == text
    assert replayed(capsys, str(exported)) == text


def test_standard_input_is_read(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(EXPORT).encode())))
    assert "ply 5 of 5" in replayed(capsys, "-")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no match starts in it"),
        ("[" * 10_000, "line 1 is not a JSON object"),
        ("[]", "neither an export of a tournament nor a transcript"),
        ('{"matches": [1]}', "not an export of a tournament"),
        ('{"tournament": {}, "matches": []}', "has no match"),
        ('{"tournament": {}, "matches": [{"id": "x"}]}', "lacks its id, game, settings, seed, seats or moves"),
        ("a,b\n1,2", "line 1 is not a JSON object"),
        ('{"frame": "{}"}\nx', "line 2 is not a JSON object"),
        ('{"frame": "x"}', "line 1 is not a JSON object"),
        (json.dumps({**EXPORT, "matches": [{**MATCH, "moves": ["0", "0"]}]}), "cannot be replayed: square 0 is taken"),
        (json.dumps({**EXPORT, "tournament": {**EXPORT["tournament"], "game": "go"}}), "unknown game 'go'"),
    ],
)
def test_other_files_are_refused_in_one_line(capsys: Captured, tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "file.json"
    file.write_text(text)
    assert problem in refused(capsys, 1, "replay", file)


@pytest.mark.parametrize("wrong", [{"scores": ["1", 0]}, {"scores": [10**400, 0]}, {"falls": 1}])
def test_a_wrong_field_of_the_result_is_left_out(capsys: Captured, tmp_path: Path, wrong: dict[str, object]) -> None:
    file = tmp_path / "file.json"
    file.write_text(json.dumps({**EXPORT, "matches": [{**MATCH, **wrong}]}))
    assert "ply 5 of 5" in replayed(capsys, str(file))


def test_a_thought_of_an_unknown_ply_is_left_out(capsys: Captured, tmp_path: Path) -> None:
    start = {"type": "match_start", "match": "t.1.1.1.1", "attempt": 1, "game": "tictactoe", "settings": {}}
    turn, move = {"type": "turn", "turn_id": "a", "ply": [0]}, {"type": "move", "turn_id": "a", "info": {"depth": 1}}
    frames = [{**start, "seats": ["ann", "ben"]}, turn, move]
    file = tmp_path / "transcript.jsonl"
    file.write_text("\n".join(json.dumps({"sender": "server", "frame": json.dumps(frame)}) for frame in frames))
    assert "ply 0 of 0" in replayed(capsys, str(file))


def test_wrong_usage(capsys: Captured, export: Path, tmp_path: Path) -> None:
    assert refused(capsys, 2, "replay", export, "--ply", 6) == "rumble: t.1.1.1.1 has only 5 plies\n"
    assert refused(capsys, 1, "replay", tmp_path) == f"rumble: {tmp_path}: this is a folder\n"
    assert "there is no such file" in refused(capsys, 1, "replay", tmp_path / "nothing.json")
    assert "has no match" in refused(capsys, 1, "replay", export, "--match", "t.2.1.1.1")
    export.write_bytes(b"\xff")
    assert "is not UTF-8" in refused(capsys, 1, "replay", export)


def test_a_terminal_steps_through_a_match() -> None:
    shown = Replay(from_text(json.dumps(EXPORT), "export.json", None), lambda game, view, _: game.diagram(view))
    keys = iter(["\n", "n\n", "b\n", "e\n", "n\n", "3\n", "99\n", "g\n", "b\n", "?\n", "q\n"])
    lines: list[str] = []
    step(shown, 0, lambda: next(keys), lines.append)
    plies = [int(text.split()[1]) for text in lines if text.startswith("\nply ")]
    assert plies == [0, 1, 2, 1, 5, 5, 3, 5, 0, 0, 0]
    assert lines[-3].startswith("Enter or n: next ply")


def test_a_match_that_goes_on_says_so() -> None:
    shown = Replay(
        RecordedMatch("t.1", "tictactoe", {}, 0, ["ann", "ben"], ["4"], ""), lambda game, view, _: game.diagram(view)
    )
    assert shown.page(1)[-1] == "not over"


def test_a_table_is_replayed_without_its_absent_bots() -> None:
    falls = [{"seat": 3, "ply": 0, "termination": "no_show"}]
    table = MATCH | {"seats": ["ann", "ben", "cid", "dan"], "scores": [1, 1 / 3, 2 / 3, 0], "moves": ["up left right"]}
    tournament = {"game": "snakes", "settings": {"size": 7}, "seed": 0}
    for match, seats in ((table | {"falls": falls}, 3), (table | {"falls": falls, "moves": []}, 4)):
        document = {"tournament": tournament, "matches": [match]}
        shown = Replay(from_text(json.dumps(document), "export.json", None), lambda game, view, last: view)
        assert shown.title() == "t.1.1.1.1: ann (A) - ben (B) - cid (C) - dan (D), Snakes"
        *_, view, result = shown.page(shown.last)
        assert len(view["snakes"]) == seats
        assert result == "placed 1, 3, 2, 4  three in a row (normal)"


def test_a_running_match_of_a_hidden_game_is_not_replayed() -> None:
    match = MATCH | {"moves": ["? ?"], "termination": None}
    document = {"tournament": {"game": "liars-dice", "settings": {}, "seed": 0}, "matches": [match]}
    with pytest.raises(CliError, match="hides a part of its plies until the match is over"):
        Replay(from_text(json.dumps(document), "export.json", None), lambda game, view, last: view)
