"""Requests with the host token."""

from typing import Any

import httpx

from tests.server.web.memory_server import HOST


async def get(browser: httpx.AsyncClient, path: str) -> Any:
    answer = await browser.get(f"/api/{path}", headers=HOST)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def post(browser: httpx.AsyncClient, path: str, body: Any = None) -> httpx.Response:
    return await browser.post(f"/api/{path}", headers=HOST, json=body)
