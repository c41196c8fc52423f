"""Small programs to bridge: each a few lines of Python that start in no time."""

import sys
from pathlib import Path

from rumble_bots.bridges.dialogue import Dialogue
from rumble_bots.bridges.program import Launch
from rumble_bots.bridges.stderr_file import StderrFile
from rumble_bots.bridges.stdio import BareStdio

FIRST = "for line in sys.stdin: print(line.split()[0], flush=True)"
"""Answers legal moves with the first."""
HANGS = "for line in sys.stdin: time.sleep(60)"
CRASHES = "print('boom', file=sys.stderr, flush=True); sys.stdin.readline(); sys.exit(3)"


def command(code: str) -> list[str]:
    """The command of a program."""
    return [sys.executable, "-S", "-E", "-c", f"import os, sys, time\n{code}"]


def once(flag: Path, first: str, then: str) -> str:
    """A program that is another one from its second start on."""
    return f"""
if os.path.exists({str(flag)!r}):
    {then}
else:
    open({str(flag)!r}, "w").close()
    {first}
"""


def launch(folder: Path, code: str, dialogue: type[Dialogue] = BareStdio) -> tuple[Launch, list[str]]:
    """How to start the program, and what is said to its owner."""
    said: list[str] = []
    return Launch(command(code), dialogue, StderrFile(folder / "log" / "err.log"), said.append), said
