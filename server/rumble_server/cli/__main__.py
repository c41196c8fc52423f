"""The process of `rumble`: prepares the standard streams and the signal SIGINT before commands are imported."""

import codecs
import io
import os
import signal
import sys
from typing import NoReturn

STREAMS = {"stdin": "r", "stdout": "w", "stderr": "w"}
"""Mode for opening a standard stream, keyed by the stream's name, in the order of the file descriptors 0, 1 and 2."""
PLAIN = {"±": "+-", "…": "..."}
"""ASCII text for each non-ASCII sign that Rumble prints, for streams that cannot encode the sign."""


def main() -> NoReturn:
    """Run the console script."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends the process at once, until the commands are imported
    open_streams()
    from rumble_server.cli.main import run
    from rumble_server.cli.output.errors import ExitCode

    code: int = ExitCode.INTERRUPTED
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = run()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a SIGINT during Python's exit would show a traceback
    except KeyboardInterrupt:  # a second SIGINT, while the first is being handled
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


def open_streams() -> None:
    """Open each closed standard stream on the null device. Make output streams escape characters they cannot encode."""
    codecs.register_error("rumble", _in_ascii)
    for descriptor, (name, mode) in enumerate(STREAMS.items()):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # the lowest free descriptor, which is `descriptor`, is opened
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8", closefd=False))
        stream = getattr(sys, name)
        if mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="rumble")


def _in_ascii(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeEncodeError) and error.object[error.start] in PLAIN:
        return PLAIN[error.object[error.start]], error.start + 1
    return codecs.backslashreplace_errors(error)


if __name__ == "__main__":
    main()
