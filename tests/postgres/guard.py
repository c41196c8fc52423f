"""Ends a PostgreSQL server and removes its folder when whoever started this program ends.

    python -m tests.postgres.guard FOLDER

It waits for the end of its standard input, which comes even when the other side is killed. The server's process is in
the first line of FOLDER/data/postmaster.pid.
"""

import shutil
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil

PATIENCE_S = 10.0
"""Time in s that the server has to end when asked; then it is killed."""

PAUSE_S = 0.01
"""How often it is looked whether processes have ended, in s."""


def server_of(data: Path) -> psutil.Process | None:
    """Return the server's process; None if there is none, such as after a kill, when another may have its number."""
    with suppress(FileNotFoundError, psutil.NoSuchProcess):
        found = psutil.Process(int((data / "postmaster.pid").read_text().split()[0]))
        return found if found.cwd() == str(data) else None
    return None


def left_of(processes: Iterable[psutil.Process], patience_s: float) -> list[psutil.Process]:
    """Wait until processes have ended, and return those that have not. One that nobody has collected yet has ended."""
    until_s = time.monotonic() + patience_s
    while (left := [each for each in processes if not has_ended(each)]) and time.monotonic() < until_s:
        time.sleep(PAUSE_S)
    return left


def has_ended(process: psutil.Process) -> bool:
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def main() -> None:
    folder = Path(sys.argv[1])
    sys.stdin.read()
    if server := server_of(folder / "data"):
        family = [server, *server.children()]
        for process in family:
            process.resume()
        server.send_signal(signal.SIGQUIT)
        for process in left_of(family, PATIENCE_S):
            process.kill()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
