"""The services of docker-compose.yml, run on this machine without containers, to the final standings."""

import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.containers import command, compose, the
from tests.e2e.processes import PATIENCE_S, RUMBLE, announced_port, clean_environment, free_port, running, typed_here

pytestmark = pytest.mark.e2e


class Machine:
    """This machine in place of the containers, with other names, ports and folders."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()

    def here(self, text: str) -> str:
        """Translate a word of a command, or an environment variable, to this machine."""
        for there, here in (
            ("0.0.0.0", "127.0.0.1"),
            ("//server:", "//127.0.0.1:"),
            ("8765", str(self.port)),
            ("/data", str(self.folder)),
        ):
            text = text.replace(there, here)
        return text

    def command(self, words: Sequence[str]) -> list[str]:
        """Return the command of a service or of the image."""
        program = {"rumble": RUMBLE, "python": (sys.executable,)}[words[0]]
        return [*program, *(self.here(word) for word in words[1:])]

    def environment(self, service: dict[str, Any]) -> dict[str, str]:
        """Return the environment of a service."""
        given = {name: self.here(value) for name, value in service.get("environment", {}).items()}
        return clean_environment(self.folder, given)

    def is_healthy(self) -> bool:
        """Return whether the image's HEALTHCHECK passes now."""
        return subprocess.run(self.command(the("HEALTHCHECK").command), capture_output=True).returncode == 0


@pytest.mark.slow
def test_compose_ends_in_a_table(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    services = {name: service for name, service in compose()["services"].items() if "profiles" not in service}
    server, organiser = services.pop("server"), services.pop("host")
    with running(machine.command(command(server)), machine.environment(server), tmp_path / "server.log") as process:
        assert announced_port(process, tmp_path / "server.log") == machine.port
        assert machine.is_healthy()
        created = typed_here(machine.command(command(organiser))[3:], machine.environment(organiser), tmp_path)
        assert created.code == 0, created.err
        with ExitStack() as bots:
            playing = {
                name: bots.enter_context(
                    running(machine.command(command(bot)), machine.environment(bot), tmp_path / f"{name}.log")
                )
                for name, bot in services.items()
            }
            for name, bot_process in playing.items():
                bot_process.communicate(timeout=PATIENCE_S)
                assert bot_process.returncode == 0, (tmp_path / f"{name}.log").read_text()
        asked = ["tournament", "standings", "friday", "--json"]
        answer = json.loads(typed_here(asked, machine.environment(organiser), tmp_path).out)
    assert answer["status"] == "finished"
    assert {row["name"]: row["played"] for row in answer["standings"]} == dict.fromkeys(services, 40)
    assert answer["standings"][-1]["name"] == "random"
    assert process.returncode == 0
