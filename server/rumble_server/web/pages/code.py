"""The page `/code`, on which a person writes a bot that plays from the browser, and the frame in which its code runs.

The frame's policy lets code compute and do nothing else: no request, no storage, no look at the page. It is sent by the
server, so that the frame is confined even where it is opened by itself.
"""

from base64 import b64encode
from functools import cache
from hashlib import sha256

from starlette.responses import HTMLResponse

from rumble_server.web.security import POLICY
from rumble_server.web.static_files import STATIC

PAGE_POLICY = f"{POLICY}; frame-src 'self'"
LANGUAGES = ("python", "javascript")


@cache
def frame() -> HTMLResponse:
    """Make the answer to `/code/frame`. Its script is in the page, named in the policy by its hash."""
    script = (STATIC / "code" / "frame.js").read_text(encoding="utf-8")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = "; ".join(
        (
            "sandbox allow-scripts",
            "default-src 'none'",
            f"script-src 'wasm-unsafe-eval' blob: 'sha256-{digest}'",
            "worker-src blob:",
            "connect-src 'none'",
            "frame-ancestors 'self'",
        )
    )
    page = f'<!doctype html>\n<html lang="en"><title>Sandbox</title><script>{script}</script></html>\n'
    return HTMLResponse(page, headers={"Content-Security-Policy": policy})


@cache
def starting_code() -> dict[str, str]:
    """Return the code that the editor begins with, by language."""
    return {name: (STATIC / "code" / f"start.{name}.txt").read_text(encoding="utf-8") for name in LANGUAGES}
