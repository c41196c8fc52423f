"""The attacked server: `rumble serve` in a process of its own, with bounds for loopback addresses, too."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.e2e.log_checks import numbered
from tests.e2e.processes import TOKEN, clean_environment, free_port
from tests.hostile.attacker import PATIENCE_S, Attacker, Message
from tests.simulation.checks.case import Fact, read_rows

OWN_CONSTANTS = str(Path(__file__).parent / "own_constants.py")
PAUSE_S = 0.02
"""Interval in s between two looks of `wait_until`."""


class Target:
    """A server with a fixed port and database, and its newest process. The server may be ended and started again."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        before: Sequence[str] = (),
        token: str | None = TOKEN,
        house: str = "none",
        constants: Mapping[str, int] | None = None,
    ) -> None:
        """`before` is a command that gets the server's command as its last arguments.

        With `token` None the server makes its own host token. `constants` replace those of every other server.
        """
        self.folder = folder
        self.port = free_port()
        self.options = options
        self.log_file = folder / "serve.log"
        self.announced = ""
        """The output of the newest process until it listened."""
        self._before = before
        self._rumble = (sys.executable, OWN_CONSTANTS, json.dumps(constants or {}))
        self._common = ("--port", str(self.port), "--house", house, *(("--host-token", token) if token else ()))
        self._addresses = 0
        self.start()
        self.host = httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}",
            headers={"Authorization": f"Bearer {TOKEN}"},
            timeout=2 * PATIENCE_S,
            trust_env=False,
        )

    @property
    def database(self) -> Path:
        return self.folder / "rumble.db"

    def command(self, *options: str) -> list[str]:
        """Return the command of a server on this database."""
        return [*self._before, *self._rumble, "serve", "--db", str(self.database), "--limit-loopback", *options]

    def start(self) -> None:
        """Start a process, and wait until it listens."""
        with self.log_file.open("a") as complaints:
            self.process = subprocess.Popen(
                self.command(*self._common, *self.options),
                env=clean_environment(self.folder),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=complaints,
                text=True,
            )
        assert self.process.stdout is not None
        self.announced = ""
        for line in self.process.stdout:
            self.announced += line
            if line.startswith("listening on "):
                return
        raise AssertionError(f"the server did not start: {self.log}")

    def end(self, how: int = signal.SIGTERM) -> None:
        """Send a signal, and wait for the end."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            self.process.wait(PATIENCE_S)
        finally:
            self.process.kill()
            assert self.process.stdout is not None
            self.process.stdout.close()

    def stall(self, seconds: float, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Stop the whole process for `seconds`. `meanwhile` is called at the beginning."""
        os.kill(self.process.pid, signal.SIGSTOP)
        try:
            meanwhile()
            time.sleep(seconds)
        finally:
            os.kill(self.process.pid, signal.SIGCONT)

    def attacker(self) -> Attacker:
        """Return an attacker with an address of its own."""
        self._addresses += 1
        return Attacker(self.port, f"127.0.1.{self._addresses}")

    @property
    def log(self) -> str:
        """The server's standard error so far."""
        return self.log_file.read_text()

    def printed_token(self) -> str:
        """Return the host token printed by the newest process; empty if none was printed."""
        found = re.search(r"^host token +(\S+)", self.announced, re.MULTILINE)
        return found[1] if found else ""

    def create(self, **config: Any) -> str:
        """Create a tournament, and return its id."""
        answer = self.host.post("/api/tournaments", json={"name": "cup", "game": "tictactoe", **config})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def transcript(self, match: str) -> list[Message]:
        """Return the lines of a match's transcript."""
        answer = self.host.get(f"/api/matches/{match}/transcript").raise_for_status()
        return [httpx.Response(200, text=line).json() for line in answer.text.splitlines()]

    def facts(self, tournament: str | None = None) -> list[Fact]:
        """Read the facts on disk: all, or the facts of a tournament, numbered from 1."""
        where, values = ("", ()) if tournament is None else ("WHERE tournament = ?", (tournament,))
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as database:
            rows = database.execute(f"SELECT facts FROM log {where} ORDER BY number", values)
            found = read_rows(str(row[0]) for row in rows)
        return found if tournament is None else numbered(found)

    def children(self) -> list[int]:
        """Return the running child processes of the server."""
        return [
            int(child)
            for child in Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        ]


@contextmanager
def target(folder: Path, *options: str, **given: Any) -> Iterator[Target]:
    """Run a server, with arguments of `Target`; kill it at the end of the block, which is quicker than draining."""
    server = Target(folder, *options, **given)
    try:
        yield server
    finally:
        server.host.close()
        server.end(signal.SIGKILL)


def wait_until(true: Callable[[], object], within_s: float = PATIENCE_S) -> bool:
    """Look again and again until `true` is true. Return whether it was true in time."""
    until_s = time.monotonic() + within_s
    while not true():
        if time.monotonic() > until_s:
            return False
        time.sleep(PAUSE_S)
    return True
