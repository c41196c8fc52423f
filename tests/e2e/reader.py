"""A reader of our pages: saves their programs, types their commands unchanged, and looks at what they print."""

import re
import shlex
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from signal import SIGINT
from typing import Any

import httpx

from tests.docs_blocks import ROOT, Block, blocks, commands
from tests.e2e.processes import (
    PATIENCE_S,
    announced_port,
    clean_environment,
    free_port,
    path_with_programs,
    running,
    typed_here,
)

DEFAULT_PORT = "8765"
"""Port in the pages. The reader's server has another port, so that tests may run beside a server."""
SERVER = str(ROOT / "tests" / "e2e" / "house_inside_server.py")
INSTALLS = ("pip install ", "python3 -m venv ", ". .venv", "python -m pytest")
"""Beginnings of commands that `.ci/run` tries; here everything is installed already."""
PLAYS = re.compile(r"rumble (bot|bridge) |python \S+\.py")
"""Commands that last as long as their tournament. The commands of one block run at the same time."""
ONCE = ("rumble demo",)
"""Commands that stand on several pages with the same effect; typed once."""
HERE = re.compile(r"rumble (tournament|club|watch|standings|ratings|replay|new|practice|check|battle|ask) ")
"""Commands to run in this process, which is faster. Other commands run as programs."""


PRINTS = {
    r"rumble demo": ("page: http://127.0.0.1:", "finished after 42 matches", "streetwise"),
    r"rumble (?:standings|ratings) \S+\.(?:json|trf).*": ("minimax", "heuristic"),
    r"rumble replay \S+": ("minimax", "ply"),
    r"rumble practice .*": ("1 of 1 played to the end",),
    r"rumble check .*": ("passed",),
    r"rumble battle .*": ("wins", "draws", "losses"),
    r"rumble ask winner .*": ("move 7",),
    r"rumble ask .*--show-cache 5": ("move", "cached positions", "(5 shown)"),
    r"rumble ask .*": ("move",),
}
"""Texts that a command prints, by the pattern of the command; the first match counts. The commands' own tests prove
their effects."""


class Reader:
    """A reader in a folder like the checkout, with one server once a page has started it."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.port = str(free_port())
        self.url = f"http://127.0.0.1:{self.port}"
        self.folder = folder / "checkout"
        self._stack = stack
        self._seen = set[str]()
        self._server: subprocess.Popen[str] | None = None
        self.folder.mkdir()
        for name in ("bots", "docs", "protocol"):
            (self.folder / name).symlink_to(ROOT / name)
        settings = {"RUMBLE_PORT": self.port, "RUMBLE_SERVER": self.url, "RUMBLE_STATE_DIR": str(folder / "state")}
        self.environment = clean_environment(folder, {"PATH": path_with_programs(folder / "programs"), **settings})

    def view(self, tournament: str) -> Any:
        """Return the API's JSON of a tournament."""
        return httpx.get(f"{self.url}/api/tournaments/{tournament}").raise_for_status().json()

    def read(self, page: Path) -> int:
        """Follow a page block by block, and return the number of typed commands."""
        return sum(self._do(block) for block in blocks(page) if not block.marker.startswith("elsewhere"))

    def _do(self, block: Block) -> int:
        if block.language == "python" and block.marker.endswith(".py") and ":" not in block.marker:
            (self.folder / block.marker).write_text(self._translated(block.text))
        if block.language != "sh":
            return 0
        lines = [line for line in map(self._translated, commands(block)) if not line.startswith(INSTALLS)]
        typed = [line for line in lines if line not in self._seen]
        self._seen.update(line for line in typed if line in ONCE)
        playing: list[tuple[str, subprocess.Popen[str]]] = []
        for line in typed:
            try:
                if PLAYS.match(line):
                    playing.append((line, self._begin(line)))
                else:
                    self._type(line)
            except Exception as error:
                raise AssertionError(f"{block}: {line!r}: {error}") from error
        for line, process in playing:
            printed = process.communicate(timeout=PATIENCE_S)[0]
            assert process.returncode == 0, f"{block}: {line!r} ended with {process.returncode}: {printed}"
            self._has_played(line)
        return len(lines)

    def _translated(self, text: str) -> str:
        return text.replace(DEFAULT_PORT, self.port)

    def _type(self, line: str) -> None:
        if setting := re.fullmatch(r"export (\w+)=(\S+)", line):
            self.environment[setting[1]] = setting[2]
        elif line == "rumble serve":
            self.serve()
        else:
            printed = self._run(line)
            parts = next((parts for pattern, parts in PRINTS.items() if re.fullmatch(pattern, line)), ())
            assert [part for part in parts if part not in printed] == [], printed

    def _run(self, line: str) -> str:
        if HERE.match(line):
            typed = typed_here(shlex.split(line)[1:], self.environment, self.folder)
            assert typed.code == 0, f"it ended with {typed.code}: {typed.out}{typed.err}"
            return typed.out
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=2 * PATIENCE_S,
        )
        assert done.returncode == 0, f"it ended with {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout

    def _begin(self, line: str) -> subprocess.Popen[str]:
        log = self.folder / "played.log"
        return self._stack.enter_context(running(["sh", "-c", f"exec {line}"], self.environment, log))

    def _has_played(self, line: str) -> None:
        """Check that the command's tournament is over, with all matches played and no fault."""
        files = [self.folder / name for name in re.findall(r"^python (\S+\.py)", line)]
        text = " ".join([line, *(file.read_text() for file in files if "import sys" not in file.read_text())])
        found = re.search(r'--join (\S+)|join="(\S+)"|bare_bot\.py \S+ (\S+)', text)
        assert found, f"{line!r} joins nothing"
        view = self.view(next(filter(None, found.groups())))
        assert view["status"] == "finished"
        assert view["matches_over"] == view["matches_total"] > 0
        assert [row for row in view["standings"] if row["faults"]] == []

    def serve(self) -> None:
        """Start the server, with house bots on its own event loop, and wait until it listens.

        A server that already runs is stopped first, as by Ctrl-C.
        """
        if self._server is not None:
            self._server.send_signal(SIGINT)
            self._server.wait(PATIENCE_S)
        log = self.folder / "serve.log"
        process = self._server = self._stack.enter_context(
            running([sys.executable, SERVER, "serve"], self.environment, log)
        )
        assert announced_port(process, log) == int(self.port)
        assert (self.folder / "rumble.db").exists()
