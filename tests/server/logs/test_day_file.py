import logging
import os
import stat
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from rumble_server.logs.day_file import DayFile

DAY_S = 86_400.0
NOW_S = 20_000 * DAY_S + 100
"""A time on 2024-10-04, in s since the epoch."""


class Clock:
    """The time of the files, in s since the epoch."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = NOW_S
        shown = SimpleNamespace(**vars(time) | {"time": lambda: self.now_s})
        monkeypatch.setattr("logging.handlers.time", shown)
        monkeypatch.setattr("rumble_server.logs.day_file.time", shown)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def begun(path: Path, days: int) -> DayFile:
    """Return a log file that has an event of the first day, and a mode for everybody."""
    path.write_text("older\n")
    path.chmod(0o644)
    os.utime(path, (NOW_S, NOW_S))
    return DayFile(str(path), days)


def tell(file: DayFile, text: str) -> None:
    file.handle(logging.makeLogRecord({"msg": text}))


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_file_for_each_day_that_goes_after_some(tmp_path: Path, clock: Clock) -> None:
    for name in ("audit.log.notes", "audit.log.2024-10-01.gz", "another.log.2024-10-01"):
        (tmp_path / name).write_text("mine")
    others = contents(tmp_path)
    file = begun(tmp_path / "audit.log", 2)
    clock.now_s = NOW_S + DAY_S - 101
    tell(file, "two")
    clock.now_s = NOW_S + DAY_S
    tell(file, "three")
    assert contents(tmp_path) == {"audit.log": "three\n", "audit.log.2024-10-04": "older\ntwo\n", **others}
    clock.now_s = NOW_S + 2 * DAY_S
    file.tick()  # a day without an event
    assert contents(tmp_path) == {"audit.log": "", "audit.log.2024-10-05": "three\n", **others}
    clock.now_s = NOW_S + 9 * DAY_S
    tell(file, "ten")
    assert contents(tmp_path) == {"audit.log": "ten\n", **others}
    file.close()


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes there")
def test_a_day_file_is_for_its_owner_alone(tmp_path: Path, clock: Clock) -> None:
    file = begun(tmp_path / "audit.log", 30)
    tell(file, "one")
    clock.now_s = NOW_S + DAY_S
    tell(file, "two")
    assert contents(tmp_path) == {"audit.log": "two\n", "audit.log.2024-10-04": "older\none\n"}
    assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()} == {0o600}
    file.close()


def test_the_first_event_on_a_later_day_puts_the_old_file_away_and_replaces_none(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "audit.log.2024-10-04").write_text("oldest\n")
    clock.now_s = NOW_S + DAY_S
    file = begun(tmp_path / "audit.log", 2)
    tell(file, "new")
    assert sorted(contents(tmp_path).values()) == ["new\n", "older\n", "oldest\n"]
    assert (tmp_path / "audit.log.2024-10-04").read_text() == "oldest\n"
    clock.now_s = NOW_S + 2 * DAY_S
    file.tick()
    assert sorted(contents(tmp_path)) == ["audit.log", "audit.log.2024-10-05"], "both files of that day are removed"
    file.close()


def test_a_file_that_cannot_be_written_is_told_once_a_tick(
    tmp_path: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    file = DayFile(str(folder / "audit.log"), 30)
    (folder / "audit.log").unlink()
    folder.rmdir()
    clock.now_s = NOW_S + 20_000 * DAY_S
    for errors in (1, 2):
        for _ in range(3):
            tell(file, "lost")
        assert [record.levelname for record in caplog.records] == ["ERROR"] * errors
        file.tick()
    folder.mkdir()
    tell(file, "kept")
    assert contents(folder) == {"audit.log": "kept\n"}
    file.close()


def test_an_old_file_that_cannot_be_deleted_keeps_no_event_away(
    tmp_path: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    old = tmp_path / "audit.log.2024-10-01"
    old.mkdir()  # cannot be deleted like a file
    file = begun(tmp_path / "audit.log", 2)
    clock.now_s = NOW_S + DAY_S
    tell(file, "two")
    file.close()
    old.rmdir()
    assert contents(tmp_path) == {"audit.log": "two\n", "audit.log.2024-10-04": "older\n"}
    assert [record.getMessage().partition(": ")[0] for record in caplog.records] == [
        f"the old audit log {old} cannot be deleted"
    ]
