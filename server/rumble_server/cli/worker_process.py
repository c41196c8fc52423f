"""A process started by `--workers`: runs `rumble` as a worker, and ends when its standard input ends."""

import sys

from rumble_server.cli.main import run
from rumble_server.cli.processes import workers
from rumble_server.cli.processes.bot_process import end_with_parent

if __name__ == "__main__":
    end_with_parent()
    _, workers.own, *args = sys.argv
    sys.exit(run(args))
