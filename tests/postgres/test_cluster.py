"""The PostgreSQL cluster for tests: it starts, ends and dies when told to, and leaves nothing behind."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.e2e.processes import PATIENCE_S
from tests.needs import need_module
from tests.postgres.cluster import Cluster, cluster, run
from tests.postgres.guard import left_of

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).parents[2]
PROGRAM = """
from tests.postgres.cluster import cluster
with cluster() as running:
    print(running.folder, running.process.pid, flush=True)
    input()
"""


def test_a_database_that_was_lent_is_empty_for_the_next(postgres: Cluster) -> None:
    import psycopg

    with postgres.lent() as first:
        run(first, "CREATE TABLE made (number int)")
        assert run(postgres.socket_url(first.rpartition("/")[2]), "SHOW fsync") == [("off",)]
        run(first, f'ALTER DATABASE "{first.rpartition("/")[2]}" SET synchronous_commit = remote_apply')
        left = psycopg.connect(first, autocommit=True)
        with postgres.lent() as second:
            assert second != first
    with pytest.raises(psycopg.OperationalError, match="administrator"):
        left.execute("SELECT 1")
    left.close()
    with postgres.lent() as again:
        assert again == first
        assert run(again, "SELECT to_regclass('made')") == [(None,)]
        assert run(again, "SHOW synchronous_commit") == [("on",)]


@pytest.mark.long
def test_committed_rows_are_there_after_each_way_to_end_the_cluster() -> None:
    with cluster(fsync=True, settings={"max_connections": 7}) as running:
        url = running.database()
        run(url, "CREATE TABLE made (number int)")
        assert run(url, "SHOW fsync") == [("on",)]
        assert run(url, "SHOW max_connections") == [("7",)]
        for number, end in enumerate((running.restart, lambda: running.stop(signal.SIGQUIT), running.kill)):
            run(url, "INSERT INTO made VALUES (%s)", [number])
            end()
            if running.process is None:
                running.start()
        assert run(url, "SELECT number FROM made ORDER BY number") == [(0,), (1,), (2,)]
        folder, server = running.folder, running.process
    assert server is not None
    assert server.poll() is not None
    assert not folder.exists()


@pytest.mark.long
def test_a_frozen_server_answers_when_it_goes_on(postgres: Cluster) -> None:
    import psycopg

    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute("SET statement_timeout = 0")
        with postgres.frozen(), pytest.raises(psycopg.OperationalError, match="timeout"):
            psycopg.connect(postgres.url(), connect_timeout=2)
        assert connection.execute("SELECT 1").fetchall() == [(1,)]


@pytest.mark.parametrize(
    "frozen", [pytest.param(False, id="running"), pytest.param(True, id="frozen", marks=pytest.mark.long)]
)
@pytest.mark.slow
def test_no_server_stays_when_its_starter_is_killed(frozen: bool) -> None:
    need_module("psycopg", "postgres")
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as starter:
        assert starter.stdout is not None
        words = starter.stdout.readline().split()
        if not words:
            starter.kill()
            pytest.fail("it did not start")
        folder, server = Path(words[0]), psutil.Process(int(words[1]))
        family = [server, *server.children()]
        (guard,) = (
            child for child in psutil.Process(starter.pid).children() if "tests.postgres.guard" in child.cmdline()
        )
        if frozen:
            for process in family:
                process.suspend()
        starter.kill()
    assert left_of([*family, guard], PATIENCE_S) == []
    assert not folder.exists()


def test_a_stranger_with_the_number_of_a_dead_server_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with subprocess.Popen([shutil.which("cat") or "cat"], stdin=subprocess.PIPE) as stranger:
        (tmp_path / "data" / "postmaster.pid").write_text(f"{stranger.pid}\n")
        guard = [sys.executable, "-m", "tests.postgres.guard", str(tmp_path)]
        subprocess.run(guard, cwd=ROOT, stdin=subprocess.DEVNULL, timeout=PATIENCE_S, check=True)
        assert stranger.poll() is None
        stranger.communicate(timeout=PATIENCE_S)
        assert stranger.returncode == 0
    assert not tmp_path.exists()
