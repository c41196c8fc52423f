"""A real server, and the actions of its host in tests."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rumble_protocol.clubs import MAIN, web_path
from rumble_server.cli.support.api_client import ApiClient

from tests.e2e.processes import ADMIN_TOKEN, LOOPBACK, TOKEN
from tests.e2e.restartable_server import RestartableServer, restartable_server

LOOK_S, LOOKING_S = 0.1, 180.0
"""Pause between two looks of `RunningServer.until`, and the time after which it fails, in s."""


class RunningServer:
    """A `rumble serve` with its own database, which can be killed and started again on the same port."""

    def __init__(self, lives: RestartableServer, club: str = MAIN) -> None:
        self._lives = lives
        self.origin = lives.server.url
        self.root = web_path(club)
        self.url = self.origin + self.root
        """The address of the club's home page, without the last slash."""
        self.bot_url = f"{self.url.replace('http', 'ws', 1)}/bot"
        self.token = TOKEN if club == MAIN else ADMIN_TOKEN
        """A host token of the club."""
        self.host = ApiClient(self.url, self.token)
        """The API as an organiser uses it: `host.get("tournaments/cup")`."""

    def club(self, name: str, **given: Any) -> "RunningServer":
        """Create a club, and return a view of the server in the new club."""
        ApiClient(self.origin, ADMIN_TOKEN).post("clubs", {"name": name, **given})
        return RunningServer(self._lives, name)

    def create(self, name: str, game: str = "tictactoe", **config: Any) -> str:
        """Create a tournament and return its id; `config` holds more fields of its configuration."""
        return str(self.host.post("tournaments", {"name": name, "game": game, **config})["id"])

    def command(self, tournament: str, command: str, **body: Any) -> Any:
        """Send an organiser's command on a tournament: `start`, `pause`, `resume`, `end`, ..."""
        return self.host.post(f"tournaments/{tournament}/{command}", body or None)

    def tournament(self, tournament: str) -> Any:
        """Return the API's answer about a tournament."""
        return self.host.get(f"tournaments/{tournament}")

    def join_code(self, tournament: str) -> str:
        """Return the code by which pupils join a tournament of a class."""
        return str(self.host.get(f"tournaments/{tournament}/invite")["door"]["code"])

    def pupil(self, tournament: str, display: str, key: str) -> str:
        """Let a pupil join a tournament of a class, and return the name of the pupil's bot."""
        wanted = {"code": self.join_code(tournament), "display_name": display, "key": key}
        return str(self.host.post("join", wanted)["name"])

    async def until(self, tournament: str, is_so: Callable[[Any], bool]) -> None:
        """Wait until the condition holds for the API's answer about a tournament."""
        end_s = time.monotonic() + LOOKING_S
        while not is_so(view := self.tournament(tournament)):
            assert time.monotonic() < end_s, f"the condition never held: {view}"
            await asyncio.sleep(LOOK_S)

    def kill(self) -> None:
        """Kill the process with SIGKILL."""
        self._lives.kill()

    def restart(self) -> None:
        """Start the server again after a kill, on the same port and database; return when it listens."""
        self._lives.start()


@contextmanager
def started_server(folder: Path, address: str = LOOPBACK) -> Iterator[RunningServer]:
    """Run a server at an address, with its files in `folder`; it is killed at the end of the block."""
    with restartable_server(folder, address=address) as lives:
        yield RunningServer(lives)
