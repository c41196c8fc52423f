"""Fixtures for tests of whole servers."""

import pytest
from rumble_server.store.log import async_reader

from tests.server.reading_here import ReadingHere


@pytest.fixture
def reading_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have servers read ended tournaments in their own process, which starts faster."""
    monkeypatch.setattr(async_reader, "SideProcess", ReadingHere)
