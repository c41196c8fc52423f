"""The browser of the tests: Debian's Chromium, which asks nobody anything but the server under test."""

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
    """The browser's program: what `CHROMIUM` names, else `chromium`; None where there is none."""
    return shutil.which(os.environ.get("CHROMIUM") or "chromium")


@asynccontextmanager
async def browsing(program: str) -> AsyncIterator[Browser]:
    """A browser without a window, until the end of the block."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield browser
        finally:
            await browser.close()
