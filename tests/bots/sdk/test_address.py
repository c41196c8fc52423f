import pytest
from rumble_bots import Address, BadAddress, BadServer, http_base, ws_url


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
        ("http://host:1/api", "only host and port"),
        ("http://me:secret@host:1", "only host and port"),
        ("http://host:1?x=1", "only host and port"),
        ("http://[::1", "Invalid IPv6"),
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
