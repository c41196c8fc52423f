import httpx
import pytest

from tests.server.web.memory_server import MemoryServer

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


@pytest.mark.parametrize("path", ["/", "/nope", "/api/tournaments", "/api/nope", "/static/style.css", "/healthz"])
async def test_every_answer_is_guarded(browser: httpx.AsyncClient, path: str) -> None:
    headers = (await browser.get(path)).headers
    assert headers["Content-Security-Policy"] == POLICY
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize(
    ("address", "host", "status"),
    [
        ("http://127.0.0.1:8765", "127.0.0.1:8765", 200),
        ("http://127.0.0.1:8765", "localhost:8765", 200),
        ("http://[::1]:8765", "[::1]:8765", 200),
        ("http://127.0.0.1:8765", "rumble.example", 200),
        ("http://127.0.0.1:8765", "evil.example", 403),
        ("http://127.0.0.1:8765", "evil.example:8765", 403),
        ("http://192.0.2.1:8765", "whatever.example", 200),
    ],
)
async def test_on_loopback_only_known_hosts_are_answered(address: str, host: str, status: int) -> None:
    server = MemoryServer(hosts=frozenset({"rumble.example"}))
    async with server.browser(base_url=address) as browser:
        answer = await browser.get("/api/tournaments", headers={"Host": host})
    assert answer.status_code == status
    assert "Content-Security-Policy" in answer.headers
    if status == 403:
        assert answer.text == "this server is not known as 'evil.example'\n"
