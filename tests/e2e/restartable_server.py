"""A server that can be killed and started again on the same port and database."""

import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.processes import (
    ADMIN_TOKEN,
    LOOPBACK,
    PATIENCE_S,
    RUMBLE,
    TOKEN,
    Server,
    clean_environment,
    free_port,
)
from tests.postgres.cluster import run
from tests.simulation.checks.case import Fact, read_rows

ROOT = Path(__file__).parents[2]


@dataclass(slots=True)
class RestartableServer:
    """A server and its newest process."""

    folder: Path
    grace_ms: int | None = None
    """Grace time in ms after the start; None: the default of `rumble serve`."""
    postgres: str | None = None
    """URL of a PostgreSQL database, as the tests reach it; None: SQLite in `folder`."""
    options: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    """Further environment variables of the server, such as secrets."""
    address: str = LOOPBACK
    """The address at which the server listens."""
    server: Server = field(init=False)
    announced: str = ""
    """Output of its processes up to the line that announces the port."""
    process: "subprocess.Popen[str]" = field(init=False)

    def __post_init__(self) -> None:
        self.server = Server(free_port(), self.folder, address=self.address)
        self.start()

    @property
    def database(self) -> Path:
        return self.folder / "rumble.db"

    def start(self) -> None:
        """Start a process, and wait until it listens."""
        port, database = str(self.server.port), str(self.database)
        variables = {"RUMBLE_DB": self.postgres or database, **self.variables}
        command = [*RUMBLE, "serve", "--port", port, "--host-token", TOKEN, "--admin-token", ADMIN_TOKEN]
        command += ["--host", self.address, "--house", "none", *self.options]
        if self.grace_ms is not None:
            program = (sys.executable, "-m", "tests.e2e.short_grace_server")
            command = [*program, port, database, TOKEN, str(self.grace_ms)]
        with (self.folder / "serve.log").open("a") as complaints:
            self.process = subprocess.Popen(
                command,
                env=clean_environment(self.folder, variables),
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=complaints,
                text=True,
            )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.announced += line
            if re.match(r"listening on ", line):
                return
        raise AssertionError(f"the server did not start: {(self.folder / 'serve.log').read_text()}")

    def kill(self) -> None:
        """Send SIGKILL, and wait for the end."""
        self._end(signal.SIGKILL)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop the process during a block; frames of bots wait in the kernel."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

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
        """Return the resident memory in MB; 0 where the system does not tell."""
        if not Path("/proc/self/status").exists():
            return 0.0
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) / 1024

    def writer(self) -> int:
        """Return the id of the process that writes the database. Linux only."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        (writer,) = [each for each in children if "store.sqlite.writer" in Path(f"/proc/{each}/cmdline").read_text()]
        return int(writer)

    def facts(self) -> list[Fact]:
        """Read the facts of `main` that are on disk."""
        if self.postgres is not None:
            rows = run(self.postgres, "SELECT facts FROM log WHERE club = 'main' ORDER BY number")
            return read_rows(str(row[0]) for row in rows)
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as database:
            return read_rows(str(row[0]) for row in database.execute("SELECT facts FROM log ORDER BY number"))


@contextmanager
def restartable_server(
    folder: Path,
    grace_ms: int | None = None,
    *,
    postgres: str | None = None,
    options: tuple[str, ...] = (),
    variables: Mapping[str, str] | None = None,
    address: str = LOOPBACK,
) -> Iterator[RestartableServer]:
    """Run a server, and kill it at the end of the block if it still runs."""
    server = RestartableServer(folder, grace_ms, postgres, options, variables or {}, address)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.kill()
