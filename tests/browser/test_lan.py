"""Pages at this machine's address on a network, as a class opens them."""

from tests.browser.conftest import OpenPage
from tests.browser.running_server import RunningServer


async def test_a_page_by_plain_http_at_a_lan_address_is_no_secure_context(
    open_page: OpenPage, lan_server: RunningServer
) -> None:
    page = await open_page(base_url=lan_server.url)
    await page.goto("/")
    assert await page.evaluate("[isSecureContext, crypto.subtle === undefined]") == [False, True]
