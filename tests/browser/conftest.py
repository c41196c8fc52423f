"""A real browser, a real server and bots for the tests of this folder, which share one event loop."""

import importlib.util
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
import pytest_asyncio

from tests.browser.paced_bots import PacedBots
from tests.browser.running_server import RunningServer, started_server
from tests.browser.sample_site import SampleSite, serve_sample_site
from tests.needs import missing

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

    from tests.browser.problems import Problems

HERE = Path(__file__).parent
PATIENCE_MS = 30_000
"""How long a test waits for something on a page, in ms; then it fails."""

OpenPage = Callable[..., Awaitable["Page"]]


class _NotInstalled(pytest.Module):
    """A module of tests on a machine without Playwright, which cannot be imported there."""

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
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningServer]:
    """The server that tests share. Use unique names for tournaments and bots, and do not kill it."""
    with started_server(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def sample_site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SampleSite]:
    """A second shared server, with tournaments in every state. Tests only read it."""
    async with serve_sample_site(tmp_path_factory.mktemp("sample_site")) as sample_site:
        yield sample_site


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[RunningServer]:
    """A server for one test, which may kill and restart it."""
    with started_server(tmp_path) as server:
        yield server


@pytest_asyncio.fixture(loop_scope="session")
async def paced_bots() -> AsyncIterator[PacedBots]:
    """The bots of one test, stopped at its end."""
    paced_bots = PacedBots()
    yield paced_bots
    await paced_bots.end()


@pytest.fixture(scope="session")
def axe() -> str:
    """Read the script of axe-core: the file that `AXE` names, else the one that `npm install` puts here."""
    path = Path(os.environ.get("AXE") or HERE.parents[1] / "node_modules" / "axe-core" / "axe.min.js")
    if not path.is_file():
        missing("axe-core is not here (`npm install --no-save --no-package-lock axe-core@4`; or `AXE` names its file)")
    return path.read_text(encoding="utf-8")


@pytest.fixture
def problems() -> "Problems":
    """What goes wrong on the test's pages. A test that causes a problem allows it first."""
    from tests.browser.problems import Problems

    return Problems()


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(browser: "Browser", problems: "Problems", server: RunningServer) -> AsyncIterator[OpenPage]:
    """Open a page in its own context, with the options of Playwright's `new_context`; paths are relative to `server`.

    The test fails at its end if any of its pages had a problem that the test did not allow.
    """
    contexts = []

    async def open_page(**options: Any) -> "Page":
        context = await browser.new_context(**{"base_url": server.url, **options})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        if not options.get("java_script_enabled", True):
            problems.allow(r"failed: .*\.js \(csp\)")  # without scripts the browser refuses to preload them
        await problems.watch(context)
        return await context.new_page()

    yield open_page
    for context in contexts:
        await context.close()
    assert problems.found == []


@pytest_asyncio.fixture(loop_scope="session")
async def page(open_page: OpenPage) -> "Page":
    """A page of the default size."""
    return await open_page()
