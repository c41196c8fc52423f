"""Servers on one database, each with a way to the database that can be broken. Tests ask them as a proxy does.

A server process that ends is started again, as by a service manager.
"""

import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.e2e.processes import ADMIN_TOKEN, PATIENCE_S, RUMBLE, TOKEN, Server, clean_environment, free_port, frozen
from tests.postgres.cluster import Cluster, cluster, run, through
from tests.postgres.proxy import Proxy, proxy
from tests.simulation.checks.case import Fact, read_rows
from tests.waiting import until

PAUSE_S = 0.02
"""Interval in s between looks at processes that may have ended."""
ASK_S = 2.0
"""Time in s that a node may take for an answer; a frozen node gives none."""


@dataclass(slots=True)
class Node:
    """A server, its newest process, and its way to the database."""

    server: Server
    way: Proxy
    url: str
    options: Sequence[str]
    process: "subprocess.Popen[bytes]" = field(init=False)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Start a process, which may stand by for long."""
        tokens = ("--host-token", TOKEN, "--admin-token", ADMIN_TOKEN)
        with (self.server.folder / "serve.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*RUMBLE, "serve", "--port", str(self.server.port), *tokens, *self.options],
                env=clean_environment(self.server.folder, {"RUMBLE_DB": through(self.url, self.way.port)}),
                cwd=self.server.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE_S)

    def frozen(self) -> AbstractContextManager[None]:
        """Stop the process for a block."""
        return frozen(self.process)

    def leads(self) -> list[str]:
        """Return the clubs that the node claims to lead; empty without an answer."""
        try:
            return list(httpx.get(f"{self.server.url}/readyz", timeout=ASK_S).json()["leads"])
        except httpx.HTTPError:
            return []

    def asked(self, path: str, **headers: str) -> tuple[int, str]:
        """Return status and address when asked for the leader of a path's club; status 0: no answer."""
        given = {"X-Original-URI": path, **headers}
        try:
            answer = httpx.get(f"{self.server.url}/api/leader", headers=given, timeout=ASK_S)
        except httpx.HTTPError:
            return 0, ""
        return answer.status_code, answer.headers.get("Rumble-Leader", "")

    def status(self, path: str) -> int:
        """Return the status of a page; 0: no answer."""
        try:
            return httpx.get(self.server.url + path, timeout=PATIENCE_S).status_code
        except httpx.HTTPError:
            return 0


class Nodes:
    """Several servers and their database."""

    def __init__(self, database: Cluster, url: str, each: Sequence[Node]) -> None:
        self.database, self.url, self.each = database, url, each
        self._ending = threading.Event()
        self._service = threading.Thread(target=self._start_again, daemon=True)
        self._service.start()

    def _start_again(self) -> None:
        while not self._ending.wait(PAUSE_S):
            for node in self.each:
                if node.process.poll() is not None:
                    node.start()

    def end(self) -> None:
        """End all processes."""
        self._ending.set()
        self._service.join(PATIENCE_S)
        for node in self.each:
            node.kill()

    @property
    def bot_urls(self) -> list[str]:
        return [node.server.bot_url for node in self.each]

    def facts(self) -> list[Fact]:
        """Read the facts of `main` that are on disk."""
        rows = run(self.url, "SELECT facts FROM log WHERE club = 'main' ORDER BY number")
        return read_rows(str(row[0]) for row in rows)

    def epoch(self) -> int:
        """Return the newest epoch of `main`."""
        return int(run(self.url, "SELECT epoch FROM clubs WHERE club = 'main'")[0][0])

    def leader(self, club: str = "main") -> Node:
        """Wait until exactly one server claims to lead a club, and return the server."""

        def found() -> Node | None:
            leading = [node for node in self.each if club in node.leads()]
            return leading[0] if len(leading) == 1 else None

        return until(found)

    def another(self, *than: Node) -> Node:
        return next(node for node in self.each if node not in than)

    def agree(self, path: str) -> Node:
        """Wait until all nodes that answer name the same leader for a path's club, and return the leader."""

        def leader() -> Node | None:
            answers = {node.asked(path) for node in self.each} - {(0, "")}
            return next((node for node in self.each if answers == {(httpx.codes.NO_CONTENT, node.server.url)}), None)

        return until(leader)

    def taken_over_s(self, before: int) -> float:
        """Wait until `main` has a newer epoch than `before`; return the duration in s."""
        began_s = time.monotonic()
        until(lambda: self.epoch() > before)
        return time.monotonic() - began_s


@contextmanager
def nodes(folder: Path, count: int, *options: str, several: bool = True, fsync: bool = False) -> Iterator[Nodes]:
    """Run `count` servers on a new database: nodes of a cluster, or if not `several` a leader with standbys.

    Afterwards, check that no log has a traceback or a password.
    """
    with ExitStack() as stack:
        database = stack.enter_context(cluster(fsync=fsync))
        url = database.database()
        each: list[Node] = []
        made = Nodes(database, url, each)
        stack.callback(made.end)
        for number in range(1, count + 1):
            own = folder / f"node{number}"
            own.mkdir()
            server = Server(free_port(), own)
            given = ("--node-address", server.url, "--behind-proxy", "127.0.0.1") if several else ()
            way = stack.enter_context(proxy(database.port))
            each.append(Node(server, way, url, ("--house", "none", *given, *options)))
        yield made
        for node in each:
            log = (node.server.folder / "serve.log").read_text()
            assert "Traceback" not in log, log[log.index("Traceback") :][:3000]
            assert database.password not in log
