"""Two machines of one network: network namespaces of Linux, joined by a cable."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.processes import PATIENCE_S, clean_environment, path_with_programs, running
from tests.needs import missing, need

SERVER, OTHER = "192.168.77.1", "192.168.77.2"
"""Addresses of the two machines."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine on which each person has a folder."""

    namespace: str
    path: str
    folder: Path

    def home(self, person: str) -> tuple[Path, dict[str, str]]:
        """Return a person's folder and environment."""
        home = self.folder / person
        home.mkdir(exist_ok=True)
        given = {"PATH": self.path, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_STATE_HOME": str(home)}
        environment = clean_environment(home, given)
        del environment["RUMBLE_CONFIG_DIR"]
        return home, environment

    def command(self, text: str) -> list[str]:
        """Return the words that run a shell command on this machine."""
        return ["ip", "netns", "exec", self.namespace, "sh", "-ec", text]

    def program(self, path: str) -> str:
        """Write a program that runs another program on this machine, as the same process; return its path."""
        made = self.folder / f"{self.namespace}-{Path(path).name}"
        made.write_text(f'#!/bin/sh\nexec ip netns exec {self.namespace} {path} "$@"\n')
        made.chmod(0o755)
        return str(made)

    def types(self, person: str, text: str) -> str:
        """Run a person's shell command to its end, and return its output."""
        home, environment = self.home(person)
        done = subprocess.run(
            self.command(text),
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, f"{person}: {text!r} ended with {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout

    @contextmanager
    def leaves_running(
        self, person: str, text: str, more: Mapping[str, str] | None = None
    ) -> Iterator[subprocess.Popen[str]]:
        """Run a person's shell commands in the background; the last line runs until the end of the block."""
        _, environment = self.home(person)
        *first, last = text.splitlines()
        command = self.command("\n".join([*first, f"exec env {last}"]))
        with running(command, {**environment, **(more or {})}, self.terminal_log(person)) as process:
            yield process

    def terminal_log(self, person: str) -> Path:
        """Return the file with the standard error of a person's background command."""
        return self.folder / person / "terminal.log"

    def end(self) -> None:
        """Kill the processes that are left on this machine, such as the child process of a killed `go run`."""
        pids = subprocess.run(["ip", "netns", "pids", self.namespace], check=True, capture_output=True, text=True)
        for pid in pids.stdout.split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


@contextmanager
def two_machines(folder: Path) -> Iterator[tuple[Machine, Machine]]:
    """Yield the server's machine and another. Skip the test where namespaces cannot be made."""
    if sys.platform != "linux" or os.geteuid() != 0:
        missing("only root on Linux can make network namespaces")
    need("ip", "iproute2")
    names = [f"rumble-{os.getpid()}-{side}" for side in "ab"]
    path = path_with_programs(folder / "programs")
    with ExitStack() as stack:
        for name in names:
            try:
                ip("netns", "add", name)
            except subprocess.CalledProcessError as error:
                missing(f"network namespaces cannot be made here: {error.stderr}")
            stack.callback(ip, "netns", "delete", name)
        here, there = names
        ip("-n", here, "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", there)
        for name, address in ((here, SERVER), (there, OTHER)):
            ip("-n", name, "address", "add", f"{address}/24", "dev", "cable")
            for device in ("cable", "lo"):
                ip("-n", name, "link", "set", device, "up")
        first, second = (Machine(name, path, folder) for name in names)
        yield first, second


def narrow(namespaces: Iterable[str], mbit: int) -> None:
    """Let the cables of machines carry at most `mbit` Mbit/s out. Skip the test where the kernel cannot shape them."""
    need("tc", "iproute2")
    shape = ("tbf", "rate", f"{mbit}mbit", "burst", "64kb", "latency", "50ms")
    try:
        for namespace in namespaces:
            _run("tc", "-n", namespace, "qdisc", "add", "dev", "cable", "root", *shape)
    except subprocess.CalledProcessError as error:
        missing(f"the kernel cannot shape traffic: {error.stderr}")


def ip(*arguments: str) -> None:
    _run("ip", *arguments)


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True, text=True, timeout=PATIENCE_S)
