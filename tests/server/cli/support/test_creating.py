from datetime import datetime
from pathlib import Path

import pytest
from rumble_server.cli.output.errors import CliError
from rumble_server.cli.support import creating


def test_lists_and_points() -> None:
    assert creating.split_list("de, won,sb") == ["de", "won", "sb"]
    assert creating.split_list("") == []
    assert creating.points_of("3,1,0") == [3.0, 1.0, 0.0]
    assert creating.points_of("10,6,3,0") == [10.0, 6.0, 3.0, 0.0]
    assert [creating.points_of(word) for word in ("places", "payoffs")] == ["places", "payoffs"]
    for bad in ("a,b,c", "placed", "", "1,nan,0", "inf,0,0"):
        with pytest.raises(CliError, match="--points"):
            creating.points_of(bad)


def test_a_time_without_a_zone_is_local() -> None:
    assert creating.moment_ms("2030-01-31T20:00:00Z") == 1_896_120_000_000
    local = datetime(2030, 1, 31, 20).astimezone()
    assert creating.moment_ms("2030-01-31T20:00") == local.timestamp() * 1000
    with pytest.raises(CliError, match="not a time"):
        creating.moment_ms("tomorrow")


def test_openings_by_word_or_from_a_file(tmp_path: Path) -> None:
    assert creating.openings_of("suite", "tictactoe", {}) == "suite"
    file = tmp_path / "openings"
    file.write_text("0 4\n\n# a comment\n8\n")
    assert creating.openings_of(str(file), "tictactoe", {}) == [["0", "4"], ["8"]]
    file.write_text("0 4\n0 0\n9\n")
    with pytest.raises(CliError, match=r"line 2: move 2.*line 3: move 1"):
        creating.openings_of(str(file), "tictactoe", {})
    with pytest.raises(CliError, match="No such file"):
        creating.openings_of(str(tmp_path / "nothing"), "tictactoe", {})
    file.write_bytes(b"\xff")
    with pytest.raises(CliError, match="not UTF-8"):
        creating.openings_of(str(file), "tictactoe", {})
