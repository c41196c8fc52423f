import logging
import os
import stat
import sys
from pathlib import Path

import pytest
from rumble_server.logs.day_file import DayFile

DAY_S = 86_400.0
NOW_S = 20_000 * DAY_S + 100
"""A time on 2024-10-04, in s since the epoch."""


def tell(file: DayFile, text: str, now_s: float) -> None:
    record = logging.makeLogRecord({"msg": text})
    record.created = now_s
    file.handle(record)


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_file_for_each_day_that_goes_after_some(tmp_path: Path) -> None:
    (tmp_path / "audit.log.notes").write_text("mine")
    file = DayFile(str(tmp_path / "audit.log"), 2, NOW_S)
    tell(file, "one", NOW_S)
    tell(file, "two", NOW_S + DAY_S - 101)
    tell(file, "three", NOW_S + DAY_S)
    kept = {"audit.log": "three\n", "audit.log.2024-10-04": "one\ntwo\n", "audit.log.notes": "mine"}
    assert contents(tmp_path) == kept
    file.tick(NOW_S + 2 * DAY_S)  # a day without an event
    assert contents(tmp_path) == {"audit.log": "", "audit.log.2024-10-05": "three\n", "audit.log.notes": "mine"}
    file.tick(NOW_S + 9 * DAY_S)
    assert contents(tmp_path) == {"audit.log": "", "audit.log.notes": "mine"}
    file.close()


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes there")
def test_it_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    path.write_text("older\n")
    path.chmod(0o644)
    os.utime(path, (NOW_S, NOW_S))
    file = DayFile(str(path), 30, NOW_S)
    tell(file, "one", NOW_S + 1)
    tell(file, "two", NOW_S + DAY_S)
    assert contents(tmp_path) == {"audit.log": "two\n", "audit.log.2024-10-04": "older\none\n"}
    assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()} == {0o600}
    file.close()


def test_a_start_on_a_later_day_puts_the_old_file_away(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    path.write_text("older\n")
    (tmp_path / "audit.log.2024-10-04").write_text("oldest\n")
    os.utime(path, (NOW_S, NOW_S))
    DayFile(str(path), 30, NOW_S + DAY_S).close()
    assert contents(tmp_path) == {"audit.log": "", "audit.log.2024-10-04": "oldest\nolder\n"}


def test_a_file_that_cannot_be_written_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    file = DayFile(str(folder / "audit.log"), 30, NOW_S)
    (folder / "audit.log").unlink()
    folder.rmdir()
    for _ in range(3):
        tell(file, "lost", NOW_S + DAY_S)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    folder.mkdir()
    tell(file, "kept", NOW_S + DAY_S)
    assert contents(folder) == {"audit.log": "kept\n"}
    file.close()
