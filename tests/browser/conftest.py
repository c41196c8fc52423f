"""A real browser, a real server and bots for the tests of this folder, which share one event loop."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect
from rumble_server.host.networks import network_addresses

from tests.browser.axe import axe_script
from tests.browser.chromium import browsing, chromium
from tests.browser.opponents import Opponents
from tests.browser.paced_bots import PacedBots
from tests.browser.problems import Problems
from tests.browser.running_server import RunningServer, started_server
from tests.browser.sample_site import SampleSite, sample_site_on
from tests.browser.tabs import PATIENCE_MS, forget, new_context
from tests.needs import SLOW, missing

HERE = Path(__file__).parent
OpenPage = Callable[..., Awaitable[Page]]


def of_networks() -> Iterator[str]:
    """Yield the IPv4 addresses at which other machines reach this machine."""
    return (address for address in network_addresses() if ":" not in address)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("e2e")
            if item.get_closest_marker("asyncio") is not None:
                item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    program = chromium()
    if program is None:
        missing("there is no Chromium here (`CHROMIUM` may name one)")
    expect.set_options(timeout=PATIENCE_MS)
    async with browsing(program, *of_networks()) as browser:
        yield browser


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """The server that tests share. Use unique names for tournaments and bots, and do not kill it."""
    with started_server(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def sample_site(server: RunningServer) -> AsyncIterator[SampleSite]:
    """A club of `server` with tournaments in every state, and variants for slow tests. Tests only read it."""
    async with sample_site_on(server, variants=SLOW) as sample_site:
        yield sample_site


@pytest.fixture(scope="session")
def mortal_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A second server, which tests may kill and restart."""
    with started_server(tmp_path_factory.mktemp("mortal_server")) as server:
        yield server


@pytest_asyncio.fixture(loop_scope="session")
async def paced_bots() -> AsyncIterator[PacedBots]:
    """The bots of one test, stopped at its end."""
    paced_bots = PacedBots()
    yield paced_bots
    await paced_bots.end()


@pytest_asyncio.fixture(loop_scope="session")
async def opponents(server: RunningServer) -> AsyncIterator[Opponents]:
    """The opponents of one test."""
    opponents = Opponents(server.url)
    yield opponents
    await opponents.end()


@pytest.fixture(scope="session")
def lan_address() -> str:
    """An address of this machine on a network. A page of plain HTTP from such an address is no secure context."""
    return next(of_networks(), "") or missing("this machine has no address but loopback")


@pytest.fixture(scope="session")
def lan_server(tmp_path_factory: pytest.TempPathFactory, lan_address: str) -> Iterator[RunningServer]:
    """A server at `lan_address`, which modules share: each returns it from a fixture `server` of its own."""
    with started_server(tmp_path_factory.mktemp("lan_server"), lan_address) as server:
        yield server


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core."""
    script = axe_script()
    if script is None:
        missing("axe-core is not here (`npm install --no-save --no-package-lock axe-core@4`; or `AXE` names its file)")
    return script


@pytest.fixture
def problems() -> Problems:
    """The problems on the test's pages. A test that causes a problem allows the problem first."""
    return Problems(*of_networks())


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(browser: Browser, problems: Problems, server: RunningServer) -> AsyncIterator[OpenPage]:
    """Open a page in its own context, with the options of Playwright's `new_context`; paths are relative to `server`.

    The test fails at its end if any of its pages had a problem that the test did not allow.
    """
    async with AsyncExitStack() as stack:

        async def open_page(**options: Any) -> Page:
            context = await new_context(browser, **{"base_url": server.url, **options})
            stack.push_async_callback(context.close)
            if not options.get("java_script_enabled", True):
                problems.allow(r"failed: .*\.js \(csp\)")  # without scripts the browser refuses to preload scripts
            await stack.enter_async_context(problems.watching(context))
            return await context.new_page()

        yield open_page
    assert problems.found == []


@pytest_asyncio.fixture(loop_scope="session")
async def own_page(open_page: OpenPage) -> Page:
    """A page of the test's own, for lasting changes of a page."""
    return await open_page()


@pytest_asyncio.fixture(loop_scope="session")
async def timed_page(own_page: Page) -> Page:
    """A page of the test's own, with a clock that the test may move forward."""
    await own_page.clock.install()
    return own_page


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_page(browser: Browser, server: RunningServer) -> Page:
    """The page that all tests share as `page`."""
    return await (await new_context(browser, base_url=server.url)).new_page()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def home(browser: Browser, server: RunningServer) -> Page:
    """The home page, for tests that only call modules and leave no traces."""
    page = await (await new_context(browser, base_url=server.url)).new_page()
    await page.goto("/")
    return page


@pytest_asyncio.fixture(loop_scope="session")
async def page(shared_page: Page, problems: Problems) -> AsyncIterator[Page]:
    """A page of the default size. Tests share the page, because a new context costs a test half a second.

    Lasting changes of a page, such as a clock, a route or a listener, need `own_page`. The test fails at its end if the
    page had a problem that the test did not allow.
    """
    async with problems.watching(shared_page.context):
        yield shared_page
        await forget(shared_page)
    assert problems.found == []
