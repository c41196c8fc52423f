"""Program that ends a PostgreSQL server and removes its folder when the program's parent ends.

    python -m tests.postgres.guard FOLDER

The guard waits for the end of its standard input, which comes even when the parent is killed. The first line of
FOLDER/data/postmaster.pid has the id of the server's process.
"""

import shutil
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil

from tests.waiting import wait_until

PATIENCE_S = 10.0
"""Maximum time in s for the server to end when asked; then the server is killed."""


def server_of(data: Path) -> psutil.Process | None:
    """Return the server's process; None if the process is gone, even if a later process has the same id."""
    with suppress(FileNotFoundError, psutil.NoSuchProcess):
        found = psutil.Process(int((data / "postmaster.pid").read_text().split()[0]))
        return found if found.cwd() == str(data) else None
    return None


def left_of(processes: Iterable[psutil.Process], patience_s: float) -> list[psutil.Process]:
    """Wait until processes have ended, and return the rest. Zombies count as ended."""
    left = list(processes)
    wait_until(lambda: all(map(has_ended, left)), patience_s)
    return [each for each in left if not has_ended(each)]


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
