"""A server at this machine's address in its network, where a browser has no secure context, and pages of a browser."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from playwright.async_api import BrowserContext, async_playwright
from rumble_server.host.networks import of_interfaces

from tests.browser.chromium import FLAGS, chromium
from tests.browser.problems import Problems
from tests.browser.running_server import RunningServer
from tests.browser.tabs import new_context
from tests.e2e.restartable_server import restartable_server
from tests.needs import missing


def lan_address() -> str:
    """Return an IPv4 address of this machine that is not its loopback."""
    found = (str(each) for each in of_interfaces() if each.version == 4 and not each.is_loopback)
    return next(found, None) or missing("this machine has no address but its loopback")


@contextmanager
def lan_server(folder: Path) -> Iterator[RunningServer]:
    """Run a server that listens on all addresses; the view of the server has the address in the network."""
    with restartable_server(folder, options=("--host", "0.0.0.0")) as lives:
        server = RunningServer(lives)
        server.url = server.origin = f"http://{lan_address()}:{lives.server.port}"
        yield server


@asynccontextmanager
async def lan_context(server: RunningServer) -> AsyncIterator[BrowserContext]:
    """Open a browser that reaches nothing but the server's address. Fails at the end if a page had a problem."""
    program = chromium() or missing("there is no Chromium here (`CHROMIUM` may name one)")
    address = lan_address()
    flags = [flag.replace("127.0.0.1", address) for flag in FLAGS]
    problems = Problems(address)
    problems.allow("Cross-Origin-Opener-Policy header has been ignored")  # this is no secure context
    problems.allow(r"\(csp\)$")  # the policy of the sandbox refuses what hostile code tries
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=flags)
        try:
            context = await new_context(browser, base_url=server.url)
            async with problems.watching(context):
                yield context
        finally:
            await browser.close()
    assert not problems.found, problems.found
