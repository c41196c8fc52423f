"""Settings for all tests."""

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.postgres.cluster import Cluster, cluster

# No deadline, because a test must not fail on a busy machine.
settings.register_profile("rumble", deadline=None)
settings.load_profile("rumble")

# A shell makes background jobs ignore Ctrl-C, and child processes inherit that. Tests end some of their processes by
# Ctrl-C, so they must not inherit it.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what takes long, so that all other tests take less than ten minutes on two cores."""
    if os.environ.get("RUMBLE_LONG") != "1":
        for item in items:
            if item.get_closest_marker("long") is not None:
                item.add_marker(pytest.mark.skip(reason="it takes long: RUMBLE_LONG=1 has it run, as .ci/run does"))


def pytest_collection_finish() -> None:
    """Set aside what was collected: with it, the collector's passes take more than a quarter of the tests' time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 20)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write what was skipped into the file that SKIPPED_TO names; `python -m pytest @FILE` runs it elsewhere."""
    if file := os.environ.get("SKIPPED_TO"):
        skipped = {report.nodeid: None for report in terminalreporter.getreports("skipped")}
        Path(file).write_text("".join(f"{node}\n" for node in skipped), encoding="utf-8")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """The PostgreSQL cluster that tests share; one that stops its server, or needs fsync, makes its own."""
    with cluster() as running:
        yield running


@pytest.fixture
def postgres_url(postgres: Cluster) -> Iterator[str]:
    """The URL of an empty database."""
    with postgres.lent() as url:
        yield url
