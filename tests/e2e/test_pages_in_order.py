"""The README and the guides, typed by a reader in their order, against one server."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.docs_blocks import ROOT
from tests.e2e.reader import Reader

pytest.importorskip("pyspiel", reason="docs/HOSTING.md plays poker, which needs the extra openspiel")
PAGES = ("README.md", "docs/FIRST_HOUR.md", "docs/HOSTING.md", "docs/BOTS.md")
pytestmark = pytest.mark.e2e


@pytest.mark.slow
def test_every_command_does_what_its_page_says(tmp_path: Path) -> None:
    with ExitStack() as stack:
        reader = Reader(tmp_path, stack)
        assert all(reader.read(ROOT / page) for page in PAGES)
