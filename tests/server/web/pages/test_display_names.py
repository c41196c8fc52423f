"""Display names on pages: in `<bdi>` wherever people see a bot, and never in files and notation."""

import re

from rumble_protocol.secret import make_secret
from rumble_server.arena.commands.joining import Joining

from tests.server.web.memory_server import MemoryServer

HEBREW = "\u05d3\u05d5\u05d3"


async def test_people_see_display_names_and_files_have_names(server: MemoryServer) -> None:
    world = server.world
    tournament = world.create(classroom=True, listed=True)
    code, keys = tournament.join_code or "", (make_secret(), make_secret())
    for display, key in zip((HEBREW, "Zo\u00eb"), keys, strict=True):
        Joining(world.arena).join(code, display, key, "203.0.113.7")
    world.organiser.start("friday")
    bots = [world.connect() for _ in keys]
    for name, bot, key in zip(("pupil", "zoe"), bots, keys, strict=True):
        bot.login(name, key=key)
    server.pass_ms()
    match = next(iter(tournament.running))
    named = (f"<bdi>{HEBREW}</bdi>", "<bdi>Zo\u00eb</bdi>")
    async with server.browser() as browser:
        for path in ("/tournaments/friday", f"/matches/{match}"):
            page = (await browser.get(path)).text
            for each in named:
                assert each in page, path
            assert ">zoe<" not in page, path
        board = (await browser.get("/api/tournaments/friday")).json()["running"][0]
        assert board["display_names"] == {"pupil": HEBREW, "zoe": "Zo\u00eb"}
        world.run()
        server.pass_ms()
        for path in (f"/matches/{match}", "/tournaments/friday", "/tournaments/friday/matches", "/bots/zoe", "/"):
            assert named[1] in (await browser.get(path)).text, path
        for path in (f"/matches/{match}", "/tournaments/friday", "/tournaments/friday/matches"):
            page = (await browser.get(path)).text
            assert "\u2069 did not move within" in page, path
            assert not re.search("(zoe|pupil) did not", page), path
        view = (await browser.get("/api/tournaments/friday")).json()
        assert "\u2068" in view["headline"]
        assert {line["name"]: line["display_name"] for line in view["standings"]} == board["display_names"]
        over = (await browser.get(f"/api/matches/{match}")).json()
        assert over["display_names"] == board["display_names"]
        assert over["reason"].startswith(("zoe did not", "pupil did not"))
        files = await browser.get("/api/tournaments/friday/export.csv")
        assert files.status_code == 200
        assert "Zo\u00eb" not in files.text
        assert "zoe" in files.text
