from string import ascii_lowercase, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_bots import Address, BadAddress, BadServer, http_base, ws_url
from rumble_protocol.clubs import MAIN

from tests.browser.site_pages import SITE_PAGES, SitePage

hosts = st.sampled_from(["localhost", "127.0.0.1", "::1", "10.0.0.7", "bots.example", "a-b_c", "fe80::2"])
clubs = st.just(MAIN) | st.text(ascii_lowercase + digits + "-", min_size=1, max_size=32)
addresses = st.builds(Address, hosts, st.integers(1, 65535), st.booleans(), clubs)


@pytest.mark.parametrize(
    ("server", "ws", "http"),
    [
        ("localhost:8765", "ws://localhost:8765/bot", "http://localhost:8765"),
        (" 127.0.0.1:1 ", "ws://127.0.0.1:1/bot", "http://127.0.0.1:1"),
        ("http://host:80", "ws://host:80/bot", "http://host:80"),
        ("http://host:8765/", "ws://host:8765/bot", "http://host:8765"),
        ("https://Host.example", "wss://host.example:443/bot", "https://host.example:443"),
        ("http://host", "ws://host:80/bot", "http://host:80"),
        ("ws://host:1", "ws://host:1/bot", "http://host:1"),
        ("ws://host:1/bot", "ws://host:1/bot", "http://host:1"),
        ("wss://host:1/bot/", "wss://host:1/bot", "https://host:1"),
        ("[::1]:8765", "ws://[::1]:8765/bot", "http://[::1]:8765"),
        ("host:1/c/fun", "ws://host:1/c/fun/bot", "http://host:1/c/fun"),
        ("host:1/c/fun/", "ws://host:1/c/fun/bot", "http://host:1/c/fun"),
        ("https://host/c/7-b", "wss://host:443/c/7-b/bot", "https://host:443/c/7-b"),
        ("ws://host:1/c/fun/bot/", "ws://host:1/c/fun/bot", "http://host:1/c/fun"),
        ("[::1]:8765/c/fun", "ws://[::1]:8765/c/fun/bot", "http://[::1]:8765/c/fun"),
        ("host:1/c/main", "ws://host:1/bot", "http://host:1"),
        ("http://host:1/c/bot/bot", "ws://host:1/c/bot/bot", "http://host:1/c/bot"),
        ("http://host:1/c/fun/tournaments/cup?invite=x#table", "ws://host:1/c/fun/bot", "http://host:1/c/fun"),
        ("http://host:1/matches/cup.1.1.1.1?ply=3", "ws://host:1/bot", "http://host:1"),
    ],
)
def test_every_way_to_write_a_server(server: str, ws: str, http: str) -> None:
    assert ws_url(server) == ws
    assert http_base(server) == http


@pytest.mark.parametrize(
    ("server", "problem"),
    [
        ("", "no host"),
        ("localhost", "no port"),
        ("host:0", "no port"),
        (":8765", "no host"),
        ("a b:8765", "no host"),
        ("ftp://host:1", "its scheme is ftp"),
        ("host:port", "Port could not be cast"),
        ("host:99999", "out of range"),
        ("http://two..dots:1", "label empty or too long"),
        ("http://host:1/api", "only host and port"),
        ("http://me:secret@host:1", "only host and port"),
        ("http://host:1?x=1", "only host and port"),
        ("http://[::1", "Invalid IPv6"),
        ("host:1/c/Fun", "a club's name is 1 to 32 of a-z, 0-9 and -"),
        ("host:1/c/" + "a" * 33, "a club's name"),
        ("host:1/c/a_b/bot", "a club's name"),
        ("host:1/c/", "a club's name"),
        ("host:1/c", "a club's name"),
        ("host:1/c/fun/api/tournaments", "only host and port, and a club"),
        ("host:1/c/fun/c/other", "a club's name"),
        ("host:1/c/fun?x=1", "only host and port, and a club"),
    ],
)
def test_nonsense_is_told_precisely(server: str, problem: str) -> None:
    with pytest.raises(BadAddress, match=problem) as raised:
        Address.parse(server)
    assert repr(server) in str(raised.value)
    assert "\n" not in str(raised.value)
    assert isinstance(raised.value, BadServer)


def test_one_label_however_a_server_is_written() -> None:
    written = ("localhost:8765", "http://127.0.0.1:8765", "ws://[::1]:8765/bot")
    assert {Address.parse(server).label for server in written} == {"localhost_8765"}
    assert Address.parse("[fe80::2]:1").label == "fe80--2_1"


@given(addresses)
def test_an_address_is_read_from_its_urls_as_the_same_address(address: Address) -> None:
    assert Address.parse(address.http_base) == Address.parse(address.ws_url) == address
    assert Address.parse(f" {address.http_base}/ ") == address


@given(addresses, st.sampled_from(SITE_PAGES))
def test_every_page_of_a_club_tells_its_address(address: Address, page: SitePage) -> None:
    if page.refused is None:
        assert Address.parse(f"{address.http_base}{page.path.removeprefix('{club}')}") == address


@given(addresses, addresses)
def test_two_clubs_have_two_labels(one: Address, other: Address) -> None:
    def place(address: Address) -> tuple[str, int, str]:
        return "localhost" if address.loopback else address.host, address.port, address.club

    assert (one.label == other.label) == (place(one) == place(other))
