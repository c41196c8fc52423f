"""The commands of docs/BRIDGES.md that need nothing else are run; tests/test_pages.py parses all."""

import shlex
from pathlib import Path

import pytest

from tests.docs_blocks import ROOT, blocks
from tests.e2e.processes import clean_environment, path_with_programs, typed_here

PAGE = ROOT / "docs" / "BRIDGES.md"


@pytest.mark.e2e
@pytest.mark.parametrize("block", [block.text for block in blocks(PAGE) if block.marker == "run"])
@pytest.mark.slow
def test_a_command_that_needs_nothing_else_plays_to_the_end(block: str, tmp_path: Path) -> None:
    path = path_with_programs(tmp_path / "programs")
    environment = clean_environment(tmp_path, {"RUMBLE_STATE_DIR": str(tmp_path), "PATH": path})
    program, *arguments = shlex.split(block)
    assert program == "rumble"
    done = typed_here(arguments, environment, tmp_path)
    assert done.code == 0, done
    assert done.out.endswith("note   1 of 1 played to the end\n")
