"""Small programs to bridge: a few lines of Python each, which start fast."""

import sys
import time
from pathlib import Path

from rumble_bots.bridges.dialogue import Dialogue
from rumble_bots.bridges.program import Launch
from rumble_bots.bridges.stderr_file import StderrFile
from rumble_bots.bridges.stdio import BareStdio
from rumble_bots.sdk.bot import Turn

from tests.bots.bridges.talking import turn

FIRST = "for line in sys.stdin: print(line.split()[0], flush=True)"
"""Answers with the first legal move."""
HANGS = "for line in sys.stdin: time.sleep(60)"
CRASHES = "print('boom', file=sys.stderr, flush=True); sys.stdin.readline(); sys.exit(3)"


def command(code: str) -> list[str]:
    """Return the command of a program."""
    return [sys.executable, "-S", "-E", "-c", f"import os, sys, time\n{code}"]


def once(flag: Path, first: str, then: str) -> str:
    """Return a program that runs `first` at its first start, and `then` at later starts."""
    return f"""
if os.path.exists({str(flag)!r}):
    {then}
else:
    open({str(flag)!r}, "w").close()
    {first}
"""


def launch(folder: Path, code: str, dialogue: type[Dialogue] = BareStdio) -> tuple[Launch, list[str]]:
    """Return the launch of a program, and the list of lines for its owner."""
    said: list[str] = []
    return Launch(command(code), dialogue, StderrFile(folder / "log" / "err.log"), said.append), said


def asked(moves: str = "4", *, remaining_ms: int = 20_000, match: str = "m") -> Turn:
    return turn("tictactoe", moves, remaining_ms=remaining_ms, match=match, now=time.monotonic)
