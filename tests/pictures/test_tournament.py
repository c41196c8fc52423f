"""The script that takes the README's picture works, and the README's picture is small."""

from pathlib import Path

import pytest

from tests.needs import missing, need_module

SIZE = slice(16, 24)
"""Bytes of a PNG with its width and height."""


def test_the_picture_of_the_page_is_small() -> None:
    assert len((Path(__file__).parents[2] / "docs" / "images" / "tournament.png").read_bytes()) < 500_000


@pytest.mark.e2e
@pytest.mark.long
async def test_a_running_tournament_is_taken() -> None:
    need_module("playwright", "test")
    from tests.browser.chromium import chromium
    from tests.pictures.tournament import PICTURE, picture

    program = chromium() or missing("there is no Chromium here (`CHROMIUM` may name one)")
    taken = await picture(program, {"ann": ("random",), "bob": ("random",)}, lambda view: bool(view["started_at_ms"]))
    assert taken[SIZE] == PICTURE.read_bytes()[SIZE]
