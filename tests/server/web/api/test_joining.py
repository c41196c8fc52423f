"""Join codes over HTTP: the door, the page, and a class that mistypes."""

from typing import Any

import pytest
from rumble_protocol.secret import make_secret

from tests.server.web.memory_server import HOST, MemoryServer

ADDRESS = "203.0.113.7"


def wanted(code: str, display: str, **more: Any) -> dict[str, Any]:
    return {"code": code, "display_name": display, "key": make_secret(), **more}


@pytest.fixture
def code(server: MemoryServer) -> str:
    """Create a classroom; return its join code."""
    made = server.world.create(classroom=True).join_code
    assert made is not None
    return made


async def test_a_pupil_joins_and_is_seen_by_the_display_name(server: MemoryServer, code: str) -> None:
    async with server.browser(address=ADDRESS) as browser:
        found = await browser.get(f"/api/join/{code.lower()}")
        assert found.json() == {
            "tournament": "friday",
            "title": "Friday",
            "game": "tictactoe",
            "settings": {},
            "status": "lobby",
        }
        joined = await browser.post("/api/join", json=wanted(code, "Zo\u00eb"))
        assert joined.json() == {
            "name": "zoe",
            "display_name": "Zo\u00eb",
            "tournament": "friday",
            "title": "Friday",
            "game": "tictactoe",
        }
        server.world.login("plain", join="friday")
        view = (await browser.get("/api/tournaments/friday")).json()
        assert {each["name"]: each.get("display_name", "absent") for each in view["entrants"]} == {
            "zoe": "Zo\u00eb",
            "plain": "absent",
        }
        host = (await browser.get("/api/tournaments/friday/host", headers=HOST)).json()
        assert {each["name"]: each["by_code"] for each in host["field"]} == {"zoe": True, "plain": False}


async def test_a_pupil_is_told_nothing_that_is_not_on_disk(server: MemoryServer, code: str) -> None:
    server.world.create(name="Unwritten")
    organiser = server.world.organiser
    config = server.world.tournament("friday").config
    async with server.browser(address=ADDRESS) as browser:
        server.log.after_wait = lambda: organiser.change_config("friday", config.model_copy(update={"name": "Later"}))
        assert (await browser.get(f"/api/join/{code}")).json()["title"] == "Friday"
        organiser.change_config("friday", config)
        server.log.after_wait = lambda: organiser.change_config("friday", config.model_copy(update={"name": "Later"}))
        assert (await browser.post("/api/join", json=wanted(code, "Zo\u00eb"))).json()["title"] == "Friday"


@pytest.mark.parametrize(
    ("change", "status", "problem"),
    [
        ({"code": "AAAAAA"}, 404, "unknown_code"),
        ({"display_name": "a  b"}, 422, "bad_display_name"),
        ({"display_name": "ANNA"}, 409, "name_taken"),
        ({"key": "chosen-by-a-person"}, 422, "bad_message"),
        ({"surprise": 1}, 422, "bad_message"),
    ],
)
async def test_a_refused_pupil_is_told_why(
    server: MemoryServer, code: str, change: dict[str, Any], status: int, problem: str
) -> None:
    async with server.browser(address=ADDRESS) as browser:
        assert (await browser.post("/api/join", json=wanted(code, "Anna"))).status_code == 200
        answer = await browser.post("/api/join", json=wanted(code, "Ben") | change)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, problem)


async def test_after_the_start_only_late_pupils_of_a_round_robin_join(server: MemoryServer, code: str) -> None:
    knockout = server.world.create(name="Cup", classroom=True, format="knockout")
    async with server.browser(address=ADDRESS) as browser:
        for display in ("Anna", "Ben"):
            await browser.post("/api/join", json=wanted(code, display))
            await browser.post("/api/join", json=wanted(knockout.join_code or "", f"{display}-2"))
        for tournament in ("friday", knockout.id):
            server.world.organiser.start(tournament)
        assert (await browser.post("/api/join", json=wanted(code, "Cid"))).status_code == 200
        answer = await browser.post("/api/join", json=wanted(knockout.join_code or "", "Dora"))
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "tournament_closed")


async def test_the_host_opens_and_closes_the_door(server: MemoryServer) -> None:
    server.world.create()
    path = "/api/tournaments/friday"
    async with server.browser() as browser:
        assert (await browser.get(f"{path}/invite", headers=HOST)).json()["door"] is None
        opened = (await browser.post(f"{path}/door", json={"open": True}, headers=HOST)).json()
        assert opened["link"] == f"http://rumble.test/join?code={opened['code']}"
        assert (await browser.get(f"{path}/invite", headers=HOST)).json()["door"] == opened
        qr_of_door = (await browser.get(f"{path}/invite.svg", headers=HOST)).content
        closed = (await browser.post(f"{path}/door", json={"open": False}, headers=HOST)).json()
        assert closed == {"code": None, "link": "http://rumble.test/join"}
        assert (await browser.get(f"{path}/invite.svg", headers=HOST)).content != qr_of_door
        assert (await browser.get(f"/api/join/{opened['code']}")).status_code == 404


async def test_a_class_mistypes_30_codes_and_25_pupils_still_join(server: MemoryServer, code: str) -> None:
    async with server.browser(address=ADDRESS) as browser:
        wrong = [
            (await browser.post("/api/join", json=wanted("ZZZZZZ", f"P {each}"))).status_code for each in range(30)
        ]
        assert wrong == [404] * 20 + [429] * 10
        assert (await browser.get(f"/join?code={code}")).status_code == 200
        assert (await browser.get("/api/host", headers=HOST)).status_code == 200
        right = [(await browser.post("/api/join", json=wanted(code, f"P {each}"))).status_code for each in range(25)]
        assert right == [200] * 25
    assert len(server.world.arena.tournaments["friday"].field) == 25
