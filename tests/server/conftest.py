"""What tests of whole servers share."""

import pytest
from rumble_server.store import archive

from tests.server.shelf_here import ShelfHere


@pytest.fixture
def shelf_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have servers read tournaments that are over without a process for it."""
    monkeypatch.setattr(archive, "SideProcess", ShelfHere)
