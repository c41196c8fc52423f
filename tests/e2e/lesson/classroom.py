"""A classroom: the teacher's machine, the pupils' machine, and a cable.

The pupils share a browser, because this machine has few processors. Each pupil has a context and a slowed process
of the browser.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Browser, Locator, Page

from tests.browser.chromium import QUIET, browsing
from tests.browser.problems import Problems
from tests.browser.tabs import new_context
from tests.e2e.namespaces import SERVER, Machine, narrow, two_machines

MBIT = 50
"""Mbit/s of the cable, each way."""
SLOWDOWN = 6
"""The factor by which pupils' processors are slower than the processor of this machine."""
PATIENCE_MS = 180_000
"""Time in ms for a change of a page: all pupils share the processors of this machine."""


@dataclass
class Person:
    """A person at a page, whose clicks and typed characters are counted."""

    page: Page
    clicks: int = 0
    typed: int = 0

    async def click(self, place: Locator) -> None:
        """Click a button or a link."""
        await place.click()
        self.clicks += 1

    async def type(self, place: Locator, text: str) -> None:
        """Fill a field."""
        await place.fill(text)
        self.typed += len(text)


@asynccontextmanager
async def at_a_browser(machine: Machine, program: str) -> AsyncIterator[Browser]:
    """Run a browser on a machine, controlled through a pipe; it reaches the server alone."""
    async with browsing(machine.program(program), SERVER, flags=QUIET) as browser:
        yield browser


@asynccontextmanager
async def seated(browser: Browser, problems: Problems, slowdown: int = 1) -> AsyncIterator[Person]:
    """Yield a person at an empty page, on a processor slowed by a factor."""
    context = await new_context(browser, accept_downloads=True)
    context.set_default_timeout(PATIENCE_MS)
    async with problems.watching(context):
        page = await context.new_page()
        devtools = await context.new_cdp_session(page)
        await devtools.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
        yield Person(page)
        await context.close()


@contextmanager
def classroom(folder: Path) -> Iterator[tuple[Machine, Machine]]:
    """Yield the teacher's machine and the pupils' machine. Neither has a route to anywhere else."""
    with ExitStack() as stack:
        machines = stack.enter_context(two_machines(folder))
        narrow((machine.namespace for machine in machines), MBIT)
        yield machines
