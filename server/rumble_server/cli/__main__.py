"""The process of `rumble`, with a Ctrl-C that never shows a traceback."""

import signal
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the console script."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends the process while the commands are still being imported
    from rumble_server.cli.main import run
    from rumble_server.cli.support.errors import ExitCode

    code: int = ExitCode.INTERRUPTED
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = run()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Python shows a traceback for one that comes while it ends
    except KeyboardInterrupt:  # a second one, while the first was answered
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


if __name__ == "__main__":
    main()
