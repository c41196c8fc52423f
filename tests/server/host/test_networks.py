"""The addresses of this machine: on any networks, a server can listen at each of the addresses."""

import socket
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

import pytest
from rumble_server.host.networks import Source, can_listen, is_down, network_addresses, of_default_routes, of_interfaces


def has(*addresses: str) -> Source:
    def source() -> Iterator[IPv4Address | IPv6Address]:
        return map(ip_address, addresses)

    return source


def test_each_address_is_one_of_this_machine_s_own() -> None:
    for address in network_addresses():
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family) as listening:
            listening.bind((address, 0))  # raises for an address of another machine


def test_the_interfaces_have_the_way_to_this_machine() -> None:
    assert "127.0.0.1" in [str(each) for each in of_interfaces()]


def test_the_interfaces_have_the_way_to_the_rest_of_the_world() -> None:
    assert set(of_default_routes()) <= set(of_interfaces())


def test_without_a_default_route_each_network_still_has_an_address() -> None:
    assert len(network_addresses(default_routes=has())) == len(network_addresses())


def test_an_interface_is_down_if_linux_says_so(tmp_path: Path) -> None:
    for name, state in (("eth0", "up"), ("tun0", "unknown"), ("docker0", "down")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "operstate").write_text(f"{state}\n")
    assert [name for name in ("eth0", "tun0", "docker0", "none") if is_down(name, tmp_path)] == ["docker0"]


def test_an_address_where_no_server_can_listen_is_left_out() -> None:
    # An address of TEST-NET-2 (RFC 5737) is never this machine's. Windows still reports the last address of an
    # unplugged adapter.
    assert not can_listen(ip_address("198.51.100.7"))
    assert can_listen(ip_address("127.0.0.1"))
    assert network_addresses(has(), has("198.51.100.7")) == []


def test_ipv4_comes_first_and_nothing_is_there_twice_or_only_for_neighbours() -> None:
    default = has("192.168.1.5", "2001:db8::5")
    others = has("127.0.0.1", "::1", "fe80::1", "169.254.9.9", "10.0.0.5", "192.168.1.5", "2001:db8::99", "fd00::2")
    found = network_addresses(default, others, lambda address: True)
    assert found == ["192.168.1.5", "10.0.0.5", "2001:db8::5", "fd00::2"]


def test_a_machine_without_a_network_has_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object) -> None:
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr(socket.socket, "connect", unreachable)
    assert network_addresses(interfaces=has("127.0.0.1", "::1")) == []
