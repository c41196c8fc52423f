"""Honest bots in a process of their own, who play a tournament during attacks, and checks that they were not harmed.

    python -m tests.hostile.honest URL TOURNAMENT THINK_MS FOLDER NAME...

The program prints the messages to its bots and the duration of each of their moves, as JSON lines. The bots think
THINK_MS for a move until a file `hurry` exists in FOLDER.
"""

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.log_checks import assert_all_played, assert_told_as_logged, numbered
from tests.e2e.processes import PATIENCE_S, clean_environment
from tests.e2e.recording_bot import Frame, RecordingBot
from tests.hostile.target import Target
from tests.simulation.checks.case import Fact

NAMES = tuple(f"honest-{number}" for number in range(1, 7))
KEY = "key-of-the-honest-bots"
THINK_MS, MOVE_MS, BANK_MS = 50, 500, 2_000
MAX_MATCHES = 2
SLACK_MS = 1_000
"""Maximum charge for a move beyond the thinking time measured by its bot, in ms: a busy machine, never a stall."""
LOOKED_AT = 12
"""Number of transcripts that are read at the end."""
ROOT = Path(__file__).parents[2]


@dataclass(slots=True)
class HonestBot(RecordingBot):
    """Prints the duration of each of its moves."""

    asked_at: dict[str, float] = field(default_factory=dict)

    def login_frame(self) -> Frame:
        return {**RecordingBot.login_frame(self), "key": KEY}

    def hear(self, frame: Frame) -> None:
        if frame["type"] == "turn":
            self.asked_at[frame["turn_id"]] = time.monotonic()
        else:
            self.note(frame)

    def move_frame(self, turn: Frame) -> Frame:
        took_s = time.monotonic() - self.asked_at.pop(turn["turn_id"])
        self.note({"type": "moved", "turn_id": turn["turn_id"], "took_ms": round(took_s * 1000)})
        return RecordingBot.move_frame(self, turn)

    def note(self, frame: Frame) -> None:
        print(json.dumps({"bot": self.name, "frame": frame}), flush=True)


class HonestField:
    """The running tournament of the honest bots, as the test sees it."""

    def __init__(self, server: Target, tournament: str, folder: Path, process: "subprocess.Popen[str]") -> None:
        self.server = server
        self.tournament = tournament
        self._folder = folder
        self._process = process
        self._lines = threading.Condition()
        self.frames: list[tuple[str, Frame]] = []
        """The messages to the bots, and the notes of their moves."""
        self._looked_at = 0
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            frame = json.loads(line)
            with self._lines:
                self.frames.append((frame["bot"], frame["frame"]))
                self._lines.notify_all()
        with self._lines:
            self._lines.notify_all()

    def assert_unharmed(self) -> None:
        """Assert that every bot makes a further move, and that nobody was harmed since the last look."""
        with self._lines:
            begin = len(self.frames)
            on = self._lines.wait_for(lambda: self._moved(begin) == set(NAMES) or self._is_over(), PATIENCE_S)
            assert on, f"only {self._moved(begin)} made another move"
        self.assert_nobody_harmed_until_now()

    def assert_nobody_harmed_until_now(self) -> None:
        """The same without waiting for moves."""
        with self._lines:
            new, self._looked_at = self.frames[self._looked_at :], len(self.frames)
        assert_none(harms(new))

    def _moved(self, begin: int) -> set[str]:
        return {bot for bot, frame in self.frames[begin:] if frame["type"] == "moved"}

    def _is_over(self) -> bool:
        return any(frame["type"] == "tournament_over" for _, frame in self.frames)

    def wait_for_turns(self) -> None:
        """Wait until every bot plays."""
        with self._lines:
            assert self._lines.wait_for(lambda: self._moved(0) == set(NAMES), PATIENCE_S), "the honest do not play"

    def finish(self) -> list[Fact]:
        """Play the rest quickly, check results, transcripts and clocks, and return the facts."""
        (self._folder / "hurry").touch()
        assert self._process.wait(PATIENCE_S) == 0
        self._reader.join()
        self.assert_nobody_harmed_until_now()
        facts = numbered(self.server.facts(f"main/{self.tournament}"))
        assert_all_played(facts, NAMES, MAX_MATCHES)
        overs = [fact for fact in facts if fact["fact"] == "match_over"]
        assert {(fact["termination"], tuple(fact["at_fault"])) for fact in overs} == {("normal", ())}
        frames = [frame for _, frame in self.frames]
        assert assert_told_as_logged(frames, facts) == 2 * len(overs)
        assert_none(overcharged(facts, frames))
        for over in overs[:: max(1, len(overs) // LOOKED_AT)]:
            assert_complete(self.server.transcript(over["match"]), over["moves"])
        return facts


def assert_none(problems: Iterator[str]) -> None:
    found = list(problems)
    assert not found, "\n".join(found[:10])


def harms(frames: list[tuple[str, Frame]]) -> Iterator[str]:
    """Name the messages that an honest bot should not have got."""
    for bot, frame in frames:
        kind = frame["type"]
        if kind in ("error", "rejected") or (kind == "notice" and frame["code"] != "paused"):
            yield f"{bot} was told {frame}"
        elif kind == "match_start" and frame["resumed"]:
            yield f"{bot} lost its connection in {frame['match']}"
        elif kind == "match_over" and frame["termination"] != "normal":
            yield f"{bot} was told {frame['termination']}: {frame['reason']}"


def overcharged(facts: list[Fact], frames: list[Frame]) -> Iterator[str]:
    """Name the moves whose charge exceeds the thinking time measured by their bots."""
    took_ms = {frame["turn_id"]: frame["took_ms"] for frame in frames if frame["type"] == "moved"}
    controls = {fact["match"]: fact["time_control"] for fact in facts if fact["fact"] == "match_started"}
    banks: dict[tuple[str, int, int], int] = defaultdict(lambda: BANK_MS)
    for fact in facts:
        if fact["fact"] == "move_made":
            seat = fact["match"], fact["attempt"], fact["seat"]
            from_bank_ms, banks[seat] = banks[seat] - fact["bank_ms"], fact["bank_ms"]
            if from_bank_ms > max(0, took_ms[fact["turn_id"]] + SLACK_MS - controls[fact["match"]]["move_ms"]):
                yield f"{fact['match']}, ply {fact['ply']}: {from_bank_ms} ms; it took {took_ms[fact['turn_id']]} ms"


def assert_complete(lines: list[dict[str, Any]], moves: list[str]) -> None:
    """Assert that a transcript has every frame of a match with these moves, and a single verdict at its end."""
    frames = [(line["sender"], json.loads(line["frame"])) for line in lines if "frame" in line]
    kinds = [(sender, frame["type"]) for sender, frame in frames]
    assert kinds.count(("server", "match_start")) == kinds.count(("server", "match_over")) == 2
    assert [frame["ply"] for sender, frame in frames if frame["type"] == "turn"] == list(range(len(moves)))
    assert [frame["move"] for sender, frame in frames if sender == "bot"] == moves
    assert [line["verdict"] for line in lines if "verdict" in line] == ["normal"]


@contextmanager
def honest_field(server: Target, folder: Path, *, cycles: int, think_ms: int = THINK_MS) -> Iterator[HonestField]:
    """Play a tournament of honest bots during the block, after a first move of each bot."""
    folder.mkdir()
    tournament = server.create(
        start_at_bots=len(NAMES),
        cycles=cycles,
        openings="none",
        time_control={"move_ms": MOVE_MS, "bank_ms": BANK_MS},
    )
    url = server.server.bot_url
    command = [sys.executable, "-m", "tests.hostile.honest", url, tournament, str(think_ms), str(folder), *NAMES]
    environment = clean_environment(folder)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) as process:
        field = HonestField(server, tournament, folder, process)
        try:
            field.wait_for_turns()
            yield field
        finally:
            process.kill()


async def play(url: str, tournament: str, think_ms: int, folder: Path, names: list[str]) -> None:
    hurry = folder / "hurry"

    def think_s() -> float:
        return 0.0 if hurry.exists() else think_ms / 1000

    async with asyncio.TaskGroup() as playing:
        for name in names:
            bot = HonestBot(url, tournament, name, MAX_MATCHES, think_s)
            bot.heard = bot.hear
            playing.create_task(bot.play())


if __name__ == "__main__":
    asyncio.run(play(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]), sys.argv[5:]))
