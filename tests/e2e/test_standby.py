"""Servers on one PostgreSQL: one leads, and another stands by until the leader is gone."""

import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.e2e.processes import (
    ADMIN_TOKEN,
    PATIENCE_S,
    RUMBLE,
    TOKEN,
    Server,
    announced_port,
    clean_environment,
    running,
    typed_here,
)
from tests.postgres.cluster import run
from tests.waiting import until

pytestmark = pytest.mark.e2e
LEASE_MS = 1000
START_S = 10.0
"""Maximum time in s beside the lease until a standby server answers on a loaded machine."""


def command(*options: str) -> list[str]:
    tokens = ("--host-token", TOKEN, "--admin-token", ADMIN_TOKEN)
    return [*RUMBLE, "serve", "--port", "0", "--house", "none", "--lease-ms", str(LEASE_MS), *tokens, *options]


def readiness(server: Server) -> tuple[int, dict[str, object]]:
    answer = httpx.get(f"{server.url}/readyz", timeout=PATIENCE_S)
    return answer.status_code, answer.json()


def wait_until_it_leads(server: Server) -> None:
    """Return once the server leads main. On a busy machine its lease may be over for a moment."""
    until(lambda: readiness(server) == (200, {"status": "ok", "reason": "", "leads": ["main"]}))


@contextmanager
def starting(folder: Path, url: str, *options: str) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Start a server, which stands by while another server leads; yield the process and the log."""
    folder.mkdir()
    log = folder / "serve.log"
    with running(command(*options), clean_environment(folder, {"RUMBLE_DB": url}), log) as process:
        yield process, log
    assert not re.search("Traceback", log.read_text())


def wait_for_nodes(url: str, count: int) -> None:
    """Return once `count` servers hold a node's lease."""
    until(lambda: run(url, "SELECT count(*) FROM nodes WHERE until > clock_timestamp()") == [(count,)])


def leader(url: str) -> tuple[str, int]:
    """Return the server that leads main, and the epoch."""
    ((node, epoch),) = run(url, "SELECT node, epoch FROM clubs WHERE club = 'main'")
    return node, epoch


@pytest.mark.slow
def test_another_node_leads_after_a_drain_and_after_a_death_and_the_other_nodes_leave_as_told(
    tmp_path: Path, postgres_url: str
) -> None:
    with starting(tmp_path / "first", postgres_url) as (first, first_log):
        server = Server(announced_port(first, first_log), tmp_path)
        wait_until_it_leads(server)
        created = server.tournament("create", "Friday", "--game", "tictactoe")
        first_id, first_epoch = leader(postgres_url)
        with (
            starting(tmp_path / "second", postgres_url) as (second, second_log),
            starting(tmp_path / "other", postgres_url, "--max-matches", "5") as (other, other_log),
        ):
            assert other.wait(PATIENCE_S) != 0
            assert "has other games, limits or formats of the log" in other_log.read_text()
            wait_for_nodes(postgres_url, 2)
            typed_here(["node", "drain", first_id, "--db", postgres_url], clean_environment(tmp_path), tmp_path)
            server = Server(announced_port(second, second_log), tmp_path)
            wait_until_it_leads(server)
            assert first.wait(PATIENCE_S) == 0
            second_id, second_epoch = leader(postgres_url)
            assert second_epoch > first_epoch
            with starting(tmp_path / "third", postgres_url) as (third, third_log):
                with starting(tmp_path / "fourth", postgres_url) as (fourth, _):
                    wait_for_nodes(postgres_url, 3)
                    fourth.terminate()
                    assert fourth.wait(PATIENCE_S) == 0
                second.send_signal(signal.SIGKILL)
                killed_s = time.monotonic()
                server = Server(announced_port(third, third_log), tmp_path)
                assert time.monotonic() - killed_s < 2 * LEASE_MS / 1000 + START_S
                wait_until_it_leads(server)
                listed = httpx.get(f"{server.url}/api/tournaments", timeout=PATIENCE_S).json()
                assert json.dumps(created["id"]) in json.dumps(listed)
                assert leader(postgres_url)[1] > second_epoch
    # Nobody waits for a lease to run out: a server that stops in good order gives its lease up.
    assert run(postgres_url, "SELECT id FROM nodes WHERE until > clock_timestamp()") in ([], [(second_id,)])
