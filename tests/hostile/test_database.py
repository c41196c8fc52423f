"""The database under attack: taken away, exchanged, opened twice, damaged."""

import os
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.processes import RUMBLE, clean_environment
from tests.hostile.honest import honest_field
from tests.hostile.target import Target, target, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.long]

READY, TROUBLE = 200, 503
KEY = "key-of-bots-of-the-database"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with target(tmp_path_factory.mktemp("data")) as running:
        yield running


def is_ready(server: Target) -> bool:
    return server.host.get("/readyz").status_code == READY


def test_a_database_that_is_gone_is_noticed(server: Target) -> None:
    """A database moved away, and then replaced, is disk trouble even without a write; its return ends the trouble."""
    kept = server.database.with_name("kept")
    for is_replaced in (False, True):
        assert wait_until(lambda: is_ready(server))
        server.database.rename(kept)
        if is_replaced:
            shutil.copy(kept, server.database)
        assert wait_until(lambda: not is_ready(server))
        kept.replace(server.database)
    assert wait_until(lambda: is_ready(server))


def test_no_second_server_starts_by_a_link(server: Target, tmp_path: Path) -> None:
    """Links, symbolic or hard, are refused, with the reason.

    Both tries run at the same time, as each waits for the lock.
    """
    seconds = []
    for name, link in (("symbolic", os.symlink), ("hard", os.link)):
        (tmp_path / name).mkdir()
        link(server.database, tmp_path / name / "rumble.db")
        command = [*RUMBLE, "serve", "--port", "0", "--db", str(tmp_path / name / "rumble.db"), "--house", "none"]
        environment = clean_environment(tmp_path / name)
        seconds.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
    for second in seconds:
        try:
            said, _ = second.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            second.kill()
            said, _ = second.communicate()
        assert b"listening on" not in said
        assert second.returncode not in (0, -9)
        assert b"rumble.db" in said
    (tmp_path / "hard" / "rumble.db").unlink()


def test_a_damaged_row_keeps_no_server_down(server: Target, tmp_path: Path) -> None:
    """The damaged tournament is set aside and shown as damaged; others play on, and `rumble db verify` reports it."""
    damaged = server.create(start_at_bots=2, legs=1)
    first, second = (server.attacker().login(name, key=KEY, join=damaged) for name in ("one", "two"))
    with first, second:
        first.until("match_start")
    server.end(signal.SIGKILL)
    with closing(sqlite3.connect(server.database, isolation_level=None)) as database:
        database.execute(
            "UPDATE log SET facts = substr(facts, 1, length(facts) / 2) || 'xx' WHERE number = ("
            "SELECT max(number) FROM log WHERE tournament = ? AND kind = 0)",
            (damaged,),
        )
    server.start()
    shown = server.host.get(f"/api/tournaments/{damaged}")
    assert "damaged" in shown.text
    with honest_field(server, tmp_path / "honest", cycles=1) as field:
        field.finish()
    server.end(signal.SIGKILL)
    verified = subprocess.run(
        [*RUMBLE, "db", "verify", str(server.database)],
        env=clean_environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert verified.returncode != 0
    assert damaged in verified.stdout + verified.stderr
