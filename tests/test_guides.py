"""Every block of the guides (the first hour, hosting, writing bots) is valid, and their bots play."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rumble_bots import Turn
from rumble_protocol import server_messages as server

from tests.docs_blocks import ROOT, Block, Checks, are_commands, blocks, check_page

DOCS = ROOT / "docs"
GUIDES = {"FIRST_HOUR.md": 9, "HOSTING.md": 6, "BOTS.md": 8}
"""The pages, and how many blocks each has."""


def plays_as_a_function(block: Block) -> None:
    board = "[['X', 'X', 'O'], [None, 'O', None], [None, None, None]]"
    asked = f"{block.text}\nprint(ai({board}, 'X'))"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout
    assert told == "(1, 0)\n"


def plays_as_a_class(block: Block) -> None:
    module: dict[str, Any] = {"__name__": "my_bot"}
    exec(compile(block.text, "my_bot.py", "exec"), module)
    clock = server.TurnClock(remaining_ms=1000, seats_ms=[1000, 1000], lag_ms=0)
    fields: dict[str, Any] = {"match": "m", "attempt": 1, "turn_id": "t", "game": "tictactoe", "clock": clock}
    for board, ply, answer in (("XX.OO....", 4, "2"), (".XXOO....", 4, "0"), (".........", 0, "0")):
        legal = [str(square) for square in range(9) if board[square] == "."]
        message = server.Turn(ply=ply, seat=0, state={"board": board}, legal=legal, moves=[], **fields)
        assert module["Careful"]().choose(Turn.of(message, None, lambda: 0.0)) == answer


CHECKS: Checks = {
    "mine.py": plays_as_a_function,
    "my_bot.py": plays_as_a_class,
    "elsewhere: it needs Docker": lambda block: None,  # tests/e2e/test_compose.py starts it
    "elsewhere: it needs a compiler": lambda block: None,  # `nox -s compiled` does what it says
    "sh": are_commands("python3", "python", ".", "pip", "export"),
}


@pytest.mark.parametrize("name", GUIDES)
def test_every_block_is_what_it_claims(name: str) -> None:
    assert check_page(DOCS / name, CHECKS) == GUIDES[name]


@pytest.mark.parametrize("name", GUIDES)
def test_links_lead_somewhere(name: str) -> None:
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", (DOCS / name).read_text(encoding="utf-8"))]
    assert [link for link in links if not (DOCS / link).exists()] == []


def test_each_section_has_a_tournament_of_its_own() -> None:
    sections = [
        set(re.findall(r"rumble tournament create (\S+)", section))
        for name in (*GUIDES, "BRIDGES.md", "../protocol/PROTOCOL.md")
        for section in re.split(r"^## ", Path(DOCS, name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    ]
    created = [tournament for section in sections for tournament in section]
    assert len(created) == len(set(created)) >= 10


def test_a_tournament_is_used_in_the_section_that_creates_it() -> None:
    for name in GUIDES:
        created: set[str] = set()
        for block in blocks(DOCS / name):
            created |= set(re.findall(r"tournament create (\S+)", block.text))
            used = re.findall(r'--join (\S+)|join="(\S+)"|tournament (?:start|house|invite|export) (\S+)', block.text)
            later = "".join(other.text for other in blocks(DOCS / name) if other.line > block.line)
            for each in filter(None, (word for words in used for word in words)):
                assert each in created or f"tournament create {each} " in later, f"{block}: there is no {each}"
