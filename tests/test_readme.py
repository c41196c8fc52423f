"""The README's commands are what the check runs, its bot is the one that is tested, and its links lead somewhere."""

import re

from tests.docs_blocks import ROOT, are_commands, blocks, check_page, is_file

PAGE = ROOT / "README.md"
README = PAGE.read_text(encoding="utf-8")
WORDS_A_MINUTE = 240
"""How many words of English prose adults read silently in a minute: 238 on average (Brysbaert, 2019)."""


def marked(marker: str) -> str:
    """Return the block that follows `<!-- marker -->`."""
    (found,) = (block.text for block in blocks(PAGE) if block.marker == marker)
    return found


def test_the_first_command_is_the_demo() -> None:
    assert marked("demo") == "pip install . && rumble demo\n"


def test_the_second_command_is_what_the_check_runs() -> None:
    assert marked("tests") == "pip install -e '.[test]' && python -m pytest\n"
    commands = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert commands.count(marked("tests").strip()) == 1


def test_every_block_is_what_it_claims() -> None:
    assert check_page(PAGE, {"file:": is_file, "sh": are_commands("pip", "python")}) == 4


def test_the_bot_is_as_short_as_it_says() -> None:
    (bot,) = (block for block in blocks(PAGE) if block.language == "python")
    assert f"## A bot in {len(bot.text.splitlines())} lines\n" in README


def test_it_is_read_in_two_minutes() -> None:
    prose = re.sub(r"```.*?```|\]\([^)]*\)|<!--.*?-->", " ", README, flags=re.DOTALL)
    assert len(re.findall(r"\w+", prose)) <= 2 * WORDS_A_MINUTE


def test_links_lead_somewhere() -> None:
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", README)]
    assert [link for link in links if "://" not in link and link and not (ROOT / link).exists()] == []
