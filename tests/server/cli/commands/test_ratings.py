from pathlib import Path

from tests.server.cli.run_here import Captured, printed, printed_json


def test_ratings_of_a_csv(capsys: Captured, tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text("first,second,score\nann,ben,1\nben,cid,0.5\ncid,ann,0\n")
    document = printed_json(capsys, "ratings", file)
    assert document["model"].startswith("Bradley-Terry")
    assert next(line["name"] for line in document["ratings"]) == "ann"
    assert printed_json(capsys, "ratings", file, "--prior", "none")["ratings"][0]["rating"] is None
    assert "model: Bradley-Terry" in printed(capsys, "ratings", file)


def test_a_remark_is_printed_once(capsys: Captured, tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text("first,second,score\nann,ben,1\nann,cid,1\nben,cid,1\n")
    document = printed_json(capsys, "ratings", file)
    assert document["prior_reason"]
    shown = printed(capsys, "ratings", file)
    assert shown.count(document["prior_reason"]) == 1
    assert "-0 " not in shown
