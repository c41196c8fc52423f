"""A server and a tournament of honest bots for all attacks that leave both unchanged."""

import re
import sys
from collections.abc import Iterator

import pytest

from tests.e2e.processes import TOKEN
from tests.hostile.attacker import Attacker
from tests.hostile.honest import HonestField, honest_field
from tests.hostile.target import Target, target

SECRETS = rf"{TOKEN}|key-of-|guess-number-"
"""Secrets that no log may have: keys of these tests begin with `key-of-`, guesses with `guess-number-`."""
CYCLES = 40
"""Number of cycles that keep the honest bots playing all the time; the rest is played quickly at the end."""

collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]
"""Tests to skip: only Linux lets a client use any address of 127.0.0.0/8 without setup."""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """Run the server shared by most attacks; each attack comes from addresses of its own."""
    with target(tmp_path_factory.mktemp("hostile")) as running:
        yield running
    assert not re.search(SECRETS, running.log + running.announced)


@pytest.fixture(scope="session")
def field(server: Target, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HonestField]:
    """Run honest bots beside all attacks; check their results, transcripts and clocks at the end."""
    with honest_field(server, tmp_path_factory.mktemp("honest") / "field", cycles=CYCLES) as playing:
        yield playing
        playing.finish()


@pytest.fixture
def attacker(server: Target, field: HonestField) -> Iterator[Attacker]:
    """An attacker of the shared server. After the attack every honest bot plays on, and none was harmed."""
    logged = len(server.log)
    yield server.attacker()
    field.assert_unharmed()
    assert "Traceback" not in server.log[logged:]
