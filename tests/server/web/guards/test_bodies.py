"""The body of a request that breaks off."""

import pytest
from fastapi import Request
from rumble_server.web.errors import WebError
from rumble_server.web.guards.bodies import read_body
from starlette.types import Message


async def test_a_body_that_breaks_off_is_no_failure_of_the_server() -> None:
    async def receive() -> Message:
        return {"type": "http.disconnect"}

    request = Request({"type": "http", "method": "POST", "path": "/", "headers": []}, receive)
    with pytest.raises(WebError, match="ended before the body"):
        await read_body(request)
