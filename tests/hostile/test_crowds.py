"""A crowd of silent sockets, which has a bound."""

import contextlib
from pathlib import Path

import pytest
from rumble_server.limits.bounds import Bounds

from tests.hostile.attacker import is_open
from tests.hostile.honest import honest_field
from tests.hostile.target import target
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.long]

CROWD = 1_100
DESCRIPTORS = 1_024
SOURCES = 40


def test_1100_silent_sockets_do_not_close_a_server_with_1024_descriptors(tmp_path: Path) -> None:
    """Sockets of one address are mostly refused; idle sockets of many addresses are shed, and a log line reports it."""
    few = ("sh", "-c", f'ulimit -n {DESCRIPTORS} && exec "$@"', "sh")
    with target(tmp_path, before=few) as server, honest_field(server, tmp_path / "honest", cycles=4) as field:
        for sources in (1, SOURCES):
            with contextlib.ExitStack() as opened:
                attackers, sockets = [server.attacker() for _ in range(sources)], []
                for number in range(CROWD):
                    with contextlib.suppress(ConnectionError):
                        sockets.append(opened.enter_context(attackers[number % sources].socket()))
                field.assert_unharmed()
                assert server.attacker().ask("/healthz") == 200
                most = min(sources * Bounds().strangers_per_address, DESCRIPTORS)
                assert wait_until(lambda: sum(map(is_open, sockets)) <= most)  # noqa: B023
        assert "open files run out" in server.log
        field.finish()
