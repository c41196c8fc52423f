"""One server and one tournament of honest bots for all attacks that leave both as they were."""

import re
import sys
from collections.abc import Iterator

import pytest

from tests.e2e.processes import TOKEN
from tests.hostile.attacker import Attacker
from tests.hostile.honest import HonestField, honest_field
from tests.hostile.target import PROXY, Target, target

CONNECTIONS, STRANGERS, STREAMS, NAMES_PER_HOUR = 40, 16, 8, 30
HEADER_MS = BODY_MS = UNREAD_MS = 1_500
OPTIONS = (
    *("--connections-per-address", str(CONNECTIONS)),
    *("--strangers-per-address", str(STRANGERS)),
    *("--streams-per-address", str(STREAMS)),
    *("--names-per-hour", str(NAMES_PER_HOUR)),
    *("--header-ms", str(HEADER_MS)),
    *("--body-ms", str(BODY_MS)),
    *("--unread-ms", str(UNREAD_MS)),
    *("--behind-proxy", PROXY),
)
"""Bounds that are small enough to be reached soon; the others are the defaults."""
SECRETS = rf"{TOKEN}|key-of-|guess-number-"
"""What no log may have: each key of these tests begins with the second, each guess with the third."""
CYCLES = 40
"""Enough for the honest bots to play all the time; what is left is played quickly at the end."""

collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]
"""Only Linux lets a client use any address of 127.0.0.0/8 without more."""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """The server that most attacks share; each comes from addresses of its own."""
    with target(tmp_path_factory.mktemp("hostile"), *OPTIONS) as running:
        yield running
    assert not re.search(SECRETS, running.log + running.announced)


@pytest.fixture(scope="session")
def field(server: Target, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HonestField]:
    """The honest bots beside all attacks; at the end their results, transcripts and clocks are checked."""
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
