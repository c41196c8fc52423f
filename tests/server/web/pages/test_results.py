"""The page of results to print: a strip for each bot."""

import httpx
from rumble_protocol.secret import make_secret
from rumble_server.arena.commands.joining import Joining

from tests.server.web.memory_server import MemoryServer
from tests.server.web.pages.html import Page
from tests.server.world import Bot


async def test_each_bot_has_a_strip_with_its_best_win(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament, key = server.world.create(classroom=True, legs=1, points=[1_234_567, 0.5, 0]), make_secret()
    Joining(server.world.arena).join(str(tournament.join_code), "Änne", key, "192.0.2.1")
    server.world.login("anne", key=key)
    ben, cid = server.world.logins("ben", "cid", join=tournament.id)
    server.world.organiser.start(tournament.id)
    server.pass_ms()
    while tournament.status == "running":
        assert resigns(cid, failed=True) or resigns(ben)
        server.pass_ms()
    html = (await browser.get("/tournaments/friday/results")).text
    strips = [" ".join(Page(part).text.split()) for part in html.split('<p class="who">')[1:]]
    assert [strip.split()[0] for strip in strips] == ["Änne", "ben", "cid"]
    assert "Number 1 of 3 Points2469134 in 2 matches" in strips[0]
    for strip, best in zip(strips, ("ben", "cid", "none yet"), strict=True):
        assert f"Best win{best}" in strip
    assert strips[0].endswith("Lost by a faultnever")
    assert "Lost by a faultcrashed 2" in strips[2]


def resigns(bot: Bot, *, failed: bool = False) -> bool:
    """Resign an open match of the bot, if it has one; `failed`: because the bot failed."""
    over = {frame["match"] for frame in bot.inbox.all("match_over")}
    match = next((each["match"] for each in bot.inbox.all("match_start") if each["match"] not in over), None)
    if match is not None:
        bot.say(type="resign", match=match, failed=failed)
    return match is not None
