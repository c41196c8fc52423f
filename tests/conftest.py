"""Settings for all tests, and the PostgreSQL cluster that the tests of one worker share."""

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.needs import LONG, SLOW
from tests.postgres.cluster import Cluster, cluster
from tests.sharing import GroupScheduling, are_few, in_order

# No deadline, because a test must not fail on a busy machine. The usual examples are the same at each run; the long
# examples are new each time.
settings.register_profile("rumble", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=200)
settings.load_profile("long" if LONG else "rumble")

# A shell makes background jobs ignore Ctrl-C, and child processes inherit the setting. Tests end some of their
# processes by Ctrl-C, so children must not inherit it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests start hundreds of processes. Without kept bytecode, each process compiles every module, which takes a second.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Each client of httpx reads the trusted authorities. The usual ones take 0.06 s of a processor. This authority, which
# has signed nothing, takes 0.006 s. Processes that tests start inherit the variable.
os.environ.setdefault("SSL_CERT_FILE", str(Path(__file__).with_name("stranger.pem")))

# Collected tests stay to the end, so garbage collection during pytest's collection would free nothing.
gc.disable()


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Generator[None, int, int]:
    """Start no workers for a few files, else one more than xdist would, since tests wait for processes."""
    workers = yield
    given = config.args_source is pytest.Config.ArgsSource.ARGS and are_few(config.args)
    return 0 if given else workers + 1


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> GroupScheduling:
    """Share the tests among the workers by groups."""
    config.option.loadscopereorder = False
    return GroupScheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put long groups first, and skip slow tests, so that the default run takes two minutes on two cores."""
    items[:] = in_order(items)
    for item in items:
        if not LONG and item.get_closest_marker("long") is not None:
            item.add_marker(pytest.mark.skip(reason="it takes long: RUMBLE_LONG=1 has it run"))
        elif not SLOW and item.get_closest_marker("slow") is not None:
            item.add_marker(pytest.mark.skip(reason="it takes seconds: RUMBLE_SLOW=1 has it run"))


def pytest_collection_finish() -> None:
    """Freeze the collected objects; otherwise garbage collection takes more than a quarter of the tests' time."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 10, 20)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write the skipped tests to the file SKIPPED_TO; `python -m pytest @FILE` runs them elsewhere."""
    if file := os.environ.get("SKIPPED_TO"):
        skipped = {report.nodeid: None for report in terminalreporter.getreports("skipped")}
        Path(file).write_text("".join(f"{node}\n" for node in skipped), encoding="utf-8")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """The tests' shared PostgreSQL cluster. A test that stops the database, or needs fsync, makes its own cluster."""
    with cluster() as running:
        yield running


@pytest.fixture
def postgres_url(postgres: Cluster) -> Iterator[str]:
    """The URL of an empty database."""
    with postgres.lent() as url:
        yield url
