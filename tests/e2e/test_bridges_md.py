"""The commands of docs/BRIDGES.md are run, or at least parsed."""

import re
import shlex
from pathlib import Path

import pytest

from tests.command_line import parse_all
from tests.e2e.processes import clean_environment, path_with_programs, typed_here

PAGE = (Path(__file__).parents[2] / "docs" / "BRIDGES.md").read_text(encoding="utf-8")


def blocks(marker: str) -> list[str]:
    """Return the fenced blocks that follow `<!-- marker -->`."""
    return re.findall(rf"<!-- {marker} -->\n```sh\n(.*?)```", PAGE, re.DOTALL)


def test_every_command_is_tested() -> None:
    assert PAGE.count("```sh") == len(blocks("run")) + len(blocks("parse"))


def test_commands_for_a_server_are_commands_of_ours() -> None:
    parse_all(line for block in blocks("parse") for line in block.splitlines())


@pytest.mark.e2e
@pytest.mark.parametrize("block", blocks("run"))
@pytest.mark.slow
def test_a_command_that_needs_nothing_else_plays_to_the_end(block: str, tmp_path: Path) -> None:
    path = path_with_programs(tmp_path / "programs")
    environment = clean_environment(tmp_path, {"RUMBLE_STATE_DIR": str(tmp_path), "PATH": path})
    program, *arguments = shlex.split(block)
    assert program == "rumble"
    done = typed_here(arguments, environment, tmp_path)
    assert done.code == 0, done
    assert done.out.endswith("note   1 of 1 played to the end\n")
