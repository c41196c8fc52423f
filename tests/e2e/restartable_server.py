"""A server that can be killed and started again on the same port and database."""

import json
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from tests.e2e.processes import (
    ADMIN_TOKEN,
    LOOPBACK,
    PATIENCE_S,
    RUMBLE,
    TOKEN,
    Server,
    announcement,
    clean_environment,
    free_port,
    frozen,
)
from tests.postgres.cluster import run
from tests.simulation.checks.case import Fact, read_rows

ROOT = Path(__file__).parents[2]
OWN_CONSTANTS = str(Path(__file__).with_name("own_constants.py"))


@dataclass(slots=True)
class RestartableServer:
    """A server and its newest process."""

    folder: Path
    constants: Mapping[str, int] = field(default_factory=dict)
    """Replacements of constants for which `rumble serve` has no options."""
    postgres: str | None = None
    """URL of a PostgreSQL database, as the tests reach it; None: SQLite in `folder`."""
    options: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    """Further environment variables of the server, such as secrets."""
    address: str = LOOPBACK
    """The address at which the server listens."""
    before: Sequence[str] = ()
    """A command that gets the server's command as its last arguments."""
    token: str | None = TOKEN
    """The host's token; None: the server makes its own."""
    server: Server = field(init=False)
    announced: str = ""
    """Output of the newest process up to the line that announces the port."""
    process: "subprocess.Popen[str]" = field(init=False)

    def __post_init__(self) -> None:
        self.server = Server(free_port(), self.folder, address=self.address)
        self.start()

    @property
    def database(self) -> Path:
        return self.folder / "rumble.db"

    def start(self) -> None:
        """Start a process, and wait until it listens."""
        variables = {"RUMBLE_DB": self.postgres or str(self.database), **self.variables}
        rumble = (RUMBLE[0], OWN_CONSTANTS, json.dumps(self.constants)) if self.constants else RUMBLE
        tokens = ("--admin-token", ADMIN_TOKEN, *(("--host-token", self.token) if self.token else ()))
        where = ("--port", str(self.server.port), "--host", self.address, "--house", "none")
        with (self.folder / "serve.log").open("a") as complaints:
            self.process = subprocess.Popen(
                [*self.before, *rumble, "serve", *where, *tokens, *self.options],
                env=clean_environment(self.folder, variables),
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=complaints,
                text=True,
            )
        self.announced = announcement(self.process, self.folder / "serve.log")

    @property
    def log(self) -> str:
        """The server's standard error so far."""
        return (self.folder / "serve.log").read_text()

    def kill(self) -> None:
        """Send SIGKILL, and wait for the end."""
        self._end(signal.SIGKILL)

    def frozen(self) -> AbstractContextManager[None]:
        """Stop the process during a block; frames of bots wait in the kernel."""
        return frozen(self.process)

    def terminate(self) -> tuple[int, float]:
        """Send SIGTERM; return the exit code and the duration of the end in s."""
        began = time.monotonic()
        return self._end(signal.SIGTERM), time.monotonic() - began

    def _end(self, how: int) -> int:
        self.process.send_signal(how)
        try:
            return self.process.wait(PATIENCE_S)
        finally:
            self.process.kill()
            assert self.process.stdout is not None
            self.process.stdout.close()

    def memory_mb(self) -> float:
        """Return the resident memory in MB."""
        return float(psutil.Process(self.process.pid).memory_info().rss) / 2**20

    def children(self) -> list[int]:
        """Return the running child processes of the server."""
        return [child.pid for child in psutil.Process(self.process.pid).children()]

    def writer(self) -> int:
        """Return the id of the process that writes the database."""
        is_writer = "rumble_server.store.sqlite.writer"
        (writer,) = [each for each in self.children() if is_writer in psutil.Process(each).cmdline()]
        return writer

    def facts(self, tournament: str = "%") -> list[Fact]:
        """Read the facts on disk, of `main` if the database is PostgreSQL: all, or the facts of tournaments by LIKE."""
        if self.postgres is not None:
            rows = run(self.postgres, "SELECT facts FROM log WHERE club = 'main' ORDER BY number")
            return read_rows(str(row[0]) for row in rows)
        query = "SELECT facts FROM log WHERE tournament LIKE ? ORDER BY number"
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as database:
            return read_rows(str(row[0]) for row in database.execute(query, (tournament,)))


@contextmanager
def restartable_server(folder: Path, **given: Any) -> Iterator[RestartableServer]:
    """Run a server with fields of `RestartableServer`, and kill it at the end of the block if it still runs."""
    server = RestartableServer(folder, **given)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.kill()
