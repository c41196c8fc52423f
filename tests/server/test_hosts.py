import pytest
from rumble_server.hosts import host_name, is_host, is_known, is_loopback


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


def test_a_name_is_known_if_it_is_loopback_s_or_allowed_or_the_address_is_not_loopback() -> None:
    assert is_known("localhost:1", "127.0.0.1", frozenset())
    assert not is_known("evil.example", "127.0.0.1", frozenset())
    assert is_known("mine.example", "127.0.0.1", frozenset({"mine.example"}))
    assert is_known("any.example", "192.0.2.1", frozenset())


@pytest.mark.parametrize("host", ["", "localhost", "rumble.example:8765", "127.0.0.1:80", "[::1]:80", "a_b-c:"])
def test_a_host_header_may_be(host: str) -> None:
    assert is_host(host)


@pytest.mark.parametrize("host", ["[", "[]:80", "a b", "a/b", "a@b", "a:b", "a#", "x\xe4", "[::1", "::1", "a\n"])
def test_a_host_header_cannot_be(host: str) -> None:
    assert not is_host(host)
