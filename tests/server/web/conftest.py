"""Every test has a scene of its own."""

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.server.web.scene import Scene


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
async def browser(scene: Scene) -> AsyncIterator[httpx.AsyncClient]:
    async with scene.browser() as client:
        yield client
