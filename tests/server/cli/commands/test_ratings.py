import json
from pathlib import Path
from typing import Any

import pytest
from rumble_server.cli.main import run


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert run(["ratings", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_ratings_of_a_csv(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text("first,second,score\nann,ben,1\nben,cid,0.5\ncid,ann,0\n")
    document = told(capsys, str(file))
    assert document["model"].startswith("Bradley-Terry")
    assert next(line["name"] for line in document["ratings"]) == "ann"
    assert told(capsys, str(file), "--prior", "none")["ratings"][0]["rating"] is None
    assert run(["ratings", str(file)]) == 0
    assert "model: Bradley-Terry" in capsys.readouterr().out


def test_a_remark_is_printed_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text("first,second,score\nann,ben,1\nann,cid,1\nben,cid,1\n")
    document = told(capsys, str(file))
    assert document["prior_reason"]
    assert run(["ratings", str(file)]) == 0
    shown = capsys.readouterr().out
    assert shown.count(document["prior_reason"]) == 1
    assert "-0 " not in shown
