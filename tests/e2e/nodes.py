"""Servers on one database, each with a way to the database, and one from the others to it, that can be broken.

One that ends is started again, as a service manager does it.
"""

import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.e2e.processes import ADMIN_TOKEN, PATIENCE_S, RUMBLE, TOKEN, Server, clean_environment, free_port
from tests.postgres.cluster import Cluster, cluster, run, through
from tests.postgres.proxy import Proxy, proxy
from tests.simulation.checks.case import Fact, read_rows

SECRET = "cluster-secret-of-the-tests"
"""With it every node serves every club; without it one leads, and the others stand by."""
PAUSE_S = 0.02
"""How often it is looked who leads, and whether a process has ended, in s."""


@dataclass(slots=True)
class Node:
    """One server, its newest process, and its way to the database."""

    server: Server
    way: Proxy
    """To the database."""
    from_others: Proxy
    """Bots and visitors come directly."""
    url: str
    secret: str | None
    options: Sequence[str]
    process: "subprocess.Popen[bytes]" = field(init=False)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Start a process, which may stand by for long."""
        port = str(self.server.port)
        tokens = ("--host-token", TOKEN, "--admin-token", ADMIN_TOKEN)
        address = ("--node-address", f"http://127.0.0.1:{self.from_others.port}")
        given = {"RUMBLE_DB": through(self.url, self.way.port)}
        if self.secret is not None:
            given["RUMBLE_CLUSTER_SECRET"] = self.secret
        with (self.server.folder / "serve.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*RUMBLE, "serve", "--port", port, "--house", "none", *tokens, *address, *self.options],
                env=clean_environment(self.server.folder, given),
                cwd=self.server.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE_S)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop the process for a block."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def leads(self) -> list[str]:
        """Return the clubs that it says it leads; none if it does not answer."""
        try:
            return list(httpx.get(f"{self.server.url}/readyz", timeout=2).json()["leads"])
        except httpx.HTTPError:
            return []


class Nodes:
    """Several servers, and their database."""

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

    def leader(self, within_s: float) -> Node:
        """Wait until a server says that it leads `main`. Raises AssertionError."""
        until_s = time.monotonic() + within_s
        while time.monotonic() < until_s:
            for node in self.each:
                if "main" in node.leads():
                    return node
            time.sleep(PAUSE_S)
        raise AssertionError(f"nobody leads after {within_s} s")

    def taken_over_s(self, before: int, within_s: float) -> float:
        """Wait until `main` has a newer epoch than `before`; return how long that took in s. Raises AssertionError."""
        began_s = time.monotonic()
        while (took_s := time.monotonic() - began_s) < within_s:
            if self.epoch() > before:
                return took_s
            time.sleep(PAUSE_S)
        raise AssertionError(f"nobody took over within {within_s} s")


@contextmanager
def nodes(folder: Path, count: int, *options: str, secret: str | None = SECRET, fsync: bool = False) -> Iterator[Nodes]:
    """Run servers on a new database, `count` of them. Afterwards no log may have a traceback or a secret."""
    with ExitStack() as stack:
        database = stack.enter_context(cluster(fsync=fsync))
        url = database.database()
        each: list[Node] = []
        made = Nodes(database, url, each)
        stack.callback(made.end)
        for number in range(1, count + 1):
            own = folder / f"node{number}"
            own.mkdir()
            way = stack.enter_context(proxy(database.port))
            server = Server(free_port(), own)
            each.append(Node(server, way, stack.enter_context(proxy(server.port)), url, secret, options))
        yield made
        for node in each:
            log = (node.server.folder / "serve.log").read_text()
            assert "Traceback" not in log, log[log.index("Traceback") :][:3000]
            assert database.password not in log
            assert SECRET not in log
