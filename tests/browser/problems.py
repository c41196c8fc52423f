"""Records the problems of pages: errors in the log, failed requests, violated policies, and requests to other hosts."""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, ConsoleMessage, Request, Response, WebError

from tests.e2e.processes import LOOPBACK

LEFT = "net::ERR_ABORTED"
"""The error of a request that ended because the page was left or a download began."""
REPORT_VIOLATIONS = """document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy violation: ${event.violatedDirective} ${event.blockedURI}`);
});"""
"""The script that every page of a watched context runs first."""


class Problems:
    """Records the problems on the pages of browser contexts."""

    def __init__(self, *addresses: str) -> None:
        """Allow requests to 127.0.0.1 and to `addresses`."""
        self._hosts = {LOOPBACK, *addresses}
        self._found: list[str] = []
        self._allowed: list[re.Pattern[str]] = []

    @asynccontextmanager
    async def watching(self, context: BrowserContext) -> AsyncIterator[None]:
        """Record the problems on the pages of a context during the block."""
        listeners: dict[Any, Callable[[Any], None]] = {
            "console": self._on_console,
            "weberror": self._on_error,
            "request": self._on_request,
            "requestfailed": self._on_failure,
            "response": self._on_response,
        }
        for event, listener in listeners.items():
            context.on(event, listener)
        yield
        for event, listener in listeners.items():
            context.remove_listener(event, listener)

    def allow(self, pattern: str) -> None:
        """Ignore the problems that match the regular expression."""
        self._allowed.append(re.compile(pattern))

    @property
    def found(self) -> list[str]:
        """The problems that are not allowed."""
        return [each for each in self._found if not any(pattern.search(each) for pattern in self._allowed)]

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._found.append(f"console: {message.text} ({message.location.get('url')})")

    def _on_error(self, error: WebError) -> None:
        self._found.append(f"error: {error.error}")

    def _on_request(self, request: Request) -> None:
        url = urlsplit(request.url)
        if url.scheme not in ("data", "blob") and url.hostname not in self._hosts:
            self._found.append(f"leaves the host: {request.url}")

    def _on_failure(self, request: Request) -> None:
        if request.failure != LEFT:
            self._found.append(f"failed: {request.url} ({request.failure})")

    def _on_response(self, response: Response) -> None:
        if response.status >= 400:
            self._found.append(f"answered {response.status}: {response.url}")
