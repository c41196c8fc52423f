import httpx

from tests.server.web.memory_server import MemoryServer


async def test_a_server_that_is_not_ready_is_alive_nevertheless(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    assert (await browser.get("/readyz")).json() == {"status": "ok", "reason": "", "leads": []}
    server.log.trouble = "disk full"
    answer = await browser.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "unavailable", "reason": "disk full", "leads": []})
    server.log.trouble = None
    server.world.arena.drain()
    answer = await browser.get("/readyz")
    assert (answer.status_code, answer.json()["reason"]) == (503, "draining")
    answer = await browser.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "reason": ""})
