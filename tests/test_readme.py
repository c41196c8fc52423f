"""The README's commands are the check's commands, its bot is a tested file, and its links lead somewhere."""

import re

from tests.docs_blocks import ROOT, Block, are_commands, blocks, check_page, is_file

PAGE = ROOT / "README.md"
README = PAGE.read_text(encoding="utf-8")
WORDS_A_MINUTE = 240
"""Words of English prose that adults read silently per minute: 238 on average (Brysbaert, 2019)."""


def marked(marker: str) -> str:
    """Return the block that follows `<!-- marker -->`."""
    (found,) = (block.text for block in blocks(PAGE) if block.marker == marker)
    return found


def test_the_check_runs_the_demo_and_the_tests_as_they_stand() -> None:
    assert marked("demo") == "pip install . && rumble demo\n"
    assert marked("tests") == "pip install -e '.[test]' && python -m pytest\n"
    gate = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    for marker in ("demo", "tests"):
        assert gate.count(f'.ci/bare "{marked(marker).strip()}" || failed=$?') == 1


def is_the_bare_bot(block: Block) -> None:
    is_file(block)
    assert f"## A bot in {len(block.text.splitlines())} lines\n" in README


def test_every_block_passes_its_check() -> None:
    assert check_page(PAGE, {"file:": is_the_bare_bot, "sh": are_commands("pip", "python")}) == 4


def test_the_readme_is_read_in_two_minutes() -> None:
    prose = re.sub(r"```.*?```|\]\([^)]*\)|<!--.*?-->", " ", README, flags=re.DOTALL)
    assert len(re.findall(r"\w+", prose)) <= 2 * WORDS_A_MINUTE


def test_links_lead_somewhere() -> None:
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", README)]
    assert [link for link in links if "://" not in link and link and not (ROOT / link).exists()] == []
