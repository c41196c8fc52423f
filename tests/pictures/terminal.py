"""The terminal recording of the README: `python -m tests.pictures.terminal`

The script runs `rumble demo` on a pseudo terminal, and draws the output as docs/images/demo.svg, a moving picture
without scripts or fonts of its own. Where a reader wants no motion, the picture shows only the last frame.
"""

import codecs
import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.e2e.processes import PATIENCE_S, RUMBLE, clean_environment

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "demo.svg"
COLUMNS, ROWS = 90, 17
KEY_S, BEFORE_ENTER_S = 0.08, 0.5
"""Time in s per typed letter, and pause in s before Enter."""
SHORTEST_MS, LONGEST_MS, LAST_MS = 150, 1200, 6000
"""Minimum and maximum time in ms that a frame is shown, and time in ms of the last frame."""
STILL = """
@media (prefers-reduced-motion: reduce) {
  #screen_view {animation-play-state: paused; animation-delay: calc(1ms - var(--animation-duration))}
}
"""

Event = tuple[float, str, str]
"""Line of a recording in asciinema's format: a time in s, `o` for output, the text."""


def typed(command: str) -> list[Event]:
    """Return the events of typing a command."""
    keys = [(round(0.5 + KEY_S * number, 3), "o", key) for number, key in enumerate(command)]
    return [(0.0, "o", "$ "), *keys, (round(keys[-1][0] + BEFORE_ENTER_S, 3), "o", "\r\n")]


def printed(command: Sequence[str], environment: dict[str, str], last: str) -> Iterator[Event]:
    """Run a command on a pseudo terminal; yield its output up to the text `last`, and end the command by Ctrl-C."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    start, decoder, output = time.monotonic(), codecs.getincrementaldecoder("utf-8")(), ""
    on_terminal = [sys.executable, "-c", "import os, sys; os.login_tty(0); os.execvp(sys.argv[1], sys.argv[1:])"]
    with subprocess.Popen([*on_terminal, *command], env=environment, stdin=its, stdout=its, stderr=its) as process:
        os.close(its)
        try:
            while last not in output:
                text = decoder.decode(os.read(ours, 65536))
                output += text
                yield round(time.monotonic() - start, 3), "o", text
            os.write(ours, b"\x03")
            process.wait(PATIENCE_S)
        except OSError as error:
            raise AssertionError(f"it ended without {last!r}: {output}") from error
        finally:
            process.kill()
            os.close(ours)


def draw(events: Sequence[Event], picture: Path) -> None:
    """Draw a recording as an animated SVG."""
    with tempfile.TemporaryDirectory(prefix="rumble-") as folder:
        cast = Path(folder, "cast")
        head = {"version": 2, "width": COLUMNS, "height": ROWS}
        cast.write_text("".join(f"{json.dumps(line)}\n" for line in (head, *events)), encoding="utf-8")
        limits = ["-m", str(SHORTEST_MS), "-M", str(LONGEST_MS), "-D", str(LAST_MS), "-t", "window_frame"]
        command = [sys.executable, "-m", "termtosvg", "render", str(cast), str(picture), *limits]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
    before, end, after = picture.read_text(encoding="utf-8").rpartition("</style>")
    picture.write_text(f"{before}{STILL}{end}{after}", encoding="utf-8")


def record(arguments: Sequence[str], last: str, picture: Path) -> None:
    """Record a command of `rumble` until it has printed `last`, and draw it."""
    events = typed(" ".join(["rumble", *arguments]))
    began = events[-1][0]
    with tempfile.TemporaryDirectory(prefix="rumble-") as folder:
        environment = clean_environment(Path(folder), {"TERM": "xterm-256color"})
        output = printed([*RUMBLE, *arguments], environment, last)
        events += [(round(began + at, 3), kind, text) for at, kind, text in output]
    draw(events, picture)


if __name__ == "__main__":
    record(["demo"], "until Ctrl-C", PICTURE)
