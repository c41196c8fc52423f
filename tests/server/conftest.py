"""Fixtures for tests of whole servers, and of what is freed."""

import gc
from collections.abc import Iterator

import pytest
from rumble_server.store.log import async_reader

from tests.server.reading_here import ReadingHere


@pytest.fixture
def reading_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have servers read ended tournaments in their own process, which starts faster."""
    monkeypatch.setattr(async_reader, "SideProcess", ReadingHere)


@pytest.fixture
def without_collector() -> Iterator[None]:
    """Have reference counts alone free objects."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()
