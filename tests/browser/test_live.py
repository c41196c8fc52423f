"""Pages that stay true while a tournament plays, and when the server dies and comes back."""

from typing import Any

from playwright.async_api import Page, expect

from tests.browser.guests import Guests
from tests.browser.problems import Problems
from tests.browser.stage import Stage

NAMES = ("ann", "bob", "cid", "dot")


async def shown_points(page: Page) -> dict[str, float]:
    """The points in the standings of a tournament's page, by name."""
    rows = await page.locator("#standings tr").all()
    return {await row.locator("th a").inner_text(): number(await row.locator("td.points").inner_text()) for row in rows}


def number(points: str) -> float:
    return float(points.removesuffix("½") or "0") + (0.5 if points.endswith("½") else 0.0)


def told_points(tournament: Any) -> dict[str, float]:
    return {line["name"]: line["points"] for line in tournament["standings"]}


async def test_standings_change_while_it_plays(page: Page, stage: Stage, guests: Guests) -> None:
    cup = stage.create("Live cup", cycles=3)
    await page.goto(f"/tournaments/{cup}")
    await expect(page.locator("#nobody")).to_be_visible()
    await guests.join(stage.bot_url, cup, *NAMES, think_s=0.02)
    await expect(page.locator("#standings tr")).to_have_count(len(NAMES))
    stage.command(cup, "start")
    await expect(page.locator("#status")).to_have_text("running")
    await expect(page.locator("#status")).to_have_text("finished")
    told = stage.tournament(cup)
    await expect(page.locator("#count")).to_have_text(f"{told['matches_total']} of {told['matches_total']} matches")
    assert await shown_points(page) == told_points(told)


async def test_a_gauntlet_that_starts_has_rows_for_its_challengers_alone_and_a_voided_result_goes(
    page: Page, stage: Stage, guests: Guests
) -> None:
    cup = stage.create("Gauntlet", format="gauntlet")
    await page.goto(f"/tournaments/{cup}")
    pace = await guests.join(stage.bot_url, cup, *NAMES)
    await expect(page.locator("#crosstable tr")).to_have_count(len(NAMES))
    pace.think_s = 0.1
    stage.command(cup, "start")
    await expect(page.locator("#crosstable tr")).to_have_count(1)
    first = page.locator("#latest li a").first
    await expect(first).to_be_visible()
    stage.command(cup, "pause")
    await expect(page.locator("#playing")).to_be_hidden()
    link = await first.get_attribute("href") or ""
    stage.command(cup, "replay", match=link.removeprefix("/matches/"))
    await expect(page.locator(f'#latest a[href="{link}"]')).to_have_count(0)


async def test_it_recovers_when_the_server_was_killed(
    page: Page, mortal: Stage, guests: Guests, problems: Problems
) -> None:
    cup = mortal.create("Cup", start_at_bots=len(NAMES), cycles=2)
    await page.goto(f"{mortal.url}/tournaments/{cup}")
    pace = await guests.join(mortal.bot_url, cup, *NAMES, think_s=0.1)
    await expect(page.locator("#latest li").first).to_be_visible()
    problems.provoke("ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET")
    mortal.kill()
    await expect(page.locator("#connection")).to_be_visible()
    pace.think_s = 0.0
    mortal.restart()
    await expect(page.locator("#connection")).to_be_hidden()
    await expect(page.locator("#status")).to_have_text("finished")
    told = mortal.tournament(cup)
    await expect(page.locator("#count")).to_have_text(f"{told['matches_total']} of {told['matches_total']} matches")
    assert await shown_points(page) == told_points(told)
