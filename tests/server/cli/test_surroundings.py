"""`rumble` without standard streams, in a locale without UTF-8, and on a full disk: a line at most, no traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(sys.platform == "win32", reason="there is no sh")]

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell, in which `rumble` is this Rumble."""
    line = line.replace("rumble ", f"{sys.executable} -m rumble_server.cli ")
    variables = {**os.environ, "PYTHONUNBUFFERED": "", **environment}  # some machines set PYTHONUNBUFFERED, most do not
    return subprocess.run(["sh", "-c", line], env=variables, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("line", "code", "error"),
    [
        ("rumble games >&-", 0, ""),
        ("rumble games >&- 2>&-", 0, ""),
        ("rumble nothing 2>&-", 2, ""),
        ("rumble ratings - <&-", 0, ""),
        ("rumble --help <&- >&-", 0, ""),
        ("rumble games > /dev/full", 1, "rumble: [Errno 28] No space left on device\n"),
    ],
)
@pytest.mark.slow
def test_streams_that_are_closed_or_full(line: str, code: int, error: str) -> None:
    if "/dev/full" in line and not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    done = shell(line)
    assert (done.returncode, done.stderr) == (code, error)


@pytest.mark.slow
def test_any_text_is_written_in_any_locale(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text("first,second,score\nZoë,ben,1\nben,Zoë,0.5\n", "utf-8")
    done = shell(f"rumble ratings {file}", **ASCII)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Zo\\xeb" in done.stdout
