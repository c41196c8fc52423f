"""The attacked server: `rumble serve` in a process of its own, with bounds for loopback addresses, too."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.e2e.processes import TOKEN
from tests.e2e.restartable_server import RestartableServer
from tests.hostile.attacker import PATIENCE_S, Attacker, Message


@dataclass(slots=True)
class Target(RestartableServer):
    """A restartable server that bounds clients of this machine too, and a client with the host's rights."""

    host: httpx.Client = field(init=False)
    _addresses: int = 0

    def __post_init__(self) -> None:
        self.options = ("--limit-loopback", *self.options)
        RestartableServer.__post_init__(self)
        self.host = httpx.Client(
            base_url=self.server.url,
            headers={"Authorization": f"Bearer {TOKEN}"},
            timeout=2 * PATIENCE_S,
            trust_env=False,
        )

    def stall(self, seconds: float, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Stop the whole process for `seconds`. `meanwhile` is called at the beginning."""
        with self.frozen():
            meanwhile()
            time.sleep(seconds)

    def attacker(self) -> Attacker:
        """Return an attacker with an address of its own."""
        self._addresses += 1
        return Attacker(self.server.port, f"127.0.1.{self._addresses}")

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


@contextmanager
def target(folder: Path, *options: str, **given: Any) -> Iterator[Target]:
    """Run a server, with fields of `Target`; kill it at the end of the block, which is quicker than draining."""
    server = Target(folder, options=options, **given)
    try:
        yield server
    finally:
        server.host.close()
        if server.process.poll() is None:
            server.kill()
