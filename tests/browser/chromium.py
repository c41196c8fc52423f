"""The browser of the tests: Debian's Chromium, restricted to connections to this machine."""

import os
import shutil
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from playwright.async_api import Browser, async_playwright

from tests.e2e.processes import LOOPBACK

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Options of the browser: it asks nothing of its maker."""
FLAGS = (
    *QUIET,
    "--in-process-gpu",
    "--no-zygote",
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
    "--num-raster-threads=1",
    "--js-flags=--no-opt",
)
"""Options of the tests' browser: few processes and threads save a third of its time."""

PROGRAMS = ("chromium-headless-shell", "chromium")
"""Names of browsers, the best first: the one without windows starts sooner and takes less of the processor."""


def chromium() -> str | None:
    """Return the path of the browser named by `CHROMIUM`, else of the first of `PROGRAMS`; None without a browser."""
    named = os.environ.get("CHROMIUM")
    return next(filter(None, map(shutil.which, (named,) if named else PROGRAMS)), None)


@asynccontextmanager
async def browsing(program: str, *addresses: str, flags: Iterable[str] = FLAGS) -> AsyncIterator[Browser]:
    """Run a browser without a window until the end of the block; 127.0.0.1 and `addresses` are all that it reaches."""
    reached = "".join(f", EXCLUDE {address}" for address in (LOOPBACK, *addresses))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=program, args=[*flags, f"--host-resolver-rules=MAP * ~NOTFOUND{reached}"]
        )
        try:
            yield browser
        finally:
            await browser.close()
