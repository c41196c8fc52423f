import re
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest
from rumble_server.match.facts import MatchOver

from tests.server.web.scene import HOST, Scene

READ = [
    "host",
    "host/tournaments",
    *(f"tournaments/friday/{each}" for each in ("host", "house", "invite", "invite.svg")),
]
KEY = "a-key-of-16-chars"


async def get(browser: httpx.AsyncClient, path: str) -> Any:
    answer = await browser.get(f"/api/{path}", headers=HOST)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def post(browser: httpx.AsyncClient, path: str, body: Any = None) -> httpx.Response:
    return await browser.post(f"/api/{path}", headers=HOST, json=body)


@pytest.mark.parametrize("path", READ)
async def test_only_the_host_is_told(scene: Scene, browser: httpx.AsyncClient, path: str) -> None:
    scene.world.create(invite="hush")
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        answer = await browser.get(f"/api/{path}", headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "bad_token")
        assert "hush" not in answer.text
    assert (await browser.get(f"/api/{path}", headers=HOST)).status_code == 200


async def test_the_host_sees_tournaments_that_are_not_listed_but_no_challenges(
    scene: Scene, browser: httpx.AsyncClient
) -> None:
    scene.world.create(name="public")
    scene.pass_ms()
    scene.world.create(name="secret", listed=False)
    scene.world.login("alice", challenges=True)
    challenger = scene.world.login("bob")
    challenger.say(type="challenge", against="alice", game="tictactoe")
    scene.pass_ms()
    told = await get(browser, "host/tournaments")
    assert [each["id"] for each in told["tournaments"]] == ["secret", "public"]
    listed = (await browser.get("/api/tournaments")).json()
    assert [each["id"] for each in listed["tournaments"]] == ["public"]


async def test_the_host_sees_who_is_connected_and_everyones_last_fault(
    scene: Scene, browser: httpx.AsyncClient
) -> None:
    tournament = scene.world.create(cycles=20, invite="hush", start_at_bots=2)
    scene.players("alice", join=tournament.id, invite="hush")
    bob = scene.world.login("bob", key=KEY, join=tournament.id, invite="hush")
    bob.play(lambda turn: "nonsense", lambda: 5)
    scene.pass_ms(1_000)
    bob.drop()
    scene.pass_ms(100)
    answer = await browser.get("/api/tournaments/friday/host", headers=HOST)
    assert "hush" not in answer.text
    told = answer.json()
    assert (told["by_invitation"], told["config"]["cycles"], told["config"]["invite"]) == (True, 20, None)
    alice, bob_line = told["field"]
    assert (alice["name"], alice["connected"], alice["open"], alice["last_fault"]) == ("alice", True, True, None)
    assert (bob_line["connected"], bob_line["open"], bob_line["house"]) == (False, False, None)
    last = next(over for over in reversed(list(_results(scene))) if over.termination == "illegal_move")
    assert bob_line["last_fault"] == {
        "match": last.match,
        "termination": "illegal_move",
        "reason": last.reason,
        "at_ms": last.at_ms,
    }


def _results(scene: Scene) -> list[MatchOver]:
    return list(scene.world.arena.tournaments["friday"].results.values())


async def test_house_bots_are_listed_added_and_started(scene: Scene, browser: httpx.AsyncClient) -> None:
    scene.world.create(invite="hush")
    told = await get(browser, "tournaments/friday/house")
    assert [each["bot"] for each in told["bots"]] == ["random", "perfect"]
    answer = await post(browser, "tournaments/friday/house", {"bot": "random", "count": 2})
    assert [each["name"] for each in answer.json()["entrants"]] == ["house-random-1", "house-random-2"]
    assert [bot.name for bot in scene.house.kept] == ["house-random-1", "house-random-2"]
    assert (await get(browser, "tournaments/friday/house"))["room"] == told["room"] - 2
    seen = await get(browser, "tournaments/friday/host")
    assert [each["house"] for each in seen["field"]] == ["random", "random"]


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 422, "bot"),
        ({"bot": "random", "count": 0}, 422, "count"),
        ({"bot": "random", "count": 33}, 422, "count"),
        ({"bot": "random", "name": "no spaces"}, 422, "name"),
        ({"bot": "random", "nmae": "x"}, 422, "nmae"),
        ({"bot": "chaos"}, 404, None),
    ],
)
async def test_what_cannot_be_added_is_told(
    scene: Scene, browser: httpx.AsyncClient, body: Any, status: int, field: str | None
) -> None:
    scene.world.create()
    answer = await post(browser, "tournaments/friday/house", body)
    assert answer.status_code == status
    assert [each["field"] for each in answer.json()["error"]["detail"]] == ([] if field is None else [field])


async def test_an_invitation_is_shown_changed_and_lifted(scene: Scene, browser: httpx.AsyncClient) -> None:
    scene.world.create(invite="hush hush")
    told = await get(browser, "tournaments/friday/invite")
    assert told == {
        "code": "hush hush",
        "link": "http://rumble.test/tournaments/friday?invite=hush+hush",
        "command": "rumble bot minimax --server http://rumble.test --join friday --invite 'hush hush'",
    }
    renewed = (await post(browser, "tournaments/friday/invite")).json()
    assert re.fullmatch(r"[\w-]{12}", renewed["code"])
    late = scene.world.login("late", join="friday", invite="hush hush")
    scene.pass_ms()
    assert late.last("error")["code"] == "invite_required"
    scene.world.login("early", join="friday", invite=renewed["code"])
    own = (await post(browser, "tournaments/friday/invite", {"code": "ours"})).json()
    assert own["code"] == "ours"
    lifted = (await post(browser, "tournaments/friday/invite", {"code": None})).json()
    assert lifted == {
        "code": None,
        "link": "http://rumble.test/tournaments/friday",
        "command": "rumble bot minimax --server http://rumble.test --join friday",
    }
    scene.world.login("anyone", join="friday")
    scene.pass_ms()
    assert list(scene.world.arena.tournaments["friday"].field) == ["early", "anyone"]
    assert scene.world.log.durable == scene.world.log.last


async def test_a_changed_invitation_survives_a_restart(scene: Scene, browser: httpx.AsyncClient) -> None:
    scene.world.create(invite="hush")
    await post(browser, "tournaments/friday/invite", {"code": "new"})
    assert scene.world.after_crash().arena.tournaments["friday"].invite == "new"


async def test_the_invitation_of_a_tournament_that_is_over_cannot_be_changed(
    scene: Scene, browser: httpx.AsyncClient
) -> None:
    scene.world.host.end(scene.world.create(invite="hush").id, cancelled=True)
    answer = await post(browser, "tournaments/friday/invite")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "tournament_closed")


async def test_the_link_as_a_picture(scene: Scene, browser: httpx.AsyncClient) -> None:
    scene.world.create(invite="<hush>")
    answer = await browser.get("/api/tournaments/friday/invite.svg", headers=HOST)
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["cache-control"] == "no-store"
    picture = ElementTree.fromstring(answer.text)
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    assert "hush" not in answer.text


async def test_who_has_the_link_sees_how_to_join(scene: Scene, browser: httpx.AsyncClient) -> None:
    scene.world.create(invite="hush'<b>")
    page = (await browser.get("/tournaments/friday", params={"invite": "hush'<b>"})).text
    assert "--invite &#39;hush&#39;&#34;&#39;&#34;&#39;&lt;b&gt;&#39;" in page
    for query in ("", "?invite=", "?invite=guess%3Cb%3E"):
        page = (await browser.get(f"/tournaments/friday{query}")).text
        assert "hush" not in page
        assert "guess" not in page
        assert ("not valid any more" in page) == bool(query)
