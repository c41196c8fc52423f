"""The scripts of a zip: `run.bat` is read here, and never run."""

import re
import subprocess
from pathlib import Path

import pytest
from rumble_server.starters.scripts import LAUNCHES, Launch
from rumble_server.starters.starter import Language

ALL = pytest.mark.parametrize("launch", LAUNCHES.values(), ids=LAUNCHES)
BATCHES = {language: launch.batch for language, launch in LAUNCHES.items() if launch.batch is not None}


@pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES)
def test_a_batch_file_is_in_the_form_that_windows_needs(batch: str) -> None:
    assert batch.isascii()
    lines = batch.split("\r\n")
    assert "\n" not in "".join(lines)
    jumps = set(re.findall(r"goto (\w+)", batch))
    assert jumps == {line[1:] for line in lines if line.startswith(":")}
    assert [line for line in lines if "%~dp0" in line] == ['pushd "%~dp0"'], "a path may have any characters"
    assert lines[-2:] == ["pause", ""]
    assert "if not exist key.json goto packed" in lines


def test_only_the_shell_bot_has_no_batch_file() -> None:
    assert set(LAUNCHES) - set(BATCHES) == {Language.SHELL}


def test_on_windows_the_launcher_of_python_is_tried_first() -> None:
    batch = BATCHES[Language.PYTHON]
    assert re.findall(r'set "RUN=(.*)"', batch) == ["py -3", "python"]
    assert batch.count(LAUNCHES[Language.PYTHON].question) == 2


@ALL
def test_a_tool_that_is_missing_or_silent_is_named(launch: Launch, tmp_path: Path) -> None:
    """A silent program is like Windows' stub of the Store, and like a tool that is too old."""
    (tmp_path / "run.sh").write_text(launch.shell)
    (tmp_path / "dirname").symlink_to("/usr/bin/dirname")
    silent = tmp_path / launch.program
    for _ in range(2):
        done = subprocess.run(
            ["/bin/sh", "run.sh"], cwd=tmp_path, env={"PATH": str(tmp_path)}, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (1, f"This bot needs {launch.needs}.\n")
        silent.write_text("#!/bin/sh\n")
        silent.chmod(0o755)
