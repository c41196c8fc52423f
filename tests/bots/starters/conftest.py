"""Each starter, built once for all tests that run it."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest
from rumble_bots.sdk.starters import STARTERS

from tests.bots.starters.building import Built, build


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Built]:
    folder = tmp_path_factory.mktemp("starters")
    with ThreadPoolExecutor(2) as pool:  # the compilers are what takes time, a core each
        return dict(zip(STARTERS, pool.map(lambda language: build(language, folder), STARTERS), strict=True))
