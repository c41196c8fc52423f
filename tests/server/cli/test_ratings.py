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
