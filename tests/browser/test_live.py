"""Pages that stay true while a tournament plays, and when the server dies and comes back."""

import time
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from tests.browser.conftest import OpenPage
from tests.browser.paced_bots import PacedBots
from tests.browser.problems import Problems
from tests.browser.running_server import RunningServer
from tests.browser.test_tournament_page import texts, told_cells
from tests.needs import long_or

NAMES = ("ann", "bob", "cid", "dot")
CUT_OFF = """() => {
  const { text } = Response.prototype;
  Response.prototype.text = () => {
    Response.prototype.text = text;
    return Promise.reject(new TypeError("cut off"));
  };
}"""


async def shown_points(page: Page) -> dict[str, float]:
    """Return the points in the standings of a tournament's page, by name."""
    rows = await page.locator("#standings tr").all()
    return {await row.locator("th a").inner_text(): number(await row.locator("td.points").inner_text()) for row in rows}


def number(points: str) -> float:
    return float(points.removesuffix("½") or "0") + (0.5 if points.endswith("½") else 0.0)


def told_points(tournament: Any) -> dict[str, float]:
    return {line["name"]: line["points"] for line in tournament["standings"]}


async def test_standings_and_crosstable_change_while_the_tournament_plays(
    page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    cup = server.create("Live cup", cycles=long_or(1, 3))
    rows, unstarted = page.locator("#crosstable tr"), page.locator(".unstarted")
    await page.goto(f"/tournaments/{cup}")
    await expect(page.locator("#nobody")).to_be_visible()
    pace = await paced_bots.join(server.bot_url, cup, *NAMES)
    await expect(page.locator("#standings tr")).to_have_count(len(NAMES))
    await expect(page.locator("#crosstable-part")).to_be_hidden()
    await expect(rows).to_have_count(0)
    await expect(unstarted).to_contain_text("The crosstable and the boards appear with the first round")
    pace.hold()
    server.command(cup, "start")
    await expect(page.locator("#status")).to_have_text("running")
    await expect(rows).to_have_count(len(NAMES))
    await expect(unstarted).to_be_hidden()
    pace.release(0.02)
    await expect(page.locator("#status")).to_have_text("finished")
    view = server.tournament(cup)
    await expect(page.locator("#count")).to_have_text(f"{view['matches_total']} of {view['matches_total']} matches")
    assert await shown_points(page) == told_points(view)
    ranked, cells = [line["name"] for line in view["standings"]], told_cells(view)
    for _ in ("as it was changed", "as it is loaded"):
        await expect(page.locator("#crosstable tr th")).to_have_text(ranked)
        assert await texts(page, "#crosstable-head th") == ["#", "Bot", "1", "2", "3", "4"]
        assert await texts(page, "#crosstable .place") == ["1", "2", "3", "4"]
        for row, name in enumerate(ranked):
            told = ["" if name == other else f"{cells[name, other]:g}" for other in ranked]
            wanted = [each.replace(".5", "½").replace("0½", "½") for each in told]
            await expect(rows.nth(row).locator("td:not(.place)")).to_have_text(wanted)
        await page.goto(f"/tournaments/{cup}")


@pytest.mark.slow
async def test_a_gauntlet_that_starts_has_columns_for_its_challengers_alone_and_a_voided_result_goes(
    page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    cup = server.create("Gauntlet", format="gauntlet")
    await page.goto(f"/tournaments/{cup}")
    pace = await paced_bots.join(server.bot_url, cup, *NAMES)
    await expect(page.locator("#crosstable-part")).to_be_hidden()
    pace.think_s = 0.1
    server.command(cup, "start")
    await expect(page.locator("#crosstable tr")).to_have_count(len(NAMES))
    await expect(page.locator("#crosstable-head th[title]")).to_have_count(1)
    first = page.locator("#latest li a").first
    await expect(first).to_be_visible()
    server.command(cup, "pause")
    await expect(page.locator("#playing-count")).to_have_text("0")
    link = await first.get_attribute("href") or ""
    server.command(cup, "replay", match=link.removeprefix("/matches/"))
    await expect(page.locator(f'#latest a[href="{link}"]')).to_have_count(0)


@pytest.mark.slow
async def test_the_list_of_tournaments_is_read_again_after_an_answer_that_was_cut_off(timed_page: Page) -> None:
    await timed_page.goto("/")
    await timed_page.evaluate(CUT_OFF)
    for _ in range(2):
        async with timed_page.expect_request(lambda request: request.url.endswith("/")):
            await timed_page.clock.run_for(11_000)


@pytest.mark.slow
async def test_a_stream_that_is_refused_while_its_server_is_replaced_is_there_again_within_a_second(
    open_page: OpenPage, server: RunningServer, problems: Problems
) -> None:
    """An `EventSource` ends for good at any answer but 200."""
    page, cup = await open_page(), server.create("Replaced cup")
    asked: list[float] = []

    async def answer(route: Route) -> None:
        if route.request.method == "GET":
            asked.append(time.monotonic())
        if len(asked) <= 4:
            await route.fulfill(status=503, headers={"Retry-After": "1"})
        else:
            await route.continue_()

    problems.allow("503")
    await page.route("**/events", answer)
    await page.goto(f"/tournaments/{cup}")
    await expect(page.locator("#connection")).to_be_visible()
    await expect(page.locator("#connection")).to_be_hidden()
    assert asked[4] - asked[3] < 4, "it waits no longer each time"


@pytest.mark.slow
async def test_a_stream_on_which_nothing_comes_is_given_up(open_page: OpenPage, server: RunningServer) -> None:
    page, cup = await open_page(), server.create("Silent cup")
    asked = 0

    async def answer(route: Route) -> None:
        nonlocal asked
        asked += 1
        if asked > 1:
            await route.continue_()

    await page.clock.install()
    await page.route("**/events", answer)
    await page.goto(f"/tournaments/{cup}")
    await page.clock.run_for(11_000)
    assert asked == 1
    async with page.expect_request("**/events"):
        await page.clock.run_for(6_000)


@pytest.mark.slow
async def test_a_live_page_recovers_when_the_server_was_killed(
    page: Page, mortal_server: RunningServer, paced_bots: PacedBots, problems: Problems
) -> None:
    cup = mortal_server.create("Cup", start_at_bots=len(NAMES), cycles=2)
    await page.goto(f"{mortal_server.url}/tournaments/{cup}")
    pace = await paced_bots.join(mortal_server.bot_url, cup, *NAMES, think_s=0.1)
    await expect(page.locator("#latest li").first).to_be_visible()
    problems.allow("ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET")
    mortal_server.kill()
    await expect(page.locator("#connection")).to_be_visible()
    pace.think_s = 0.0
    mortal_server.restart()
    await expect(page.locator("#connection")).to_be_hidden()
    await expect(page.locator("#status")).to_have_text("finished")
    view = mortal_server.tournament(cup)
    await expect(page.locator("#count")).to_have_text(f"{view['matches_total']} of {view['matches_total']} matches")
    assert await shown_points(page) == told_points(view)
