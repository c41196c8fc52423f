"""A server on one machine and bots on another, with commands copied from the server's output and no others."""

import contextlib
import html
import json
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.namespaces import SERVER, Machine, two_machines
from tests.e2e.processes import PATIENCE_S, announcement
from tests.needs import need

pytestmark = pytest.mark.e2e
TOKEN = {"RUMBLE_HOST_TOKEN": "choose-something-long"}


class Class:
    """A teacher at the server's machine, and pupils at another machine."""

    def __init__(self, here: Machine, there: Machine, stack: ExitStack) -> None:
        self.here, self.there = here, there
        self._stack = stack
        self._playing: dict[str, subprocess.Popen[str]] = {}

    def serve(self, command: str) -> str:
        """Start the server as the teacher does; return its output up to the line "listening on"."""
        process = self._stack.enter_context(self.here.leaves_running("teacher", command, TOKEN))
        return announcement(process, self.here.terminal_log("teacher"))

    def teacher(self, command: str) -> str:
        """Run a command in the teacher's second terminal."""
        settings = "".join(f"export {name}={value}; " for name, value in TOKEN.items())
        return self.here.types("teacher", settings + command)

    def opens(self, pupil: str, url: str) -> "Page":
        """Have a pupil open a page."""
        return Page(url, self.there.types(pupil, f"curl --silent --show-error --fail '{url}'"))

    def writes(self, pupil: str, source: str = "def ai(turn):\n    return turn.legal[0]\n") -> None:
        """Have a pupil write the function of a bot, in `mine.py`."""
        (self.there.home(pupil)[0] / "mine.py").write_text(source)

    def plays(self, pupil: str, command: str) -> None:
        """Have a pupil run the copied command of a bot; its last line runs until the tournament is over."""
        self._playing[pupil] = self._stack.enter_context(self.there.leaves_running(pupil, command))

    def ends(self) -> None:
        """Wait for all bots."""
        printed, until = {}, time.monotonic() + 2 * PATIENCE_S
        for pupil, process in self._playing.items():
            with contextlib.suppress(subprocess.TimeoutExpired):  # a process that runs on has no return code
                printed[pupil] = process.communicate(timeout=max(until - time.monotonic(), 0.1))[0]
        for pupil, process in self._playing.items():
            said = printed.get(pupil, "") + self.there.terminal_log(pupil).read_text()
            assert process.returncode in (0, None), f"{pupil}'s bot ended with {process.returncode}: {said}"
            assert process.returncode == 0, f"{pupil}'s bot plays still: {said}"

    def names(self, tournament: str) -> list[str]:
        """Return the bots' names of a tournament that is over, after a check that no bot committed a fault."""
        standings = json.loads(self.teacher(f"rumble tournament standings {tournament} --json"))
        assert standings["status"] == "finished"
        assert [row for row in standings["standings"] if row["faults"] or not row["played"]] == []
        return sorted(row["name"] for row in standings["standings"])


class Page:
    """A page as a pupil sees it."""

    def __init__(self, url: str, source: str) -> None:
        self.url = url
        self.source = source

    def copied(self, kind: str) -> str:
        """Return a command of the page, as its button copies it."""
        (found,) = re.findall(rf'data-command="{kind}"><pre[^>]*><code>(.*?)</code>', self.source, re.DOTALL)
        return html.unescape(re.sub(r"<[^>]+>", "", found)).strip()

    def link(self, path: str) -> str:
        """Return the address behind the page's link to a path."""
        (found,) = set(re.findall(rf'href="({path}[?][^"]*)"', self.source))
        return re.match(r"https?://[^/]+", self.url)[0] + html.unescape(found)  # type: ignore[index]


@pytest.fixture
def school(tmp_path: Path) -> Iterator[Class]:
    need("curl")
    with two_machines(tmp_path) as (here, there), ExitStack() as stack:
        yield Class(here, there, stack)


@pytest.mark.slow
def test_everything_that_the_server_says_works_on_another_machine(school: Class) -> None:
    printed = school.serve("rumble serve --host 0.0.0.0")
    page = re.findall(r"^page +(\S+)", printed, re.MULTILINE)
    assert page == [f"http://{SERVER}:8765/"]
    school.teacher("rumble tournament create lesson --game tictactoe --legs 1 --start-at-bots 6 --invite tell-nobody")
    printed = school.teacher("rumble tournament invite lesson")
    (link,) = re.findall(r"https?://\S+/tournaments/\S+", printed)
    assert link.startswith(page[0])
    school.writes("host's friend")
    school.plays("host's friend", re.findall(r"^command +(.*)", printed, re.MULTILINE)[0])
    first, second = school.opens("ann", link), school.opens("bob", link)
    assert first.copied("join") != second.copied("join"), "each has a name of their own"
    school.writes("bob")
    school.plays("bob", second.copied("join"))
    for pupil, kind in (("cid", "bare"), ("dot", "reference")):
        write = school.opens(pupil, school.opens(pupil, link).link("/write"))
        school.plays(pupil, write.copied(kind))
    write = school.opens("eve", school.opens("eve", link).link("/write"))
    function = re.findall(r"<code>(import random\n.*?)</code>", write.source, re.DOTALL)[0]
    school.writes("eve", html.unescape(function))
    school.plays("eve", write.copied("function"))
    write = school.opens("fay", school.opens("fay", link).link("/write"))
    commands = school.there.types("fay", write.copied("starter"))
    assert "rumble check " in commands
    school.plays("fay", commands.strip())
    school.ends()
    assert len(set(school.names("lesson"))) == 6
