"""The source of a request: the address of its client, and whether the request comes from this machine."""

from typing import Any

import pytest
from fastapi import Request
from rumble_server.web.client import client_address, is_local


@pytest.mark.parametrize(
    ("scope", "address", "local"),
    [
        ({"client": ("127.0.0.1", 5000)}, "127.0.0.1", True),
        ({"client": ("::1", 5000)}, "::1", True),
        ({"client": ("192.0.2.1", 5000)}, "192.0.2.1", False),
        ({"client": ("127.0.0.1", 5000), "state": {"is_local": False}}, "127.0.0.1", False),
        ({"client": ("192.0.2.1", 5000), "state": {"is_local": True}}, "192.0.2.1", True),
        ({"client": None}, "", True),
    ],
)
def test_a_request_has_a_source(scope: dict[str, Any], address: str, local: bool) -> None:
    request = Request({"type": "http", **scope})
    assert (client_address(request), is_local(request)) == (address, local)
