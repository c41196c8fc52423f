"""Guessing over HTTP: guesses of every secret are limited by address on all routes; 429 says when to come again."""

import httpx
import pytest
from rumble_server.limits.admission import Admission
from rumble_server.limits.bounds import Bounds

from tests.server.web.memory_server import HOST, WRITE_MS, MemoryServer
from tests.server.world import World

ADDRESS = "203.0.113.7"
KEY = "the-key-of-alice-1"
WRONG: dict[str, tuple[str, str]] = {
    "a host token": ("/api/host", "Bearer wrong-wrong-wrong"),
    "a host token of a command": ("/api/bans", "Bearer wrong-wrong-wrong"),
    "a host token of a transcript": ("/api/matches/friday.1.1.1.1/transcript", "Bearer wrong-wrong-wrong"),
    "a token of the figures": ("/metrics", "Bearer wrong-wrong-wrong"),
    "a key of a transcript": ("/api/matches/friday.1.1.1.1/transcript", "Bot alice:wrong"),
}


@pytest.fixture
def server() -> MemoryServer:
    made = MemoryServer(
        World(delay_ms=WRITE_MS, admission=Admission(Bounds(wrong_tries_per_minute=3, names_per_hour=1000)))
    )
    made.world.create(invite="sesame")
    made.world.login("alice", key=KEY)
    return made


async def ask(browser: httpx.AsyncClient, path: str, authorization: str) -> httpx.Response:
    return await browser.get(path, headers={"Authorization": authorization} if authorization else {})


@pytest.mark.parametrize("first", WRONG)
async def test_wrong_secrets_are_counted_together_whatever_the_way_in(server: MemoryServer, first: str) -> None:
    async with server.browser(address=ADDRESS) as browser:
        for _ in range(3):
            assert (await ask(browser, *WRONG[first])).status_code in (200, 401)
        for path, authorization in WRONG.values():
            answer = await ask(browser, path, authorization)
            assert (answer.status_code, answer.headers["Retry-After"]) == (429, "60")
            if path.startswith("/api"):
                assert answer.json()["error"]["code"] == "too_many_requests"
        assert (await ask(browser, "/api/host", HOST["Authorization"])).status_code == 429, "whatever it is"
        assert (await browser.get("/tournaments/friday")).status_code == 200, "without a secret nothing is tried"
        assert (await browser.get("/api/host")).status_code == 401
        bot = server.world.connect(is_local=False, address=ADDRESS)
        bot.login("alice", key=KEY)
        assert bot.error() == "too_many_messages"
    async with server.browser(address="203.0.113.8") as elsewhere:
        assert (await ask(elsewhere, "/api/host", HOST["Authorization"])).status_code == 200
    server.pass_ms(60_000)
    async with server.browser(address=ADDRESS) as browser:
        assert (await ask(browser, "/api/host", HOST["Authorization"])).status_code == 200
    counts = server.world.arena.admission.refusals.counts
    assert counts["too_many_wrong_tries"] == len(WRONG) + 2
    assert sum(counts[word] for word in ("wrong_token", "wrong_key")) == 3


async def test_owner_of_the_right_secret_is_not_locked_out_by_its_neighbours(server: MemoryServer) -> None:
    async with server.browser(address=ADDRESS) as browser:
        transcript = "/api/matches/friday.1.1.1.1/transcript"
        assert (await ask(browser, "/api/host", HOST["Authorization"])).status_code == 200
        assert (await ask(browser, transcript, f"Bot alice:{KEY}")).status_code == 404
        server.world.login("bob", key="the-key-of-bob-123")
        for _ in range(4):
            answer = await ask(browser, transcript, "Bot bob:wrong")
        assert answer.status_code == 429
        assert (await ask(browser, "/api/host", HOST["Authorization"])).status_code == 200
        assert (await ask(browser, transcript, f"Bot ALICE:{KEY}")).status_code == 404


async def test_a_wrong_invitation_refuses_no_page_no_key_and_no_right_invitation(server: MemoryServer) -> None:
    async with server.browser(address=ADDRESS) as browser:
        for number in range(30):
            page = await browser.get(f"/tournaments/friday?invite=wrong-{number}")
            assert (page.status_code, "not valid any more" in page.text) == (200, True)
        assert "You are invited" in (await browser.get("/tournaments/friday?invite=sesame")).text
        assert (await ask(browser, "/api/host", HOST["Authorization"])).status_code == 200
    assert server.world.arena.admission.refusals.counts["too_many_wrong_codes"] == 10
