"""Fixtures for tests of whole servers."""

import pytest
from rumble_server.store import archive

from tests.server.shelf_here import ShelfHere


@pytest.fixture
def shelf_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have servers read ended tournaments in their own process, which starts faster."""
    monkeypatch.setattr(archive, "SideProcess", ShelfHere)
