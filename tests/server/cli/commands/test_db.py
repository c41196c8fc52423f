"""`rumble db`: each command reports its work, or the reason for a refusal, in a line."""

import re
from pathlib import Path

import pytest
from rumble_server.store.sqlite.lock import DatabaseLock

from tests.server.cli.run_here import Captured, printed, ran, refused
from tests.server.store.disk import rows
from tests.server.store.played import change, cut, played, save


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "rumble.db"
    save(path, played("Friday", "Monday"))
    return path


def told(capsys: Captured, *arguments: object) -> str:
    return printed(capsys, "db", *arguments)


def refusal(capsys: Captured, *arguments: object) -> str:
    return refused(capsys, 1, "db", *arguments)


def test_a_backup_is_restored(capsys: Captured, path: Path) -> None:
    copy, other = path.with_name("copy.db"), path.with_name("other.db")
    assert re.fullmatch(rf"{copy}: [\d,]+ bytes\n", told(capsys, "backup", copy, "--db", path))
    assert refusal(capsys, "backup", copy, "--db", path) == f"rumble: {copy} exists; choose another name\n"
    restored = f"sqlite:///{other} is restored from {copy}\n"
    assert told(capsys, "restore", copy, "--db", f"sqlite:///{other}") == restored
    assert rows(other) == rows(path)
    line = f"rumble: the database {other} exists; --force replaces it\n"
    assert refusal(capsys, "restore", copy, "--db", other) == line
    told(capsys, "restore", copy, "--db", other, "--force")


def test_prune_and_vacuum(capsys: Captured, path: Path) -> None:
    plies = sum(row[1:] in (("friday", 1), ("monday", 1)) for row in rows(path))
    pruned = f"pruned 2 tournaments: {plies} rows of moves and frames are deleted\n"
    assert told(capsys, "prune", "--older-than", 90, "--db", path) == pruned
    vacuumed = rf"{path}: [\d,]+ bytes before, [\d,]+ bytes after\n"
    assert re.fullmatch(vacuumed, told(capsys, "vacuum", "--db", path))
    refused(capsys, 2, "db", "prune", "--db", path)
    refused(capsys, 2, "db", "prune", "--older-than", -1, "--db", path)


def test_verify_and_repair(capsys: Captured, path: Path) -> None:
    every = len(rows(path))
    assert told(capsys, "verify", path) == f"{path}: {every} rows; no damage\n"
    assert told(capsys, "repair", path) == f"{path}: no damage; nothing is done\n"
    change(path, cut, 2)
    code, out, err = ran(capsys, "db", "verify", path)
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        "row 2 of the log (tournament monday) is damaged: it is not what was written",
        f"{path}: {every} rows; 1 problems; `rumble db repair` mends what can be",
    ]
    lines = told(capsys, "repair", path, "--backup", path.with_name("copy.db")).splitlines()
    assert lines[0] == f"the database as it was is in {path.with_name('copy.db')}"
    assert f"{every - 1} rows of the log are whole, 1 are lost" in lines
    assert told(capsys, "verify", path) == f"{path}: {every} rows, 1 of them lost; no damage\n"


@pytest.mark.parametrize("command", [("restore", "copy.db", "--force", "--db"), ("vacuum", "--db"), ("repair",)])
def test_a_running_server_is_told_in_one_line(capsys: Captured, path: Path, command: tuple[str, ...]) -> None:
    copy = path.with_name("copy.db")
    told(capsys, "backup", copy, "--db", path)
    lock = DatabaseLock(str(path))
    arguments = [str(copy) if each == "copy.db" else each for each in command]
    assert refusal(capsys, *arguments, path) == f"rumble: another server is running on the database {path}\n"
    lock.release()


@pytest.mark.parametrize(
    "command",
    [("backup", "x", "--db"), ("prune", "--older-than", "1", "--db"), ("vacuum", "--db"), ("verify",), ("repair",)],
)
def test_a_database_that_is_not_there_is_told_in_one_line(
    capsys: Captured, tmp_path: Path, command: tuple[str, ...]
) -> None:
    missing = tmp_path / "nowhere.db"
    assert refusal(capsys, *command, missing) == f"rumble: there is no database {missing}\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.e2e
@pytest.mark.slow
def test_a_database_in_postgresql(capsys: Captured, path: Path, postgres_url: str) -> None:
    count = len(rows(path))
    copied = f"copied and compared: 1 club, {count} rows of the log\n"
    assert told(capsys, "copy", path, postgres_url) == copied
    refusal(capsys, "copy", path, postgres_url)
    verified = rf"postgresql://127.0.0.1/test_\d+: {count} rows; no damage\n"
    assert re.fullmatch(verified, told(capsys, "verify", postgres_url))
    pruned = told(capsys, "prune", "--older-than", 0, "--db", postgres_url, "--club", "main")
    assert pruned.startswith("pruned 2 tournaments: ")
    told(capsys, "copy", postgres_url, path.with_name("back.db"))


def test_commands_for_files_name_the_tools_of_postgresql(capsys: Captured) -> None:
    url = "postgresql://localhost/rumble"
    line = "rumble: this is for files; PostgreSQL has tools of its own (pg_dump, pg_restore, VACUUM)\n"
    for command in (
        ("backup", "copy.db", "--db", url),
        ("restore", "copy.db", "--db", url),
        ("vacuum", "--db", url),
        ("repair", url),
    ):
        assert refusal(capsys, *command) == line
