"""Machines of one network for `nodes.py`: network namespaces of Linux on a switch, with nodes, a database and a proxy.

Each machine has an address that only the other machines reach. The nodes have the names of docs/examples/cluster. Only
root can make the machines. They are invisible from outside, and disappear at the end of the block.
"""

import asyncio
import ctypes
import os
import pwd
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from servers import PACKAGES, RUMBLE, TOKEN, tree

from tests.e2e.namespaces import ip
from tests.e2e.processes import PATIENCE_S, clean_environment
from tests.needs import need
from tests.postgres.cluster import Cluster, cluster

NODES = ("node1", "node2", "node3")
ADDRESSES = {name: f"10.0.0.{number}" for number, name in enumerate((*NODES, "proxy", "database", "clients"), 1)}
PORT, DATABASE_PORT = 8765, 5432
NOBODY = "02:00:00:00:00:ff"
"""Ethernet address of no machine: packets to this address are lost without an error."""
PROXIES = {"nginx": "nginx.conf", "caddy": "Caddyfile"}
PAUSE_S = 0.05
"""Interval in s between looks at nodes' answers, and at processes that may have ended."""
NEW_NETWORK = 0x40000000
"""CLONE_NEWNET of setns(2)."""


class Network:
    """The machines and their switch. Use `network`, which removes them."""

    def __init__(self) -> None:
        self._made: list[str] = []

    def build(self) -> None:
        """Make all machines, and the cables between machines."""
        self._switch = self._make("switch")
        ip("-n", self._switch, "link", "add", "bridge", "type", "bridge")
        ip("-n", self._switch, "link", "set", "bridge", "up")
        hosts = "".join(f"{address} {name}\n" for name, address in ADDRESSES.items())
        for name, address in ADDRESSES.items():
            machine = self._make(name)
            folder = Path("/etc/netns", machine)  # where `ip netns exec` finds the machine's own files of /etc
            folder.mkdir(parents=True)
            (folder / "hosts").write_text(f"127.0.0.1 localhost\n{hosts}")
            ip("-n", self._switch, "link", "add", name, "type", "veth", "peer", "name", "cable", "netns", machine)
            ip("-n", self._switch, "link", "set", name, "master", "bridge", "up")
            ip("-n", machine, "address", "add", f"{address}/24", "dev", "cable")
            for device in ("cable", "lo"):
                ip("-n", machine, "link", "set", device, "up")

    def _make(self, name: str) -> str:
        ip("netns", "add", machine := self.namespace(name))
        self._made.append(machine)
        return machine

    def remove(self) -> None:
        for machine in self._made:
            ip("netns", "delete", machine)
            with suppress(FileNotFoundError):
                Path("/etc/netns", machine, "hosts").unlink()
                Path("/etc/netns", machine).rmdir()

    @staticmethod
    def namespace(name: str) -> str:
        return f"rumble-{os.getpid()}-{name}"

    def add(self, machine: str, address: str) -> None:
        """Give a machine one more address."""
        ip("-n", self.namespace(machine), "address", "add", f"{address}/24", "dev", "cable")

    def command(self, machine: str, *words: str) -> list[str]:
        """Return the words that run a command on a machine, without a process in between."""
        return ["ip", "netns", "exec", self.namespace(machine), *words]

    def enter(self, machine: str) -> None:
        """Move this thread, and the threads that are started from it, to the network of a machine."""
        with Path("/run/netns", self.namespace(machine)).open() as file:
            if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), NEW_NETWORK):
                raise OSError(ctypes.get_errno(), "setns")

    @contextmanager
    def unplugged(self, machine: str) -> Iterator[None]:
        """Unplug a machine's cable for a block."""
        ip("-n", self._switch, "link", "set", machine, "down")
        try:
            yield
        finally:
            ip("-n", self._switch, "link", "set", machine, "up")

    @contextmanager
    def parted(self, machine: str, other: str) -> Iterator[None]:
        """Lose all packets between two machines for a block; both still reach every other machine."""
        ways = ((machine, other), (other, machine))
        for here, there in ways:
            wrong = (ADDRESSES[there], "lladdr", NOBODY, "dev", "cable", "nud", "permanent")
            ip("-n", self.namespace(here), "neighbour", "replace", *wrong)
        try:
            yield
        finally:
            for here, there in ways:
                ip("-n", self.namespace(here), "neighbour", "delete", ADDRESSES[there], "dev", "cable")


@contextmanager
def network() -> Iterator[Network]:
    """Make the machines for a block."""
    need("ip", "iproute2")
    made = Network()
    try:
        made.build()
        yield made
    finally:
        made.remove()


@dataclass(slots=True)
class DatabaseMachine(Cluster):
    """A PostgreSQL cluster on its own machine."""

    port: int = DATABASE_PORT
    network: Network = field(kw_only=True)

    def initialise(self) -> None:
        Cluster.initialise(self)
        with (self.data / "pg_hba.conf").open("a") as file:
            file.write("host all all 10.0.0.0/24 scram-sha-256\n")

    def url(self, database: str = "postgres") -> str:
        return Cluster.url(self, database).replace("127.0.0.1", ADDRESSES["database"])

    def _spawn(
        self, program: str, *words: str, out: int = subprocess.PIPE, environment: Mapping[str, str] | None = None
    ) -> "subprocess.Popen[bytes]":
        assert self._user is not None
        group = pwd.getpwnam(self._user).pw_gid
        changed = ("setpriv", f"--reuid={self._user}", f"--regid={group}", "--clear-groups")
        return subprocess.Popen(
            self.network.command("database", *changed, str(self._programs / program), *words),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=environment,
        )


@dataclass(slots=True)
class NodeMachine:
    """A machine with one node, restarted whenever the node ends, as by a service manager."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    is_down: bool = False
    """True while the node must not be restarted."""
    process: "subprocess.Popen[bytes]" = field(init=False)

    @property
    def url(self) -> str:
        return f"http://{ADDRESSES[self.name]}:{PORT}"

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                env=self.environment,
                cwd=self.log.parent,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def signal(self, number: int) -> None:
        """Send a signal to the process and its child processes."""
        for pid in tree(self.process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    async def ready(self) -> dict[str, object]:
        """Return the node's answer about its readiness; empty if the node does not answer."""
        try:
            async with httpx.AsyncClient(timeout=1) as client:
                return dict((await client.get(f"{self.url}/readyz")).json())
        except (httpx.HTTPError, ValueError):
            return {}


class Machines:
    """The machines with their nodes, database and proxy. Use `machines`, which ends them."""

    def __init__(self, net: Network, database: DatabaseMachine, url: str, nodes: Sequence[NodeMachine]) -> None:
        self.network, self.database, self.nodes = net, database, nodes
        self.url = url
        """URL of the nodes' database."""
        self.front = f"http://{ADDRESSES['proxy']}:{PORT}"

    async def start_again(self) -> None:
        """Start nodes that have ended, until cancelled."""
        while True:
            for node in self.nodes:
                if node.process.poll() is not None and not node.is_down:
                    node.start()
            await asyncio.sleep(PAUSE_S)

    async def leader(self) -> NodeMachine:
        """Wait until a node claims to lead `main`, and return the node. Raises TimeoutError."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                for node in self.nodes:
                    if "main" in (await node.ready()).get("leads", ()):  # type: ignore[operator]  # a list of names
                        return node
                await asyncio.sleep(PAUSE_S)

    async def until_all_run(self) -> None:
        """Wait until every node can start matches. Raises TimeoutError."""
        async with asyncio.timeout(PATIENCE_S):
            for node in self.nodes:
                while (await node.ready()).get("status") != "ok":  # noqa: ASYNC110  # no event announces the change
                    await asyncio.sleep(PAUSE_S)


@contextmanager
def machines(
    proxy: str, folder: Path, more: Mapping[str, str], source: Path, *, nodes: int = len(NODES)
) -> Iterator[Machines]:
    """Run nodes of the checkout `source`, with `more` settings, behind a proxy with its file of docs/examples/cluster.

    Afterwards this process is on the clients' machine. Logs are in `folder`.
    """
    need(proxy)
    with ExitStack() as stack:
        net = stack.enter_context(network())
        settings = {"listen_addresses": ADDRESSES["database"]}
        database = stack.enter_context(
            cluster(fsync=True, settings=settings, kind=lambda *given: DatabaseMachine(*given, network=net))
        )
        assert isinstance(database, DatabaseMachine)
        net.enter("clients")
        url = database.database()
        given = {
            "RUMBLE_DB": url,
            "RUMBLE_HOST": "0.0.0.0",
            "RUMBLE_PORT": str(PORT),
            "RUMBLE_HOST_TOKEN": TOKEN,
            "RUMBLE_ADMIN_TOKEN": f"{TOKEN}-of-the-administrator",
            "RUMBLE_HOUSE": "none",
            "RUMBLE_BEHIND_PROXY": ADDRESSES["proxy"],
            "RUMBLE_ALLOWED_HOSTS": ADDRESSES["proxy"],
            "PYTHONPATH": os.pathsep.join(str(source / each) for each in PACKAGES),
            **more,
        }
        made = []
        for name in NODES[:nodes]:
            own = {**given, "RUMBLE_NODE_ADDRESS": f"http://{name}:{PORT}"}
            command = net.command(name, sys.executable, *RUMBLE, "serve")
            node = NodeMachine(name, command, clean_environment(folder, own), folder / f"{name}.log")
            made.append(node)
            node.start()
            stack.callback(node.signal, signal.SIGKILL)
        file = source / "docs" / "examples" / "cluster" / PROXIES[proxy]
        words = {
            "nginx": ("nginx", "-p", str(folder), "-c", str(file), "-g", f"daemon off; pid {folder}/nginx.pid;"),
            "caddy": ("caddy", "run", "--config", str(file), "--adapter", "caddyfile"),
        }
        places = {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        with (folder / "proxy.log").open("wb") as log:
            front = subprocess.Popen(
                net.command("proxy", *words[proxy]), env=clean_environment(folder, places), stdout=log, stderr=log
            )
        stack.callback(_end, front)
        yield Machines(net, database, url, made)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
