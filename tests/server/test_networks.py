"""The addresses of this machine: whatever networks it has, each is one that it can listen on."""

import socket
from ipaddress import ip_address

import pytest
from rumble_server import networks
from rumble_server.networks import network_addresses


def test_each_address_is_one_of_this_machine_s_own() -> None:
    for address in network_addresses():
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family) as listening:
            listening.bind((address, 0))  # it refuses what is no address of this machine


def test_the_interfaces_have_the_way_to_oneself() -> None:
    found = [str(each) for each in networks._of_interfaces()]
    assert "127.0.0.1" in found


def test_ipv4_comes_first_and_nothing_is_there_twice_or_only_for_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    default = ["192.168.1.5", "2001:db8::5"]
    others = ["127.0.0.1", "::1", "fe80::1", "169.254.9.9", "10.0.0.5", "192.168.1.5", "2001:db8::99", "fd00::2"]
    monkeypatch.setattr(networks, "_of_default_routes", lambda: map(ip_address, default))
    monkeypatch.setattr(networks, "_of_interfaces", lambda: map(ip_address, others))
    assert network_addresses() == ["192.168.1.5", "10.0.0.5", "2001:db8::5", "fd00::2"]


def test_a_machine_without_a_network_has_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "PROBES", {socket.AF_INET: "255.255.255.255"})  # no route: it needs an option
    monkeypatch.setattr(networks, "_of_interfaces", lambda: map(ip_address, ["127.0.0.1"]))
    assert network_addresses() == []
