"""A server for each test."""

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.server.web.memory_server import MemoryServer


@pytest.fixture
def server() -> MemoryServer:
    return MemoryServer()


@pytest.fixture
async def browser(server: MemoryServer) -> AsyncIterator[httpx.AsyncClient]:
    async with server.browser() as client:
        yield client
