"""The source of a request from its peer and headers, and requests from this machine."""

import pytest
from rumble_server.host.host_names import is_loopback
from rumble_server.limits import source
from rumble_server.limits.source import Source, Sources, is_forwarded, limited_address

PROXY, CLIENT = "192.0.2.1", "198.51.100.7"
HOST = (b"host", b"localhost:8765")


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("::1", "::1"),
        ("2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"),
        ("2001:db8:0:1::9", "2001:db8:0:1::/64"),
        ("2001:db8:0:2::9", "2001:db8:0:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("testclient", "testclient"),
    ],
)
def test_the_limited_address_of_a_peer(peer: str, address: str) -> None:
    assert limited_address(peer) == address


def of(*headers: tuple[bytes, bytes], proxies: tuple[str, ...] = (PROXY,), peer: str = PROXY) -> Source:
    return Sources(proxies).of_request(peer, "http", [HOST, *headers])


@pytest.mark.parametrize(
    ("headers", "address"),
    [
        ([], PROXY),
        ([(b"x-forwarded-for", b"198.51.100.7")], CLIENT),
        ([(b"x-forwarded-for", b"10.9.9.9, 198.51.100.7")], CLIENT),
        ([(b"x-forwarded-for", b"10.9.9.9"), (b"x-forwarded-for", b"198.51.100.7")], CLIENT),
        ([(b"x-forwarded-for", b"198.51.100.7, 192.0.2.1")], CLIENT),
        ([(b"x-forwarded-for", b"198.51.100.7:4711")], CLIENT),
        ([(b"x-forwarded-for", b"[2001:db8::5]:4711")], "2001:db8::/64"),
        ([(b"x-forwarded-for", b"unknown")], PROXY),
        ([(b"x-forwarded-for", b"")], PROXY),
        ([(b"x-forwarded-for", b"127.0.0.1")], "127.0.0.1"),
        ([(b"forwarded", b'for=10.9.9.9, For="198.51.100.7:80";proto=https')], CLIENT),
        ([(b"forwarded", b'for="[2001:db8::5]:4711"')], "2001:db8::/64"),
        ([(b"forwarded", b"for=10.9.9.9"), (b"x-forwarded-for", b"198.51.100.7")], CLIENT),
        ([(b"forwarded", b"by=here")], PROXY),
        ([(b"x-real-ip", b"198.51.100.7")], PROXY),
    ],
)
def test_a_believed_proxy_names_the_client(headers: list[tuple[bytes, bytes]], address: str) -> None:
    source = of(*headers)
    assert source.address == address
    assert not source.is_local


@pytest.mark.parametrize(
    ("headers", "scheme"),
    [
        ([], "http"),
        ([(b"x-forwarded-proto", b"https")], "https"),
        ([(b"x-forwarded-proto", b"HTTPS")], "https"),
        ([(b"x-forwarded-proto", b"gopher")], "http"),
        ([(b"x-forwarded-proto", b"http, https"), (b"x-forwarded-for", b"10.9.9.9, 198.51.100.7")], "https"),
        ([(b"x-forwarded-proto", b"https, http"), (b"x-forwarded-for", b"198.51.100.7, 192.0.2.1")], "https"),
        ([(b"forwarded", b"for=198.51.100.7;proto=https")], "https"),
    ],
)
def test_a_believed_proxy_names_the_scheme(headers: list[tuple[bytes, bytes]], scheme: str) -> None:
    assert of(*headers).scheme == scheme


@pytest.mark.parametrize(
    ("headers", "host"),
    [
        ([], ""),
        ([(b"x-forwarded-host", b"rumble.example:8443")], "rumble.example:8443"),
        ([(b"x-forwarded-host", b"evil.example, rumble.example")], "rumble.example"),
        ([(b"x-forwarded-host", b"evil.example"), (b"x-forwarded-host", b"rumble.example")], "rumble.example"),
        (
            [
                (b"x-forwarded-host", b"evil.example, rumble.example, inner"),
                (b"x-forwarded-for", b"198.51.100.7, 192.0.2.1"),
            ],
            "rumble.example",
        ),
        ([(b"x-forwarded-host", b"a/b<c>")], ""),
        ([(b"forwarded", b'for=198.51.100.7;host="rumble.example:8443";proto=https')], "rumble.example:8443"),
    ],
)
def test_a_believed_proxy_names_the_host(headers: list[tuple[bytes, bytes]], host: str) -> None:
    assert of(*headers).forwarded_host == host


def test_nobody_else_is_believed() -> None:
    told = {b"for": b"127.0.0.1", b"proto": b"https", b"host": b"evil.example"}
    forged = [(b"x-forwarded-" + name, value) for name, value in told.items()]
    assert of(*forged, peer="203.0.113.5") == Source("203.0.113.5", False, "http")
    tunnelled = of(*forged, peer="127.0.0.1")
    assert tunnelled == Source("127.0.0.1 (forwarded)", False, "http")
    assert not is_loopback(tunnelled.address), "no bound of an address exempts what a tunnel brings"


def test_a_network_of_proxies_is_believed() -> None:
    sources = Sources(["10.0.0.0/8", "2001:db8::/32"])
    assert sources.is_proxy("10.1.2.3")
    assert sources.is_proxy("::ffff:10.1.2.3")
    assert sources.is_proxy("2001:db8::1")
    assert not sources.is_proxy("192.0.2.1")
    assert not sources.is_proxy("")
    with pytest.raises(ValueError, match="does not appear to be"):
        Sources(["proxy.example"])


@pytest.mark.parametrize(
    "header",
    [
        (b"x-forwarded-for", b"unknown"),
        (b"forwarded", b"for=_hidden"),
        (b"x-forwarded-host", b"rumble.example"),
        (b"x-real-ip", b"198.51.100.7"),
        (b"cf-connecting-ip", b"198.51.100.7"),
        (b"true-client-ip", b"198.51.100.7"),
        (b"via", b"1.1 proxy"),
        (b"x-who-asks", b"198.51.100.7"),
        (b"x-who-asks", b"2001:db8::5"),
        (b"x-who-asks", b"127.0.0.1, 198.51.100.7"),
        (b"host", b"rumble.example"),
    ],
)
@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "::ffff:127.0.0.1", ""])
def test_a_forwarded_request_is_never_local_whatever_its_header_is_called(
    peer: str, header: tuple[bytes, bytes]
) -> None:
    assert not of(header, peer=peer, proxies=()).is_local


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.0.1.9", "::1", "::ffff:127.0.0.1", ""])
def test_a_request_that_nobody_forwarded_is_local_on_loopback(peer: str) -> None:
    usual = [(b"user-agent", b"curl/8.0"), (b"accept", b"*/*"), (b"dnt", b"1"), (b"content-length", b"12")]
    assert of(*usual, peer=peer, proxies=()).is_local
    assert not of(*usual, peer="192.0.2.9", proxies=()).is_local


def test_of_a_long_header_little_is_kept_in_memory() -> None:
    source._read.cache_clear()
    for end in (b"1", b"2"):
        assert not is_forwarded([(b"cookie", b"x" * 60_000 + end)])
    assert source._read.cache_info().currsize == 1
