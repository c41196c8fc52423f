"""A reader of our pages: saves their programs, types their commands unchanged, and checks every effect."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
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

Effect = Callable[["Reader", re.Match[str], str], None]


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
            self._see(line)

    def _see(self, line: str) -> None:
        for pattern, effect in EFFECTS.items():
            if match := re.fullmatch(pattern, line):
                return effect(self, match, self._run(line))
        raise AssertionError("nothing says what this command does")

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


@contextmanager
def a_reader(folder: Path) -> Iterator[Reader]:
    """Yield a reader, whose processes end with the block."""
    with ExitStack() as stack:
        yield Reader(folder, stack)


# --- what the commands do, and print ---


def _created(reader: Reader, match: re.Match[str], _: str) -> None:
    view = reader.view(match[1])
    assert view["game"] == match[2]
    assert view["status"] == "lobby"


def _has_house(reader: Reader, match: re.Match[str], _: str) -> None:
    names = [each["name"] for each in reader.view(match[1])["entrants"]]
    assert len([name for name in names if match[2] in name]) == int(match[3] or 1), names


def _started(reader: Reader, match: re.Match[str], _: str) -> None:
    assert reader.view(match[1])["status"] in ("running", "finished")


def _has_club(reader: Reader, match: re.Match[str], printed: str) -> None:
    clubs = httpx.get(f"{reader.url}/api/clubs").raise_for_status().json()["clubs"]
    assert (match[1], match[2]) in [(each["name"], each["title"]) for each in clubs]


def _has_club_token(reader: Reader, match: re.Match[str], printed: str) -> None:
    club = f"{reader.url}/c/{match[1]}"
    found = re.search(r"\S{24,}", printed.replace(club, ""))
    assert found, printed
    shown = {"Authorization": f"Bearer {found[0]}"}
    answer = httpx.get(f"{club}/api/host/tokens", headers=shown).raise_for_status().json()
    assert match[2] in [each["name"] for each in answer["tokens"]]


def _wrote(reader: Reader, match: re.Match[str], _: str) -> None:
    assert (reader.folder / match[1]).stat().st_size > 0


def _exported(reader: Reader, match: re.Match[str], printed: str) -> None:
    document = json.loads((reader.folder / match[2]).read_text())
    assert len(document["matches"]) == reader.view(match[1])["matches_total"] > 0


def _invited(reader: Reader, match: re.Match[str], printed: str) -> None:
    assert "choose-a-code" in printed
    assert f"/tournaments/{match[1]}" in printed
    assert (reader.folder / match[2]).read_text().lstrip().startswith("<")


def _showed(reader: Reader, match: re.Match[str], printed: str) -> None:
    view = reader.view(match[1])
    assert view["status"] == "finished"
    assert all(row["name"] in printed for row in view["standings"]), printed


def _audited(reader: Reader, match: re.Match[str], printed: str) -> None:
    """Check the audit and its table. On a busy machine bots may wait; no other complaint is allowed."""
    waits, _, table = printed.partition("\nname ")
    assert all(" waited " in line for line in waits.splitlines()[1:]), printed
    assert all(row["name"] in table for row in reader.view(match[1])["standings"]), printed


def prints(*parts: str) -> Effect:
    """Return an effect that expects all of these texts in the command's output."""

    def effect(_: Reader, __: re.Match[str], printed: str) -> None:
        assert [part for part in parts if part not in printed] == [], printed

    return effect


EFFECTS: dict[str, Effect] = {
    r"rumble --version": prints("rumble", "."),
    r"rumble demo": prints("page: http://127.0.0.1:", "finished after 42 matches", "streetwise"),
    r"rumble tournament create (\S+) --game (\S+).*": _created,
    r"rumble tournament house (\S+) (\S+)(?: --count (\d+))?.*": _has_house,
    r"rumble tournament start (\S+).*": _started,
    r"rumble (?:watch|tournament standings) (\S+)": _showed,
    r"rumble tournament audit (\S+)": _audited,
    r"rumble tournament export (\S+) --out (\S+).*": _exported,
    r"rumble tournament export \S+ --format \S+ --out (\S+)": _wrote,
    r"rumble tournament invite (\S+) --qr (\S+).*": _invited,
    r"rumble (?:standings|ratings) \S+\.(?:json|trf).*": prints("minimax", "heuristic"),
    r"rumble replay \S+": prints("minimax", "ply"),
    r'rumble club create (\S+) --title "(.*)" --listed': _has_club,
    r"rumble club token (\S+) (\S+)": _has_club_token,
    r"rumble new (\S+) --language \S+.*": _wrote,
    r"rumble practice .*": prints("1 of 1 played to the end"),
    r"rumble check .*": prints("passed"),
    r"rumble battle .*": prints("wins", "draws", "losses"),
    r"rumble ask winner .*": prints("move 7"),
    r"rumble ask .*--show-cache 5": prints("move", "cached positions", "(5 shown)"),
    r"rumble ask .*": prints("move", "score"),
}
