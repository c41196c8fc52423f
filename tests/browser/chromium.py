"""The browser of the tests: Debian's Chromium, which connects to 127.0.0.1 and nowhere else."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, async_playwright

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def chromium() -> str | None:
    """Return the path of the browser that `CHROMIUM` names, else of `chromium`; None if it is not installed."""
    return shutil.which(os.environ.get("CHROMIUM") or "chromium")


@asynccontextmanager
async def browsing(program: str) -> AsyncIterator[Browser]:
    """Run a browser without a window until the end of the block."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield browser
        finally:
            await browser.close()
