"""The database under attack: taken away, exchanged, opened twice, damaged."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.processes import RUMBLE, clean_environment
from tests.hostile.honest import honest_field
from tests.hostile.target import Target, target, wait_until

pytestmark = pytest.mark.e2e

READY, TROUBLE = 200, 503
KEY = "key-of-bots-of-the-database"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Target]:
    (tmp_path / "data").mkdir()
    with target(tmp_path / "data") as running:
        yield running


def is_ready(server: Target) -> bool:
    return server.host.get("/readyz").status_code == READY


@pytest.mark.parametrize("how", ["unlinked", "replaced"])
def test_a_database_that_is_gone_is_noticed(server: Target, how: str) -> None:
    """Without a write it is treated as disk trouble; when the file is back, all goes on."""
    assert is_ready(server)
    kept = server.database.rename(server.database.with_name("kept"))
    if how == "replaced":
        shutil.copy(kept, server.database)
    assert wait_until(lambda: not is_ready(server))
    kept.replace(server.database)
    assert wait_until(lambda: is_ready(server))


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
def test_no_second_server_starts_by_a_link(server: Target, tmp_path: Path, link: object) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert callable(link)
    link(server.database, other / "rumble.db")
    command = [*RUMBLE, "serve", "--port", "0", "--db", str(other / "rumble.db"), "--house", "none"]
    with (tmp_path / "second.log").open("w") as said:
        second = subprocess.Popen(command, env=clean_environment(other), stdout=subprocess.PIPE, stderr=said, text=True)
    try:
        printed, _ = second.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        second.kill()
        printed, _ = second.communicate()
    assert "listening on" not in printed
    assert second.returncode not in (0, -9)
    assert "rumble.db" in (tmp_path / "second.log").read_text()


def test_a_damaged_row_keeps_no_server_down(server: Target, tmp_path: Path) -> None:
    """The tournament of that row is set aside and shown as damaged; others play on, and `rumble db verify` tells."""
    damaged = server.create(start_at_bots=2, legs=1)
    first, second = (server.attacker().login(name, key=KEY, join=damaged) for name in ("one", "two"))
    with first, second:
        first.until("match_start")
    server.end()
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
    server.end()
    verified = subprocess.run(
        [*RUMBLE, "db", "verify", str(server.database)],
        env=clean_environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert verified.returncode != 0
    assert damaged in verified.stdout + verified.stderr
