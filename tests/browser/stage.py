"""A real server, and what a test does with it as its host."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rumble_server.cli.support.organiser_client import OrganiserClient

from tests.e2e.processes import TOKEN
from tests.e2e.restartable_server import RestartableServer, restartable_server


class Stage:
    """A `rumble serve` of its own database, which can be killed and started again on the same port."""

    token = TOKEN
    """The host's."""

    def __init__(self, lives: RestartableServer) -> None:
        self._lives = lives
        self.url = lives.server.url
        """The home page, without the last slash."""
        self.bot_url = lives.server.bot_url
        self.host = OrganiserClient(self.url, TOKEN)
        """The API as the host uses it: `host.get("tournaments/cup")`."""

    def create(self, name: str, game: str = "tictactoe", **config: Any) -> str:
        """Create a tournament; `config` are more fields of its configuration. Gives its id."""
        return str(self.host.post("tournaments", {"name": name, "game": game, **config})["id"])

    def command(self, tournament: str, command: str, **body: Any) -> Any:
        """A host's command on a tournament: `start`, `pause`, `resume`, `end`, ..."""
        return self.host.post(f"tournaments/{tournament}/{command}", body or None)

    def tournament(self, tournament: str) -> Any:
        """What the API says of a tournament."""
        return self.host.get(f"tournaments/{tournament}")

    def kill(self) -> None:
        """kill -9."""
        self._lives.kill()

    def restart(self) -> None:
        """Start it again after a kill, on the same port and database; returns when it listens."""
        self._lives.start()


@contextmanager
def staged(folder: Path) -> Iterator[Stage]:
    """A server with its files in `folder`, killed at the end of the block."""
    with restartable_server(folder) as lives:
        yield Stage(lives)
