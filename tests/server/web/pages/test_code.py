"""The page `/code` and its frame: the policies that confine code, and the page without the distribution."""

from base64 import b64encode
from hashlib import sha256

import httpx
import pytest
from rumble_server.web.guards.headers import POLICY
from rumble_server.web.pages import browser_files


async def test_the_frame_may_compute_and_nothing_else(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/code/frame")
    script = answer.text.partition("<script>")[2].partition("</script>")[0]
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert answer.headers.get_list("Content-Security-Policy") == [
        "sandbox allow-scripts; default-src 'none'; "
        f"script-src 'wasm-unsafe-eval' blob: 'sha256-{digest}'; "
        "worker-src blob:; connect-src 'none'; frame-ancestors 'self'"
    ]


async def test_the_page_may_show_the_frame_and_is_confined_as_before(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/code")
    assert answer.headers.get_list("Content-Security-Policy") == [f"{POLICY}; frame-src 'self'"]


async def test_without_the_distribution_the_page_offers_javascript_and_challenges(
    browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser_files, "address", lambda: None)
    page = (await browser.get("/code")).text
    assert '<option value="javascript">' in page
    assert '<option value="python">' not in page
    assert "data-files" not in page
    assert "/play" in page


async def test_a_tournament_that_is_not_there_is_told(browser: httpx.AsyncClient) -> None:
    assert (await browser.get("/code?tournament=nowhere")).status_code == 404
