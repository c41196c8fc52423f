"""`rumble db`: each command reports its work, or the reason for a refusal, in a line."""

import re
from pathlib import Path

import pytest
from rumble_server.store.sqlite.lock import DatabaseLock

from tests.server.cli.run_here import Captured, ran
from tests.server.store.disk import rows
from tests.server.store.played import change, cut, played, save


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "rumble.db"
    save(path, played("Friday", "Monday"))
    return path


def run_of(capsys: Captured, *arguments: object) -> tuple[int, list[str]]:
    """Run a command; return its exit code and the lines it printed, complaints last."""
    code, output, errors = ran(capsys, "db", *arguments)
    return code, (output + errors).splitlines()


def test_a_backup_is_restored(capsys: Captured, path: Path) -> None:
    copy, other = path.with_name("copy.db"), path.with_name("other.db")
    code, lines = run_of(capsys, "backup", copy, "--db", path)
    assert (code, len(lines)) == (0, 1)
    assert re.fullmatch(rf"{copy}: [\d,]+ bytes", lines[0])
    assert run_of(capsys, "backup", copy, "--db", path) == (1, [f"rumble: {copy} exists; choose another name"])
    assert run_of(capsys, "restore", copy, "--db", f"sqlite:///{other}") == (
        0,
        [f"sqlite:///{other} is restored from {copy}"],
    )
    assert rows(other) == rows(path)
    assert run_of(capsys, "restore", copy, "--db", other) == (
        1,
        [f"rumble: the database {other} exists; --force replaces it"],
    )
    assert run_of(capsys, "restore", copy, "--db", other, "--force")[0] == 0


def test_prune_and_vacuum(capsys: Captured, path: Path) -> None:
    plies = sum(row[1:] in (("friday", 1), ("monday", 1)) for row in rows(path))
    assert run_of(capsys, "prune", "--older-than", 90, "--db", path) == (
        0,
        [f"pruned 2 tournaments: {plies} rows of moves and frames are deleted"],
    )
    code, lines = run_of(capsys, "vacuum", "--db", path)
    assert code == 0
    assert re.fullmatch(rf"{path}: [\d,]+ bytes before, [\d,]+ bytes after", lines[0])
    assert run_of(capsys, "prune", "--db", path)[0] == 2
    assert run_of(capsys, "prune", "--older-than", -1, "--db", path)[0] == 2


def test_verify_and_repair(capsys: Captured, path: Path) -> None:
    every = len(rows(path))
    assert run_of(capsys, "verify", path) == (0, [f"{path}: {every} rows; no damage"])
    assert run_of(capsys, "repair", path) == (0, [f"{path}: no damage; nothing is done"])
    change(path, cut, 2)
    assert run_of(capsys, "verify", path) == (
        1,
        [
            "row 2 of the log (tournament monday) is damaged: it is not what was written",
            f"{path}: {every} rows; 1 problems; `rumble db repair` mends what can be",
        ],
    )
    code, lines = run_of(capsys, "repair", path, "--backup", path.with_name("copy.db"))
    assert code == 0
    assert lines[0] == f"the database as it was is in {path.with_name('copy.db')}"
    assert f"{every - 1} rows of the log are whole, 1 are lost" in lines
    assert run_of(capsys, "verify", path) == (0, [f"{path}: {every} rows, 1 of them lost; no damage"])


@pytest.mark.parametrize("command", [("restore", "copy.db", "--force", "--db"), ("vacuum", "--db"), ("repair",)])
def test_a_running_server_is_told_in_one_line(capsys: Captured, path: Path, command: tuple[str, ...]) -> None:
    copy = path.with_name("copy.db")
    run_of(capsys, "backup", copy, "--db", path)
    lock = DatabaseLock(str(path))
    arguments = [str(copy) if each == "copy.db" else each for each in command]
    line = f"rumble: another server is running on the database {path}"
    assert run_of(capsys, *arguments, path) == (1, [line])
    lock.release()


@pytest.mark.parametrize(
    "command",
    [("backup", "x", "--db"), ("prune", "--older-than", "1", "--db"), ("vacuum", "--db"), ("verify",), ("repair",)],
)
def test_a_database_that_is_not_there_is_told_in_one_line(
    capsys: Captured, tmp_path: Path, command: tuple[str, ...]
) -> None:
    missing = tmp_path / "nowhere.db"
    assert run_of(capsys, *command, missing) == (1, [f"rumble: there is no database {missing}"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.e2e
@pytest.mark.slow
def test_a_database_in_postgresql(capsys: Captured, path: Path, postgres_url: str) -> None:
    count = len(rows(path))
    assert run_of(capsys, "copy", path, postgres_url) == (0, [f"copied and compared: 1 club, {count} rows of the log"])
    assert run_of(capsys, "copy", path, postgres_url)[0] == 1
    code, lines = run_of(capsys, "verify", postgres_url)
    assert code == 0
    assert re.fullmatch(rf"postgresql://127.0.0.1/test_\d+: {count} rows; no damage", lines[0])
    code, lines = run_of(capsys, "prune", "--older-than", 0, "--db", postgres_url, "--club", "main")
    assert code == 0
    assert lines[0].startswith("pruned 2 tournaments: ")
    assert run_of(capsys, "copy", postgres_url, path.with_name("back.db"))[0] == 0


def test_commands_for_files_name_the_tools_of_postgresql(capsys: Captured) -> None:
    url = "postgresql://localhost/rumble"
    line = "rumble: this is for files; PostgreSQL has tools of its own (pg_dump, pg_restore, VACUUM)"
    for command in (
        ("backup", "copy.db", "--db", url),
        ("restore", "copy.db", "--db", url),
        ("vacuum", "--db", url),
        ("repair", url),
    ):
        assert run_of(capsys, *command) == (1, [line])
