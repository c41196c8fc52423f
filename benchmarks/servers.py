"""The processes that benchmarks measure: a server of this checkout or of another, and the echo."""

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import httpx

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # for modules of `tests`
TOKEN = "benchmark-token"
RUMBLE = ("-m", "rumble_server.cli")
PACKAGES = ("engine", "protocol", "server", "bots")


@dataclass(frozen=True, slots=True)
class Running:
    """A server that listens on a port of this machine."""

    process: "subprocess.Popen[str]"
    port: int
    host: str = "127.0.0.1"
    database: int | None = None
    """The process of the PostgreSQL server that works for this server, on the same machine."""

    @property
    def page(self) -> str:
        return f"http://{self.host}:{self.port}"

    def api(self) -> httpx.AsyncClient:
        """Return a client of the API with the host's rights."""
        return httpx.AsyncClient(base_url=self.page, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60)

    async def create(self, **config: Any) -> str:
        """Create a tournament of tic-tac-toe, unless `config` says otherwise, and return its id."""
        async with self.api() as host:
            reply = await host.post("/api/tournaments", json={"name": "bench", "game": "tictactoe", **config})
        return str(reply.raise_for_status().json()["id"])

    def cpu_s(self) -> float:
        """Return the CPU time used by the server, its database and their child processes, in s."""
        used = tree(self.process.pid) + ([] if self.database is None else tree(self.database))
        return sum(cpu_s(pid) for pid in used)

    def resident_kb(self) -> int:
        """Return the resident memory of the server and its child processes in KB."""
        return sum(resident_kb(pid) for pid in tree(self.process.pid))


@contextmanager
def process(
    *arguments: str, source: Path | None = None, log: IO[str] | None = None
) -> Iterator["subprocess.Popen[str]"]:
    """Run Python until the end of the block, with the packages of the checkout `source` (None: the installed packages).

    Standard error goes to `log`; None: to this process's standard error. Standard input and output are pipes.
    """
    path = {} if source is None else {"PYTHONPATH": os.pathsep.join(str(source / each) for each in PACKAGES)}
    command = [sys.executable, *arguments]
    environment = {**os.environ, "RUMBLE_LOG_LEVEL": "warning", **path}
    pipe = subprocess.PIPE
    started = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=log, text=True)
    try:
        yield started
    finally:
        kill(started)


@asynccontextmanager
async def serving(
    database: Path | str | None = None,
    source: Path | None = None,
    program: Sequence[str] = RUMBLE,
    *,
    options: Sequence[str] = (),
    log: IO[str] | None = None,
    start_within_s: float | None = None,
) -> AsyncIterator[Running]:
    """Run a server without house bots on `database`, a path or a URL; None: on a temporary file.

    Raises RuntimeError if the server does not start, TimeoutError if it does not start in time.
    """
    with contextlib.ExitStack() as stack:
        if database is None:
            database = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rumble-")), "bench.db")
        common = ("--port", "0", "--house", "none", "--db", str(database), "--host-token", TOKEN)
        started = stack.enter_context(process(*program, "serve", *common, *options, source=source, log=log))
        port = await asyncio.wait_for(asyncio.to_thread(announced_port, started), start_within_s)
        yield Running(started, port)


@asynccontextmanager
async def echoing(game: str, seats: int = 2) -> AsyncIterator[Running]:
    """Run the echo, with turns of a game."""
    with process(str(Path(__file__).with_name("echo_server.py")), game, str(seats)) as started:
        yield Running(started, announced_port(started))


def kill(started: "subprocess.Popen[str]") -> None:
    """Kill a process and its child processes, unless it has ended."""
    if started.poll() is None:
        for pid in tree(started.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        started.wait()


def announced_port(started: "subprocess.Popen[str]") -> int:
    """Read the address that a server prints first. Raises RuntimeError if the server has ended instead."""
    assert started.stdout is not None
    line = started.stdout.readline()
    if not line:
        raise RuntimeError(f"the server did not start: {started.args!r}")
    return int(re.findall(r":(\d+)", line)[0])


def tree(pid: int) -> list[int]:
    """Return a process and its descendants."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):  # the process has ended
                children.setdefault(int(stat(int(entry))[1]), []).append(int(entry))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found


def stat(pid: int) -> list[str]:
    """Return the kernel's data about a process, from its state on (proc_pid_stat(5), field 3)."""
    return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process and of its children that have ended, in s."""
    clock = ~pid << 3 | 2  # clock_getcpuclockid(3): to the ns, where /proc counts in ticks of 10 ms
    return time.clock_gettime(clock) + sum(map(int, stat(pid)[13:15])) / os.sysconf("SC_CLK_TCK")


def resident_kb(pid: int) -> int:
    """Return the resident memory of a process in KB."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
