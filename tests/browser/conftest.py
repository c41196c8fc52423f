"""A real browser, a real server and bots for every test in this folder; all tests and fixtures share one event loop."""

import importlib.util
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
import pytest_asyncio

from tests.browser.guests import Guests
from tests.browser.scenery import Scenery, scenery
from tests.browser.stage import Stage, staged

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

    from tests.browser.problems import Problems

HERE = Path(__file__).parent
PATIENCE_MS = 15_000
"""How long a page may take to show what a test waits for."""

OpenPage = Callable[..., Awaitable["Page"]]


def missing(what: str) -> NoReturn:
    """Skip, since something is not installed here; where everything has to be (`CI`), fail."""
    if os.environ.get("CI"):
        pytest.fail(f"{what}, and this run must not skip", pytrace=False)
    pytest.skip(what, allow_module_level=True)


class _NotInstalled(pytest.Module):
    """A module of tests on a machine without Playwright: it cannot even be imported."""

    def collect(self) -> NoReturn:
        missing("Playwright is not installed (`pip install -e '.[test]'`)")


def pytest_pycollect_makemodule(module_path: Path, parent: Any) -> pytest.Module | None:
    if importlib.util.find_spec("playwright") is None:
        return _NotInstalled.from_parent(parent, path=module_path)
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("e2e")
            if item.get_closest_marker("asyncio") is not None:
                item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator["Browser"]:
    from playwright.async_api import expect

    from tests.browser.chromium import browsing, chromium

    program = chromium()
    if program is None:
        missing("there is no Chromium here (`CHROMIUM` may name one)")
    expect.set_options(timeout=PATIENCE_MS)
    async with browsing(program) as browser:
        yield browser


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """The server that tests share: give tournaments and bots names of their own. Nobody kills it."""
    with staged(tmp_path_factory.mktemp("stage")) as stage:
        yield stage


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def scene(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scenery]:
    """Another server that tests share, with tournaments in every state: to be looked at only."""
    async with scenery(tmp_path_factory.mktemp("scene")) as scene:
        yield scene


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Stage]:
    """A server for one test, which may kill it."""
    with staged(tmp_path) as stage:
        yield stage


@pytest_asyncio.fixture(loop_scope="session")
async def guests() -> AsyncIterator[Guests]:
    """Bots, stopped at the end of the test."""
    guests = Guests()
    yield guests
    await guests.end()


@pytest.fixture
def problems() -> "Problems":
    """What goes wrong on the test's pages; a test that provokes something says so first."""
    from tests.browser.problems import Problems

    return Problems()


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(browser: "Browser", problems: "Problems", stage: Stage) -> AsyncIterator[OpenPage]:
    """Opens a page in a context of its own, with the options of Playwright's `new_context`; paths are the stage's.

    The test fails at its end if any of its pages had a problem that it did not provoke.
    """
    contexts = []

    async def open_page(**options: Any) -> "Page":
        context = await browser.new_context(**{"base_url": stage.url, **options})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        await problems.watch(context)
        return await context.new_page()

    yield open_page
    for context in contexts:
        await context.close()
    assert problems.found == []


@pytest_asyncio.fixture(loop_scope="session")
async def page(open_page: OpenPage) -> "Page":
    """A page of an ordinary size."""
    return await open_page()
