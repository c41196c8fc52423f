"""A server that dies and comes back on the same port and database, and what its log says in the end."""

import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.processes import PATIENCE_S, RUMBLE, TOKEN, Server, clean_environment, free_port
from tests.simulation.checks.case import Case, Fact, read_rows
from tests.simulation.checks.results import check_results

Frame = dict[str, Any]

ROOT = Path(__file__).parents[2]


@dataclass(slots=True)
class Lives:
    """One life of the server after another. `process` is the one that runs now."""

    folder: Path
    grace_ms: int | None = None
    """None: as `rumble serve` has it."""
    server: Server = field(init=False)
    process: "subprocess.Popen[str]" = field(init=False)

    def __post_init__(self) -> None:
        self.server = Server(free_port(), self.folder)
        self.start()

    @property
    def database(self) -> Path:
        """The file of its log."""
        return self.folder / "rumble.db"

    def start(self) -> None:
        """Start it, and wait until it listens."""
        port, database = str(self.server.port), str(self.database)
        command = [*RUMBLE, "serve", "--port", port, "--db", database, "--host-token", TOKEN, "--house", "none"]
        if self.grace_ms is not None:
            program = (sys.executable, "-m", "tests.e2e.impatient_server")
            command = [*program, port, database, TOKEN, str(self.grace_ms)]
        with (self.folder / "serve.log").open("a") as complaints:
            self.process = subprocess.Popen(
                command,
                env=clean_environment(self.folder),
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=complaints,
                text=True,
            )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if re.match(r"listening on ", line):
                return
        raise AssertionError(f"the server did not start: {(self.folder / 'serve.log').read_text()}")

    def kill(self) -> None:
        """kill -9."""
        self._end(signal.SIGKILL)

    def terminate(self) -> tuple[int, float]:
        """SIGTERM. The exit code, and how many seconds it took."""
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
        """What it has in memory; 0 where the system does not tell."""
        if not Path("/proc/self/status").exists():
            return 0.0
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) / 1024

    def facts(self) -> list[Fact]:
        """What is on disk."""
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as database:
            return read_rows(str(row[0]) for row in database.execute("SELECT facts FROM log ORDER BY number"))


@contextmanager
def living(folder: Path, grace_ms: int | None = None) -> Iterator[Lives]:
    """A server, killed at the end of the block if it still runs."""
    lives = Lives(folder, grace_ms)
    try:
        yield lives
    finally:
        if lives.process.poll() is None:
            lives.kill()


def assert_all_played(facts: list[Fact], bots: Iterable[str], max_matches: int = 1) -> None:
    """The checker of the simulation has nothing to say: one result per leg, each of which can be replayed."""
    case = Case(facts, [], {bot.casefold(): {"max_matches": max_matches, "fault": None} for bot in bots})
    assert list(check_results(case)) == []


def assert_told_as_logged(told: Iterable[Frame], facts: list[Fact]) -> int:
    """Every result that a bot was told is in the log, with the same scores. How many there were."""
    logged = {(fact["match"], fact["attempt"]): fact for fact in facts if fact["fact"] == "match_over"}
    count = 0
    for frame in told:
        if frame["type"] == "match_over":
            count += 1
            fact = logged.get((frame["match"], frame["attempt"]))
            assert fact is not None, f"told, but not in the log: {frame}"
            for name in ("scores", "termination", "moves"):
                assert frame[name] == fact[name], f"told {frame}, and the log has {fact}"
    return count


def notes(folder: Path) -> list[Frame]:
    """Everything that the recording bots wrote down; a line that a kill cut short tells nothing."""
    lines = (line for file in sorted(folder.glob("*.jsonl")) for line in file.read_text().splitlines())
    return [json.loads(line) for line in lines if line.endswith("}")]
