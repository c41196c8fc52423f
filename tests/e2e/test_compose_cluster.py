"""The profile `cluster` of docker-compose.yml, run on this machine without containers: bots play by the balancer."""

import re
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.containers import ROOT, command, compose
from tests.e2e.processes import PATIENCE_S, RUMBLE, clean_environment, free_port, running
from tests.e2e.proxies import proxied
from tests.postgres.cluster import Cluster
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.long]

TOKEN = "a-token-of-our-own"
NODES = ("node1", "node2", "node3")
BOTS = ("random", "heuristic", "minimax")


class Machines:
    """This machine in place of the containers; each container's name stands for a port."""

    def __init__(self, folder: Path, database: Cluster) -> None:
        self.folder = folder
        self.services: dict[str, Any] = compose({"RUMBLE_HOST_TOKEN": TOKEN})["services"]
        self.ports = {name: free_port() for name in NODES}
        self._database = database.database()

    def here(self, text: str) -> str:
        """Translate addresses to this machine."""
        text = re.sub(r"\b(node\d):8765", lambda found: f"127.0.0.1:{self.ports[found[1]]}", text)
        return re.sub(r"^postgresql://rumble:.+@postgres/rumble$", self._database, text)

    def node(self, name: str) -> tuple[list[str], dict[str, str]]:
        """Return the command and the environment of a node."""
        words = [*RUMBLE, *command(self.services[name])[1:]]
        words = [{"0.0.0.0": "127.0.0.1", "8765": str(self.ports[name])}.get(word, word) for word in words]
        own = {"RUMBLE_BEHIND_PROXY": "127.0.0.1", "RUMBLE_HOUSE": "none"}
        given = {variable: self.here(value) for variable, value in self.services[name]["environment"].items()}
        return words, clean_environment(self.folder, {**given, **own})

    def balancer(self) -> AbstractContextManager[str]:
        """Run the balancer for a block, with the configuration that it mounts. The block has its address."""
        (mount,) = self.services["balancer"]["volumes"]
        text = self.here((ROOT / mount.partition(":")[0]).read_text(encoding="utf-8"))
        port = free_port()
        return proxied("caddy", text.replace("\n:8765 {", f"\n:{port} {{\n\tbind 127.0.0.1"), port, self.folder)


def test_bots_play_by_the_balancer_and_another_node_leads_when_one_dies(postgres: Cluster, tmp_path: Path) -> None:
    """A tournament survives the death of its leader, at the balancer's address."""
    machines = Machines(tmp_path, postgres)
    with ExitStack() as stack:
        processes = {
            name: stack.enter_context(running(*machines.node(name), tmp_path / f"{name}.log")) for name in NODES
        }
        front = stack.enter_context(machines.balancer())
        host = {"Authorization": f"Bearer {TOKEN}"}
        with httpx.Client(base_url=front, headers=host, timeout=PATIENCE_S) as browser:
            assert wait_until(lambda: is_led(browser), PATIENCE_S), (tmp_path / "proxy.log").read_text()
            friday = {"name": "Friday", "game": "tictactoe", "cycles": 5, "start_at_bots": 3}
            created = browser.post("/api/tournaments", json=friday)
            assert created.status_code == 201, created.text
            leader = next(name for name in NODES if leads(machines.ports[name]))
            processes[leader].kill()
            environment = clean_environment(tmp_path, {"RUMBLE_SERVER": front})
            commands = {name: [*RUMBLE, "bot", name, "--join", "friday", "--quiet"] for name in BOTS}
            assert wait_until(lambda: is_led(browser), PATIENCE_S)
            bots = [stack.enter_context(running(commands[bot], environment, tmp_path / f"{bot}.log")) for bot in BOTS]
            for bot in bots:
                bot.communicate(timeout=PATIENCE_S)
            assert [bot.returncode for bot in bots] == [0, 0, 0]
            view = browser.get("/api/tournaments/friday").raise_for_status().json()
            assert browser.get("/tournaments/friday").status_code == 200
    assert view["status"] == "finished"
    assert {row["name"]: row["played"] for row in view["standings"]} == dict.fromkeys(BOTS, 20)


def is_led(browser: httpx.Client) -> bool:
    """Return whether the balancer leads to a server that shows tournaments."""
    try:
        return browser.get("/api/tournaments").status_code == 200
    except httpx.TransportError:
        return False


def leads(port: int) -> bool:
    try:
        return bool(httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=PATIENCE_S).json()["leads"])
    except httpx.TransportError:
        return False
