import re
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest
from rumble_protocol.secret import is_made

from tests.server.web.api.organiser import get, post
from tests.server.web.memory_server import HOST, MemoryServer


@pytest.mark.parametrize(("what", "body"), [("door", {"open": True}), ("invite", {"code": "ours"})])
async def test_a_tournament_may_end_while_its_new_code_waits_for_the_disk(
    server: MemoryServer, browser: httpx.AsyncClient, what: str, body: dict[str, Any]
) -> None:
    server.world.create(classroom=True)
    server.pass_ms()
    server.log.after_wait = lambda: server.world.organiser.end("friday", cancelled=True)
    assert (await post(browser, f"tournaments/friday/{what}", body)).status_code == 200


async def test_an_answer_has_the_code_of_its_own_command(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.world.create(classroom=True)
    server.log.after_wait = lambda: server.world.organiser.change_invite("friday", "other")
    assert (await post(browser, "tournaments/friday/invite", {"code": "ours"})).json()["code"] == "ours"
    server.log.after_wait = lambda: server.world.organiser.close_door("friday")
    opened = await post(browser, "tournaments/friday/door", {"open": True})
    assert opened.json()["code"] is not None
    assert tournament.join_code is None, "another host has closed the door meanwhile"


async def test_a_code_that_is_not_on_disk_is_not_shown(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create(classroom=True)
    server.pass_ms()
    server.world.organiser.close_door("friday")
    server.log.after_wait = lambda: server.world.organiser.open_door("friday")
    assert (await get(browser, "tournaments/friday/invite"))["door"] is None
    server.pass_ms()
    server.world.organiser.close_door("friday")
    server.pass_ms()
    closed = (await browser.get("/api/tournaments/friday/invite.svg", headers=HOST)).text
    server.world.create(name="Unwritten")
    server.log.after_wait = lambda: server.world.organiser.open_door("friday")
    assert (await browser.get("/api/tournaments/friday/invite.svg", headers=HOST)).text == closed


async def test_an_invitation_is_shown_changed_and_lifted(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create(invite="hush hush")
    invitation = await get(browser, "tournaments/friday/invite")
    made = server.world.arena.tournaments["friday"].shared_invite or ""
    assert is_made(made)
    named = r"--name [a-z]+-[a-z]+-\d\d"
    command = "rumble bot mine.py:ai --server http://rumble.test --join friday"
    assert re.fullmatch(f"{command} --invite {made} {named}", invitation.pop("command"))
    assert invitation == {
        "code": "hush hush",
        "link": f"http://rumble.test/tournaments/friday?invite={made}",
        "only_here": False,
        "door": None,
    }
    renewed = (await post(browser, "tournaments/friday/invite")).json()
    assert is_made(renewed["code"])
    for name, old in (("late", "hush hush"), ("later", made)):
        bot = server.world.login(name, join="friday", invite=old)
        server.pass_ms()
        assert bot.last("error")["code"] == "invite_required"
    server.world.login("early", join="friday", invite=renewed["code"])
    own = (await post(browser, "tournaments/friday/invite", {"code": "ours"})).json()
    assert own["code"] == "ours"
    lifted = (await post(browser, "tournaments/friday/invite", {"code": None})).json()
    assert re.fullmatch(f"{command} {named}", lifted.pop("command"))
    assert lifted == {"code": None, "link": "http://rumble.test/tournaments/friday", "only_here": False, "door": None}
    server.world.login("anyone", join="friday")
    server.pass_ms()
    assert list(server.world.tournament("friday").field) == ["early", "anyone"]
    assert server.world.log.durable == server.world.log.last


async def test_a_changed_invitation_survives_a_restart(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create(invite="hush")
    for code in ("hush", "new"):
        if code == "new":
            await post(browser, "tournaments/friday/invite", {"code": code})
        server.pass_ms()
        made = server.world.arena.tournaments["friday"].shared_invite
        again = server.world.after_crash().arena.tournaments["friday"]
        assert (again.invite, again.shared_invite) == (code, made)


async def test_the_link_as_a_picture(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create(invite="<hush>")
    answer = await browser.get("/api/tournaments/friday/invite.svg", headers=HOST)
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["cache-control"] == "no-store"
    picture = ElementTree.fromstring(answer.text)
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    assert "hush" not in answer.text


async def test_a_reader_with_the_link_sees_how_to_join(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    """A code of the host's own choice is exchanged for the made one, which the page shows."""
    made = server.world.create(invite="hush'<b>").shared_invite
    for code in ("hush'<b>", made):
        page = (await browser.get("/tournaments/friday", params={"invite": code})).text
        assert f"--invite {made} " in page
        assert "hush" not in page
    for query in ("", "?invite=", "?invite=guess%3Cb%3E"):
        page = (await browser.get(f"/tournaments/friday{query}")).text
        assert "hush" not in page
        assert "guess" not in page
        assert ("not valid any more" in page) == bool(query)


async def test_the_links_of_an_invitation_keep_its_code(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create(name="Other")
    made = server.world.create(invite="hush").shared_invite
    carried = f"?join=friday&amp;invite={made}"
    for path in ("/tournaments/friday?invite=hush", "/write?join=friday&invite=hush", "/?join=friday&invite=hush"):
        page = (await browser.get(path)).text
        assert f'<a class="brand" href="/{carried}">' in page, path
        assert f'<a href="/write{carried}"' in page, path
    home = (await browser.get("/?join=friday&invite=hush")).text
    assert f'<a href="/tournaments/friday?invite={made}">' in home
    assert '<a href="/write?join=other">' in home
    assert re.search(rf"bare_bot.py rumble.test friday <span data-bot-name>[a-z-]+\d\d</span> {made}<", home)
    assert f'<a href="/tournaments/friday?invite={made}">' in (await browser.get("/write?join=friday&invite=hush")).text
    for path in ("/?join=friday&invite=guess", "/write?join=friday&invite=guess", "/?join=nope&invite=hush"):
        page = (await browser.get(path)).text
        assert "invite=" not in page
        assert "guess" not in page


async def test_the_command_has_a_bot_that_plays_the_game(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create(game="snakes", seats=4)
    assert "rumble bot mcts --server " in (await browser.get("/write?join=friday")).text
