import pytest
from rumble_server.host.host_names import host_name, is_allowed_host, is_host_header, is_loopback, netloc, public_origin


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("localhost", "localhost"),
        ("LocalHost:8765", "localhost"),
        ("127.0.0.1:80", "127.0.0.1"),
        ("[::1]:8765", "[::1]"),
        ("[::1]", "[::1]"),
        ("", ""),
    ],
)
def test_the_name_in_a_host_header(host: str, name: str) -> None:
    assert host_name(host) == name


@pytest.mark.parametrize(
    ("address", "loopback"),
    [("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("", True), ("192.0.2.1", False), ("name", False)],
)
def test_loopback(address: str, loopback: bool) -> None:
    assert is_loopback(address) is loopback


def test_known_hosts_are_local_names_allowed_names_and_all_beyond_loopback() -> None:
    assert is_allowed_host("localhost:1", "127.0.0.1", frozenset())
    assert not is_allowed_host("evil.example", "127.0.0.1", frozenset())
    assert is_allowed_host("mine.example", "127.0.0.1", frozenset({"mine.example"}))
    assert is_allowed_host("any.example", "192.0.2.1", frozenset())


@pytest.mark.parametrize("host", ["", "localhost", "rumble.example:8765", "127.0.0.1:80", "[::1]:80", "a_b-c:"])
def test_a_host_header_may_be(host: str) -> None:
    assert is_host_header(host)


@pytest.mark.parametrize("host", ["[", "[]:80", "a b", "a/b", "a@b", "a:b", "a#", "x\xe4", "[::1", "::1", "a\n"])
def test_a_host_header_cannot_be(host: str) -> None:
    assert not is_host_header(host)


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://rumble.example", "https://rumble.example"),
        ("https://Rumble.Example:443/", "https://rumble.example"),
        ("HTTP://rumble.example:80", "http://rumble.example"),
        ("http://rumble.example:443", "http://rumble.example:443"),
        ("https://rumble.example:8765", "https://rumble.example:8765"),
        ("http://192.168.1.5:8765", "http://192.168.1.5:8765"),
        ("http://[2001:DB8::5]:8765", "http://[2001:db8::5]:8765"),
    ],
)
def test_a_public_url_is_an_origin(url: str, origin: str) -> None:
    assert public_origin(url) == origin


@pytest.mark.parametrize(
    "url",
    [
        *("", "rumble.example", "rumble.example:8765", "//rumble.example", "ftp://rumble.example"),
        *("https://", "https://:8765", "https://rumble.example:port", "https://rumble.example:0"),
        *("https://rumble.example:65536", "https://user@rumble.example", "https://rumble example"),
        *("https://$(reboot).example", "https://r\u00fcmble.example"),
        *("http://[2001:db8::5", "http://[::g]", "http://[fe80::1%25eth0]"),
    ],
)
def test_a_public_url_cannot_be(url: str) -> None:
    with pytest.raises(ValueError, match="no address of a server: write http"):
        public_origin(url)


@pytest.mark.parametrize("rest", ["/rumble", "//", "/?a", "?a", "/#a", "#", "?"])
def test_a_public_url_has_no_path(rest: str) -> None:
    with pytest.raises(ValueError, match="the root of their host, without a path: write http"):
        public_origin(f"https://rumble.example{rest}")


def test_an_address_in_a_url() -> None:
    assert netloc("192.0.2.1", 8765) == "192.0.2.1:8765"
    assert netloc("2001:db8::5", 8765) == "[2001:db8::5]:8765"
    assert (netloc("::1", 80), netloc("::1", 80, "https")) == ("[::1]", "[::1]:80")
