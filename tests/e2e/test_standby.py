"""Servers on one PostgreSQL: one leads, another stands by, and leads when the first is gone."""

import json
import re
import signal
import subprocess
import time
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
)
from tests.postgres.cluster import run

pytestmark = pytest.mark.e2e
LEASE_MS = 1000
START_S = 10.0
"""What a loaded machine may need beside the lease until a server that stood by answers."""


def command(*options: str) -> list[str]:
    tokens = ("--host-token", TOKEN, "--admin-token", ADMIN_TOKEN)
    return [*RUMBLE, "serve", "--port", "0", "--house", "none", "--lease-ms", str(LEASE_MS), *tokens, *options]


def readiness(server: Server) -> tuple[int, dict[str, object]]:
    answer = httpx.get(f"{server.url}/readyz")
    return answer.status_code, answer.json()


def wait_until_it_leads(server: Server) -> None:
    """Return once the server leads main: on a busy machine its lease may be over for a moment."""
    end_s = time.monotonic() + PATIENCE_S
    while (told := readiness(server)) != (200, {"status": "ok", "reason": "", "leads": ["main"]}):
        assert time.monotonic() < end_s, told
        time.sleep(0.05)


def environment(folder: Path, url: str) -> dict[str, str]:
    folder.mkdir()
    return clean_environment(folder, {"RUMBLE_DB": url})


def test_another_server_leads_when_the_lease_of_the_first_is_over(tmp_path: Path, postgres_url: str) -> None:
    first_log, second_log = tmp_path / "first.log", tmp_path / "second.log"
    with running(command(), environment(tmp_path / "first", postgres_url), first_log) as first:
        server = Server(announced_port(first, first_log), tmp_path)
        wait_until_it_leads(server)
        created = server.tournament("create", "Friday", "--game", "tictactoe")
        with running(command(), environment(tmp_path / "second", postgres_url), second_log) as second:
            while run(postgres_url, "SELECT count(*) FROM nodes WHERE until > clock_timestamp()") != [(2,)]:
                time.sleep(0.05)
            ((epoch,),) = run(postgres_url, "SELECT epoch FROM clubs WHERE club = 'main'")
            first.send_signal(signal.SIGKILL)
            killed_s = time.monotonic()
            server = Server(announced_port(second, second_log), tmp_path)
            assert time.monotonic() - killed_s < 2 * LEASE_MS / 1000 + START_S
            wait_until_it_leads(server)
            listed = httpx.get(f"{server.url}/api/tournaments").json()
            assert json.dumps(created["id"]) in json.dumps(listed)
            assert run(postgres_url, "SELECT epoch FROM clubs WHERE club = 'main'")[0][0] > epoch
    assert not re.search("Traceback", second_log.read_text())


def test_a_server_that_stops_in_good_order_leaves_at_once_and_one_that_stands_by_can_be_stopped(
    tmp_path: Path, postgres_url: str
) -> None:
    first_log, second_log = tmp_path / "first.log", tmp_path / "second.log"
    with running(command(), environment(tmp_path / "first", postgres_url), first_log) as first:
        announced_port(first, first_log)
        with running(command(), environment(tmp_path / "second", postgres_url), second_log) as second:
            while run(postgres_url, "SELECT count(*) FROM nodes WHERE until > clock_timestamp()") != [(2,)]:
                time.sleep(0.05)
            second.terminate()
            assert second.wait(START_S) == 0, second_log.read_text()
    assert "Traceback" not in second_log.read_text()
    assert run(postgres_url, "SELECT count(*) FROM nodes WHERE until > clock_timestamp()") == [(0,)]


def test_a_server_that_is_drained_hands_over_and_stops(tmp_path: Path, postgres_url: str) -> None:
    first_log, second_log = tmp_path / "first.log", tmp_path / "second.log"
    with running(command(), environment(tmp_path / "first", postgres_url), first_log) as first:
        announced_port(first, first_log)
        ((first_id,),) = run(postgres_url, "SELECT node FROM clubs WHERE club = 'main'")
        with running(command(), environment(tmp_path / "second", postgres_url), second_log) as second:
            while run(postgres_url, "SELECT count(*) FROM nodes WHERE until > clock_timestamp()") != [(2,)]:
                time.sleep(0.05)
            drain = [*RUMBLE, "node", "drain", str(first_id), "--db", postgres_url]
            subprocess.run(drain, env=clean_environment(tmp_path), timeout=PATIENCE_S, check=True)
            server = Server(announced_port(second, second_log), tmp_path)
            wait_until_it_leads(server)
            assert first.wait(PATIENCE_S) == 0
    assert "Traceback" not in first_log.read_text() + second_log.read_text()


def test_a_server_whose_limits_differ_does_not_start(tmp_path: Path, postgres_url: str) -> None:
    first_log, second_log = tmp_path / "first.log", tmp_path / "second.log"
    with running(command(), environment(tmp_path / "first", postgres_url), first_log) as first:
        announced_port(first, first_log)
        other = command("--frame-bytes", "5000")
        with running(other, environment(tmp_path / "second", postgres_url), second_log) as second:
            assert second.wait(START_S) != 0
    assert "has other games, limits or formats of the log" in second_log.read_text()
    assert "Traceback" not in second_log.read_text()
