"""Tokens of hosts and of the administrator: made tokens in place of hand-chosen ones, and short tokens."""

import pytest
from rumble_protocol.secret import make_secret
from rumble_server.arena.commands.administrator import Administrator
from rumble_server.arena.commands.organiser import Organiser

from tests.server.web.guards.test_secret_checks import ADDRESS, ask
from tests.server.web.memory_server import HOST, MemoryServer


async def test_a_hand_chosen_token_is_exchanged_for_one_that_nobody_locks_out(server: MemoryServer) -> None:
    """A pupil behind the teacher's address shows one wrong token a second."""
    Administrator(server.world.arena).set_token("the-administrators-own")
    async with server.browser(address=ADDRESS) as browser:
        response = await ask(browser, "/api/host", HOST["Authorization"])
        asked = await ask(browser, "/api/clubs", "Bearer the-administrators-own")
        host, administrator = (answer.headers["Rumble-Token"] for answer in (response, asked))
        assert response.headers["Cache-Control"] == asked.headers["Cache-Control"] == "no-store"
        for guess in ["Bearer wrong-wrong-wrong"] * 20 + [f"Bearer {make_secret()}"] * 10:
            await ask(browser, "/api/host", guess)
        assert (await ask(browser, "/api/host", HOST["Authorization"])).status_code == 429
        for path, token in (("/api/host", host), ("/api/clubs", administrator)):
            answer = await ask(browser, path, f"Bearer {token}")
            assert (answer.status_code, answer.headers.get("Rumble-Token")) == (200, None)
        Organiser(server.world.arena).set_token("ada", "the-token-of-ada")
        Organiser(server.world.arena).remove_token("default")
        assert (await ask(browser, "/api/host", f"Bearer {host}")).status_code == 401


@pytest.mark.parametrize(
    ("address", "is_local", "status"), [("127.0.0.1", None, 200), (ADDRESS, None, 401), ("127.0.0.1", False, 401)]
)
async def test_a_short_host_token_is_good_only_on_the_servers_own_machine(
    server: MemoryServer, address: str, is_local: bool | None, status: int
) -> None:
    Organiser(server.world.arena).set_token("short", "short-token")
    async with server.browser(address=address, is_local=is_local) as browser:
        assert (await ask(browser, "/api/host", "Bearer short-token")).status_code == status
