"""The server's address in pages and links: its public URL, the browser's address, or the addresses of its networks."""

import pytest
from rumble_server.web.public_address import Addresses, PublicAddress

from tests.server.web.memory_server import HOST, MemoryServer

LAN = "http://192.168.1.5:8765"


@pytest.mark.parametrize(
    ("base", "bot_url", "bot_server", "only_here"),
    [
        ("http://192.168.1.5:8765", "ws://192.168.1.5:8765/bot", "192.168.1.5:8765", False),
        ("https://rumble.example", "wss://rumble.example/bot", "https://rumble.example", False),
        ("http://[2001:db8::5]:8765", "ws://[2001:db8::5]:8765/bot", "[2001:db8::5]:8765", False),
        ("http://http.example", "ws://http.example/bot", "http.example", False),
        ("http://127.0.0.1:8765", "ws://127.0.0.1:8765/bot", "127.0.0.1:8765", True),
        ("http://127.8.0.1", "ws://127.8.0.1/bot", "127.8.0.1", True),
        ("https://localhost", "wss://localhost/bot", "https://localhost", True),
        ("http://a.localhost:80", "ws://a.localhost:80/bot", "a.localhost:80", True),
        ("http://[::1]:8765", "ws://[::1]:8765/bot", "[::1]:8765", True),
    ],
)
def test_an_address_tells_where_bots_connect(base: str, bot_url: str, bot_server: str, only_here: bool) -> None:
    address = PublicAddress(base)
    assert (address.bot_url, address.bot_server, address.is_only_here) == (bot_url, bot_server, only_here)
    assert address.to_share == address


async def link(addresses: Addresses | None, asked: str, **headers: str) -> dict[str, object]:
    """Return the invitation to a tournament for a host that opens the console at the address `asked`."""
    server = MemoryServer(addresses=addresses)
    server.world.create()
    async with server.browser(base_url=asked) as browser:
        invitation = (await browser.get("/api/tournaments/friday/invite", headers={**HOST, **headers})).json()
    base = invitation["link"].removesuffix("/tournaments/friday")
    assert invitation["command"].startswith(f"rumble bot mine.py:ai --server {base}")
    return {"link": invitation["link"], "only_here": invitation["only_here"]}


@pytest.mark.parametrize(
    ("addresses", "asked", "base", "only_here"),
    [
        (None, "http://192.168.1.9:8765", "http://192.168.1.9:8765", False),
        (None, "http://127.0.0.1:8765", "http://127.0.0.1:8765", True),
        (Addresses(None, lambda: [LAN, "http://10.0.0.5:8765"]), "http://127.0.0.1:8765", LAN, False),
        (Addresses(None, lambda: [LAN]), "http://192.168.1.9:8765", "http://192.168.1.9:8765", False),
        (Addresses("https://rumble.example", lambda: [LAN]), "http://127.0.0.1:8765", "https://rumble.example", False),
        (Addresses("https://rumble.example"), "http://192.168.1.9:8765", "https://rumble.example", False),
        (Addresses("http://127.0.0.1:9000"), "http://192.168.1.9:8765", "http://127.0.0.1:9000", True),
    ],
)
async def test_an_invitation_has_the_address_that_others_can_use(
    addresses: Addresses | None, asked: str, base: str, only_here: bool
) -> None:
    assert await link(addresses, asked) == {"link": f"{base}/tournaments/friday", "only_here": only_here}


async def test_a_port_that_is_published_by_a_container_is_not_taken_for_one_of_this_machine() -> None:
    address = await link(Addresses(None, lambda: [LAN]), "http://172.18.0.2:8765", Host="localhost:8765")
    assert address == {"link": "http://localhost:8765/tournaments/friday", "only_here": True}


async def test_pages_on_loopback_say_so_and_lead_to_the_networks() -> None:
    server = MemoryServer(addresses=Addresses(None, lambda: [LAN]))
    made = server.world.create(invite="hush hush").made_invite
    paths = ["/", "/write", "/play", "/tournaments/friday?invite=hush+hush", "/write?join=friday&invite=hush+hush"]
    async with server.browser(base_url="http://127.0.0.1:8765") as here:
        for path in paths:
            page = (await here.get(path)).text
            assert "Only this machine can open <code>http://127.0.0.1:8765</code>." in page, path
            assert f'<a href="{LAN}{path.replace("&", "&amp;").replace("hush+hush", str(made))}">' in page, path
            assert "--server http://127.0.0.1:8765" in page or "bare_bot.py 127.0.0.1:8765" in page
    async with server.browser(base_url=LAN) as elsewhere:
        for path in paths:
            page = (await elsewhere.get(path)).text
            assert "Only this machine" not in page
            assert "127.0.0.1" not in page


async def test_without_a_network_a_page_on_loopback_says_what_the_host_can_do() -> None:
    async with MemoryServer().browser(base_url="http://localhost:8765") as here:
        assert "<code>--host 0.0.0.0</code>" in (await here.get("/write")).text


async def test_a_public_url_is_on_every_page_and_speaks_tls() -> None:
    server = MemoryServer(addresses=Addresses("https://rumble.example"))
    server.world.create()
    async with server.browser(base_url="http://192.168.1.9:8765") as browser:
        pages = {path: (await browser.get(path)).text for path in ("/", "/write?join=friday", "/tournaments/friday")}
    assert not any("192.168.1.9" in page or "http://" in page for page in pages.values())
    assert "python bare_bot.py https://rumble.example friday" in pages["/write?join=friday"]
    assert "wss://rumble.example/bot" in pages["/tournaments/friday"]
