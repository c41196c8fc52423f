"""A process that `--workers` starts: it runs `rumble` as one worker, and ends when its standard input does."""

import sys

from rumble_server.cli.main import run
from rumble_server.cli.support import workers
from rumble_server.cli.support.bot_process import end_with_parent

if __name__ == "__main__":
    end_with_parent()
    _, workers.own, *args = sys.argv
    sys.exit(run(args))
