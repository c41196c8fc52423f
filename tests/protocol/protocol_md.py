"""Reads sections and tables of PROTOCOL.md."""

import re
from pathlib import Path

PATH = Path(__file__).parents[2] / "protocol" / "PROTOCOL.md"
PAGE = PATH.read_text(encoding="utf-8")


def section(title: str) -> str:
    """Return the text under a heading, up to the next heading of the same or a higher level."""
    level = title.split(" ")[0]
    assert PAGE.count(f"\n{title}\n") == 1, title
    after = PAGE.split(f"\n{title}\n")[1]
    return re.split(rf"\n#{{2,{len(level)}}} ", after)[0]


def rows(text: str) -> list[list[str]]:
    """Return the cells of each table row in a text, without the headings."""
    found = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1:]]
