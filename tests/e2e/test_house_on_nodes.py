"""House bots of clubs that different nodes lead: they are where their club is led, also after a node's death."""

import signal
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.processes import ADMIN_TOKEN, PATIENCE_S
from tests.e2e.test_three_nodes import Node, is_led, leader, nodes, until
from tests.postgres.cluster import run

pytestmark = [pytest.mark.e2e, pytest.mark.long]
CLUBS = ("one", "two", "three")
RESIDENT = "house-random"


def house_processes(node: Node) -> int:
    """Count the processes of house bots that a node has started."""
    children = Path(f"/proc/{node.process.pid}/task/{node.process.pid}/children").read_text().split()
    return sum(b"house_process" in Path(f"/proc/{each}/cmdline").read_bytes() for each in children)


class Administrator:
    """The administrator at one node."""

    def __init__(self, node: Node) -> None:
        self._url = node.server.url

    def __call__(self, method: str, path: str, **given: Any) -> Any:
        """Return the answer to a request; nothing if it is refused, or nobody leads the club at the moment."""
        headers = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
        answer = httpx.request(method, self._url + path, headers=headers, json=given or None, timeout=PATIENCE_S)
        return answer.json() if answer.status_code < 400 else {}

    def status(self, club: str) -> Any:
        return self("GET", f"/c/{club}/api/tournaments/cup").get("status")

    def residents(self, club: str) -> list[str]:
        found = self("GET", f"/c/{club}/api/opponents").get("opponents", [])
        return [each["name"] for each in found]


def test_house_bots_are_back_where_their_club_is_led_next(tmp_path: Path, postgres_url: str) -> None:
    with nodes(tmp_path, postgres_url, 3, more={"RUMBLE_HOUSE": "random"}) as each:
        first = leader(each)
        ask = Administrator(first)
        for name, node in zip(CLUBS, each, strict=True):
            ask("POST", "/api/clubs", name=name)
            until(lambda name=name, node=node: Administrator(node)("GET", f"/c/{name}/api/tournaments"))  # type: ignore[misc]
        until(lambda: all(is_led(name, node) for name, node in zip(CLUBS, each, strict=True)))
        for name in CLUBS[:2]:
            ask("PATCH", f"/api/clubs/{name}", house=True)
            until(lambda name=name: ask.residents(name) == [RESIDENT])  # type: ignore[misc]
            ask("POST", f"/c/{name}/api/tournaments", name="Cup", game="connect4", cycles=100)
            ask("POST", f"/c/{name}/api/tournaments/cup/house", bot="random", count=2)
            ask("POST", f"/c/{name}/api/tournaments/cup/start")
        dies = next(node for node in each if node is not first and any(is_led(name, node) for name in CLUBS[:2]))
        lost = next(name for name in CLUBS[:2] if is_led(name, dies))
        others = [node for node in each if node is not dies]
        until(lambda: run(postgres_url, "SELECT count(*) > 20 FROM log WHERE club = %s", [lost])[0][0])
        assert house_processes(dies) == 3, "one for residents, and one for each bot that was added"
        dies.process.send_signal(signal.SIGKILL)
        until(lambda: any(is_led(lost, node) for node in others))
        for name in CLUBS[:2]:
            until(lambda name=name: ask.residents(name) == [RESIDENT])  # type: ignore[misc]
            until(lambda name=name: ask.status(name) == "finished")  # type: ignore[misc]
            results = ask("GET", f"/c/{name}/api/tournaments/cup/matches")["matches"]
            assert {each["termination"] for each in results} == {"normal"}
            assert len(results) == 200
        until(lambda: sum(map(house_processes, others)) == sum(bool(set(node.leads()) - {"three"}) for node in others))
