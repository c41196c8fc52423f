"""The script that records a terminal works, and the README's recording comes from the script."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.needs import need_module
from tests.pictures.terminal import PICTURE, record

MOST_BYTES = 150_000


def texts(picture: Path) -> list[str]:
    """Return the lines of text of all frames. Raises AssertionError if the picture needs a script or other files."""
    source = picture.read_text(encoding="utf-8")
    assert len(source) < MOST_BYTES
    assert "@import" not in source
    assert "url(" not in source
    assert "prefers-reduced-motion" in source
    root = ET.fromstring(source)
    assert [each.tag for each in root.iter() if each.tag.endswith(("script", "image", "foreignObject"))] == []
    references = [value for each in root.iter() for name, value in each.items() if name.endswith("href")]
    assert references
    assert all(each.startswith("#") for each in references)
    return ["".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}g")]


def test_the_recording_of_the_readme_is_a_tournament_to_its_end() -> None:
    text = "\n".join(texts(PICTURE))
    for part in ("rumble demo", "running, ", "finished after 42 matches", "demo stays until Ctrl-C"):
        assert part in text


@pytest.mark.e2e
def test_the_output_of_a_command_is_drawn(tmp_path: Path) -> None:
    need_module("termtosvg", "dev")
    picture = tmp_path / "games.svg"
    record(["games"], "tictactoe", picture)
    shown = texts(picture)
    assert any("$ rumble games" in text for text in shown)
    assert any("tictactoe" in text for text in shown)


@pytest.mark.e2e
def test_a_command_that_ends_too_early_is_told(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="it ended without 'no such word'"):
        record(["games"], "no such word", tmp_path / "games.svg")
