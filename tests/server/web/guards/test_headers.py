"""The guard before all routes: known host names, and security headers of answers."""

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
        ("http://127.0.0.1:8765", "rumble.example", 200),
        ("http://127.0.0.1:8765", "evil.example", 403),
        ("http://192.0.2.1:8765", "whatever.example", 200),
    ],
)
async def test_on_loopback_only_known_hosts_are_answered(address: str, host: str, status: int) -> None:
    server = MemoryServer(host_names=frozenset({"rumble.example"}))
    async with server.browser(base_url=address) as browser:
        answer = await browser.get("/api/tournaments", headers={"Host": host})
    assert answer.status_code == status
    assert "Content-Security-Policy" in answer.headers
    if status == 403:
        assert answer.text == "this server is not known as 'evil.example'\n"


@pytest.mark.parametrize(
    ("address", "is_sent"),
    [("http://127.0.0.1:8765", True), ("https://192.0.2.1:8765", True), ("http://192.0.2.1:8765", False)],
)
async def test_the_opener_policy_is_sent_where_browsers_accept_it(address: str, is_sent: bool) -> None:
    async with MemoryServer().browser(base_url=address) as browser:
        answer = await browser.get("/")
    assert ("Cross-Origin-Opener-Policy" in answer.headers) is is_sent


@pytest.mark.parametrize("credentials", ["Bearer x", "Bot anna:the-key-of-anna-123"])
@pytest.mark.parametrize(
    "path", ["/api/me", "/api/versions", "/api/tournaments/friday/host", "/api/matches/x/transcript"]
)
async def test_no_computer_stores_an_answer_to_a_key(browser: httpx.AsyncClient, credentials: str, path: str) -> None:
    answer = await browser.get(path, headers={"Authorization": credentials})
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("hosts", [["localhost", "localhost"], ["localhost", "evil.example"], ["["], ["a/b"]])
async def test_a_request_with_no_proper_host_gets_400(hosts: list[str]) -> None:
    async with MemoryServer().browser(base_url="http://192.0.2.1:8765") as browser:
        answer = await browser.get("/", headers=[("Host", host) for host in hosts])
    assert (answer.status_code, answer.text) == (400, "a request has one Host, the name of this server\n")
