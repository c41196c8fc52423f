"""The script that takes the README's picture works, and the picture is one that it took."""

import pytest

from tests.needs import missing, need_module

SIZE = slice(16, 24)
"""Where a PNG has its width and height."""


@pytest.mark.e2e
async def test_a_running_tournament_is_taken() -> None:
    need_module("playwright", "test")
    from tests.browser.chromium import chromium
    from tests.pictures.tournament import PICTURE, picture

    program = chromium() or missing("there is no Chromium here (`CHROMIUM` may name one)")
    taken = await picture(program, {"ann": ("random",), "bob": ("random",)}, lambda told: bool(told["started_at_ms"]))
    kept = PICTURE.read_bytes()
    assert taken[SIZE] == kept[SIZE]
    assert len(kept) < 500_000
