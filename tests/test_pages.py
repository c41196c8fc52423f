"""Every code block of every page of the site is valid; the guides' bots play tournaments that belong to each guide."""

import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from rumble_bots import Turn
from rumble_bots.functions.local import FunctionBot
from rumble_bots.reference.battle import battle
from rumble_engine import get_game
from rumble_protocol import server_messages as server
from rumble_protocol.feed_messages import FEED_EVENTS
from rumble_protocol.fields import MoveInfo
from rumble_server.results.results_file import read_results

from tests.command_line import unknown_names
from tests.docs_blocks import (
    ROOT,
    Block,
    Checks,
    are_commands,
    blocks,
    check_page,
    is_a_drawing,
    is_file,
    is_part_of_a_file,
)
from tests.test_repository import repository_files

README = ROOT / "README.md"
WORDS_A_MINUTE = 240
"""Words of English prose that adults read silently per minute: 238 on average (Brysbaert, 2019)."""


def plays_as_a_function(block: Block) -> None:
    board = "[['X', 'X', 'O'], [None, 'O', None], [None, None, None]]"
    asked = f"{block.text}\nprint(ai({board}, 'X'))"
    printed = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout
    assert printed == "(1, 0)\n"


def plays_as_a_class(block: Block) -> None:
    module: dict[str, Any] = {"__name__": "my_bot"}
    exec(compile(block.text, "my_bot.py", "exec"), module)
    clock = server.TurnClock(remaining_ms=1000, seats_ms=[1000, 1000], lag_ms=0)
    fields: dict[str, Any] = {"match": "m", "attempt": 1, "turn_id": "t", "game": "tictactoe", "clock": clock}
    for board, ply, answer in (("XX.OO....", 4, "2"), (".XXOO....", 4, "0"), (".........", 0, "4")):
        legal = [str(square) for square in range(9) if board[square] == "."]
        message = server.Turn(ply=ply, seat=0, state={"board": board}, legal=legal, moves=[], **fields)
        assert module["Careful"]().choose(Turn.of(message, None, lambda: 0.0)) == answer
    with TemporaryDirectory() as folder:
        file = Path(folder, "my_bot.py")
        file.write_text(block.text)
        careful = partial(FunctionBot, text=f"{file}:Careful", game="connect4")
        assert battle(careful, "random", get_game("connect4"), 40, opening=2).score >= 36, "it is a better one"


def is_a_file_of_tables(block: Block) -> None:
    assert [result.places for result in read_results(block.text).tables] == [(1, 3, 2, 4), (1, 2, 2)]


def says_what_it_thinks(block: Block) -> None:
    module: dict[str, Any] = {"__name__": "thinker"}
    exec(compile(block.text, "thinker.py", "exec"), module)
    answer = module["Thinker"]().choose(Turn.at(get_game("tictactoe").initial(), "tictactoe", 1000))
    assert (answer, answer.note) == ("0", "the first will do")
    assert MoveInfo.model_validate(answer.info).model_dump() == answer.info


def is_a_session_at_a_terminal(block: Block) -> None:
    typed = "".join(line for line in block.text.splitlines(keepends=True) if line.startswith("$ "))
    names_files(replace(block, text=typed))
    are_commands("pip", "python")(replace(block, text=typed))


def names_files(block: Block) -> None:
    """Check that the paths of a block exist."""
    paths = re.findall(r"^\S+/(?=\s)|(?<= )(?:tests|docs)/\S+", block.text, re.MULTILINE)
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def names_files_and_runs(block: Block) -> None:
    names_files(block)
    are_commands("python3", ".", "pip", "python", "nox", ".ci/run")(block)


def is_a_line_of_an_event(block: Block) -> None:
    """Check a line of Server-Sent Events: its field, and the name of its event."""
    field, value = block.text.strip().split(": ", 1)
    assert field in ("retry", "id", "event", "data")
    kinds = {str(event.model_fields["type"].default) for event in FEED_EVENTS}
    assert field not in ("event", "data") or re.sub(r'.*"type":"(\w+)"}$', r"\1", value) in kinds


def is_the_bare_bot(block: Block) -> None:
    is_file(block)
    assert f"## A bot in {len(block.text.splitlines())} lines\n" in README.read_text(encoding="utf-8")


GUIDE: Checks = {
    "mine.py": plays_as_a_function,
    "my_bot.py": plays_as_a_class,
    "thinker.py": says_what_it_thinks,
    "elsewhere: it needs Docker": lambda block: None,  # tests/e2e/test_compose.py starts it
    "sh": are_commands("python3", "python", ".", "pip", "export"),
    "csv": is_a_file_of_tables,
}
PAGES: dict[str, tuple[int, Checks]] = {
    "README.md": (4, {"file:": is_the_bare_bot, "sh": are_commands("pip", "python")}),
    "docs/FIRST_HOUR.md": (10, GUIDE),
    "docs/HOSTING.md": (13, GUIDE),
    "docs/BOTS.md": (11, GUIDE),
    "docs/RULES.md": (0, GUIDE),
    "docs/BRIDGES.md": (
        8,
        {"parse": are_commands(), "run": lambda block: None},
    ),  # tests/e2e/test_bridges_md.py runs it
    "docs/games.md": (5, {"part of:": is_part_of_a_file, "console": is_a_session_at_a_terminal, "sh": are_commands()}),
    "docs/FEED.md": (7, {"": is_a_line_of_an_event}),
    "docs/ARCHITECTURE.md": (1, {"": is_a_drawing}),
    **{f"docs/architecture/{path.name}": (0, {}) for path in (ROOT / "docs" / "architecture").glob("*.md")},
    "docs/HOW_TO_ADD.md": (4, {"adding": names_files_and_runs}),
    "CONTRIBUTING.md": (2, {"sh": names_files_and_runs, "text": names_files}),
    "docs/api/sdk.md": (0, {}),
    "docs/api/engine.md": (0, {}),
    "bots/README.md": (0, {}),
    "benchmarks/README.md": (0, {}),
    "SECURITY.md": (0, {}),
    "CHANGELOG.md": (0, {}),
}
"""Pages of the site, with the number of blocks and the checks of each page."""
ELSEWHERE = {
    "docs/OPERATING.md": "tests/test_operating.py",
    "docs/CLUSTER.md": "tests/e2e/test_cluster_md.py",
    "protocol/PROTOCOL.md": "tests/protocol/test_protocol_md_blocks.py",
    "protocol/examples/README.md": "tests/protocol/test_protocol_md_blocks.py",
}
"""Pages whose blocks have their own test."""
ADDED = {"A game": "breakthrough", "A tournament format": "gauntlet", "A command of `rumble`": "token"}
"""Names of things that are in the repository, for the paths with a NAME in sections of HOW_TO_ADD.md."""
GUIDES = [page for page, (_, checks) in PAGES.items() if checks is GUIDE]


@pytest.mark.parametrize("page", PAGES)
def test_every_block_passes_its_check(page: str) -> None:
    number, checks = PAGES[page]
    assert check_page(ROOT / page, checks) == number


def test_the_gate_runs_the_demo_and_the_tests_as_the_readme_has_them() -> None:
    typed = {block.marker: block.text for block in blocks(README) if block.marker in ("demo", "tests")}
    assert typed == {
        "demo": "pip install . && rumble demo\n",
        "tests": "pip install -e '.[test]' && python -m pytest\n",
    }
    gate = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert [gate.count(f'.ci/bare "{text.strip()}" || failed=$?') for text in typed.values()] == [1, 1]


def test_the_readme_is_read_in_two_minutes() -> None:
    text = README.read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```|\]\([^)]*\)|<!--.*?-->", " ", text, flags=re.DOTALL)
    assert len(re.findall(r"\w+", prose)) <= 2 * WORDS_A_MINUTE


def test_every_page_of_the_site_is_checked() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2].partition("\n\n")[0]
    assert set(re.findall(r": (\S+\.md)$", navigation, re.MULTILINE)) == set(PAGES) | set(ELSEWHERE)
    for page, test in ELSEWHERE.items():
        text = (ROOT / test).read_text(encoding="utf-8")
        assert Path(page).name in text or "protocol_md import PATH" in text


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\((?![a-z]+:)([^)#]+)", (ROOT / page).read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


def test_every_file_that_how_to_add_names_is_there() -> None:
    page = (ROOT / "docs" / "HOW_TO_ADD.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:engine|protocol|server|bots|tests|docs|benchmarks)/[\w./]+)`", page)
    assert [path for path in named if "NAME" not in path and not (ROOT / path).exists()] == []
    within = re.findall(r"`(\w+)`\s+in\s+`([\w/]+\.py)`", page)
    assert len(within) > 10
    assert [(word, path) for word, path in within if not re.search(rf"\b{word}\b", (ROOT / path).read_text())] == []


def test_a_path_with_a_name_leads_to_a_module_added_in_this_way() -> None:
    page = (ROOT / "docs" / "HOW_TO_ADD.md").read_text(encoding="utf-8")
    named = {
        title: re.findall(r"`([\w./]*NAME[\w./]*\.py)`", section)
        for title, _, section in (section.partition("\n") for section in page.split("\n## ")[1:])
    }
    assert {title for title, paths in named.items() if paths} == set(ADDED)
    paths = [path.replace("NAME", name) for title, name in ADDED.items() for path in named[title]]
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize(
    "page", ["docs/HOW_TO_ADD.md", *(page for page in PAGES if page.lower().startswith("docs/architecture"))]
)
def test_files_and_folders_that_the_page_names_are_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|js|yml|toml|md)|(?:[\w.-]+/)+[\w-]*)`", text)
    files = [f"/{path.relative_to(ROOT).as_posix()}" for path in repository_files()]
    assert named
    names = [name.rstrip("/") for name in named if "NAME" not in name]
    assert [each for each in names if not any(f"/{each}/" in f"{file}/" for file in files)] == []


@pytest.mark.parametrize(
    "page", [*GUIDES, "README.md", "docs/BRIDGES.md", "docs/HOW_TO_ADD.md", "docs/games.md", "bots/README.md"]
)
def test_commands_that_the_text_mentions_exist(page: str) -> None:
    mentioned = re.findall(r"`(rumble -?-?[a-z][^`\n]*)`", (ROOT / page).read_text(encoding="utf-8"))
    assert [(command, unknown) for command in mentioned if (unknown := unknown_names(command))] == []


def test_each_section_has_a_tournament_of_its_own() -> None:
    sections = [
        set(re.findall(r"rumble tournament create (\S+)", section))
        for page in (*GUIDES, "docs/BRIDGES.md", "protocol/PROTOCOL.md")
        for section in re.split(r"^## ", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    ]
    created = [tournament for section in sections for tournament in section]
    assert len(created) == len(set(created)) >= 10


def test_a_tournament_is_used_in_the_section_that_creates_it() -> None:
    for page in GUIDES:
        created: set[str] = set()
        for block in blocks(ROOT / page):
            created |= set(re.findall(r"tournament create (\S+)", block.text))
            used = re.findall(r'--join (\S+)|join="(\S+)"|tournament (?:start|house|invite|export) (\S+)', block.text)
            later = "".join(other.text for other in blocks(ROOT / page) if other.line > block.line)
            for each in filter(None, (word for words in used for word in words)):
                assert each in created or f"tournament create {each} " in later, f"{block}: there is no {each}"
