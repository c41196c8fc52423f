"""Real processes on this machine for end-to-end tests: the command line, and a server on a free port."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from rumble_server.cli.main import run

RUMBLE = (sys.executable, "-m", "rumble_server.cli")
LOOPBACK = "127.0.0.1"
PATIENCE_S = 60.0
"""Time in s within which a process must do whatever a test waits for."""
TOKEN = "host-token-of-the-tests"
ADMIN_TOKEN = "administrator-of-the-tests"


def free_port() -> int:
    """Return a port that is free now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def clean_environment(folder: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return this process's environment without settings of Rumble, and with its configuration in `folder`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RUMBLE_")}
    return {**kept, "RUMBLE_CONFIG_DIR": str(folder / "config"), **(extra or {})}


def path_with_programs(folder: Path) -> str:
    """Write programs `rumble`, `python` and `pip` for this checkout into a folder; return PATH with it first."""
    folder.mkdir()
    python = RUMBLE[:1]
    programs = {"rumble": RUMBLE, "python": python, "python3": python, "pip": (*python, "-m", "pip")}
    for name, words in programs.items():
        (folder / name).write_text(f'#!/bin/sh\nexec {" ".join(words)} "$@"\n')
        (folder / name).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


class Typed(NamedTuple):
    """Exit code and output of a command."""

    code: int
    out: str
    err: str


def typed_here(arguments: Sequence[str], environment: Mapping[str, str], folder: Path) -> Typed:
    """Run `rumble` in this process with a folder and an environment, which is faster than a process of its own."""
    written = BytesIO(), BytesIO()
    out, err = (TextIOWrapper(each, "utf-8", write_through=True) for each in written)
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(folder)
        for variable in set(os.environ) - set(environment):
            patch.delenv(variable)
        for variable, value in environment.items():
            patch.setenv(variable, value)
        code = run([*arguments])
    said, complained = (each.getvalue().decode() for each in written)
    return Typed(code, said, complained)


@dataclass(frozen=True, slots=True)
class Server:
    """A running `rumble serve`."""

    port: int
    folder: Path
    host_token: str = TOKEN
    address: str = LOOPBACK

    @property
    def url(self) -> str:
        return f"http://{self.address}:{self.port}"

    @property
    def bot_url(self) -> str:
        return f"ws://{self.address}:{self.port}/bot"

    @property
    def environment(self) -> dict[str, str]:
        """Environment of a host's commands for this server."""
        settings = {"RUMBLE_SERVER": self.url, "RUMBLE_HOST_TOKEN": self.host_token}
        return clean_environment(self.folder, settings)

    def tournament(self, *arguments: str) -> Any:
        """Run `rumble tournament ... --json` as the organiser, and return its parsed output."""
        done = typed_here(["tournament", *arguments, "--json"], self.environment, self.folder)
        assert done.code == 0, done.err
        return json.loads(done.out)


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Server]:
    """Run a server on a free port, with its database in `folder`."""
    database = str(folder / "rumble.db")
    arguments = ["serve", "--port", "0", "--db", database, "--host-token", TOKEN, "--house", "none", *options]
    with running([*RUMBLE, *arguments], clean_environment(folder), folder / "serve.log") as process:
        yield Server(announced_port(process, folder / "serve.log"), folder)


@contextmanager
def running(command: Sequence[str], environment: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a process with standard error in the file `log`; ask it to stop at the end of the block."""
    with log.open("w") as complaints:
        process = subprocess.Popen(
            command,
            env=dict(environment),
            cwd=log.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
        )
    with process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.communicate(timeout=PATIENCE_S)
            finally:
                process.kill()


def bridged(
    server: Server, folder: Path, stack: ExitStack, commands: Mapping[str, Sequence[str]]
) -> list[subprocess.Popen[str]]:
    """Start a bridge for each bot of the tournament `cup`, by name; each has a log of its name in the folder."""
    address = {"RUMBLE_SERVER": f"127.0.0.1:{server.port}", "RUMBLE_JOIN": "cup"}
    environment = clean_environment(folder, {**address, "RUMBLE_STATE_DIR": str(folder / "state")})
    return [
        stack.enter_context(running([*RUMBLE, "bridge", "--name", name, *rest], environment, folder / f"{name}.log"))
        for name, rest in commands.items()
    ]


@contextmanager
def frozen(process: subprocess.Popen[Any]) -> Iterator[None]:
    """Stop a process during a block."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def announcement(process: subprocess.Popen[str], log: Path) -> str:
    """Return the output of a server up to the line that tells that the server is ready."""
    assert process.stdout is not None
    printed = ""
    for line in process.stdout:
        printed += line
        if line.startswith("listening on "):
            return printed
    raise AssertionError(f"the server did not start: {printed}{log.read_text()}")


def announced_port(process: subprocess.Popen[str], log: Path) -> int:
    """Return the port that a server prints when it is ready."""
    (port,) = re.findall(r"^listening on \S+ port (\d+);", announcement(process, log), re.MULTILINE)
    return int(port)
