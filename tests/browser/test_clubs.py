"""The administrator's page of clubs in a real browser."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.browser.playing import agree, log_in
from tests.browser.problems import Problems
from tests.browser.running_server import RunningServer
from tests.e2e.processes import ADMIN_TOKEN


@pytest.mark.slow
async def test_the_administrator_leads_a_club_from_its_creation_to_its_end(
    page: Page, server: RunningServer, problems: Problems
) -> None:
    problems.allow(r"^console: .* status of (401|409) |^answered (401|409): \S+/api/|^console: .* 404 |^answered 404: ")
    await page.set_viewport_size({"width": 360, "height": 740})
    await page.goto("/clubs")
    await page.get_by_role("link", name="For the server's administrator").click()
    await page.wait_for_url("**/admin")
    await log_in(page, server.token)
    await expect(page.get_by_role("alert").filter(has_text="not the administrator token")).to_be_visible()
    await log_in(page, ADMIN_TOKEN)

    await page.get_by_label("Name", exact=True).fill("class-9")
    await page.get_by_label("Title", exact=True).fill("Class <9>")
    await page.get_by_label("Listed").check()
    await page.get_by_label("Names of bots", exact=True).fill("12")
    await page.get_by_role("button", name="Create", exact=True).click()
    row = page.get_by_role("row").filter(has_text="class-9")
    names_of_bots = row.get_by_role("definition").first
    await expect(names_of_bots).to_have_text("0 of 12")
    await expect(page.get_by_text("The club class-9 is created")).to_be_visible()

    await page.get_by_label("Name", exact=True).fill("class-9")
    await page.get_by_role("button", name="Create", exact=True).click()
    await expect(page.get_by_role("alert").filter(has_text="there is a club class-9 already")).to_be_visible()

    await row.get_by_role("button", name="Change").click()
    await expect(page.get_by_role("heading", name="Change Class <9>")).to_be_focused()
    await expect(page.get_by_label("Names of bots", exact=True)).to_have_value("12")
    await page.get_by_label("Names of bots", exact=True).fill("")
    await page.get_by_label("Listed").uncheck()
    await page.get_by_label("House bots to challenge").check()
    await page.get_by_role("button", name="Save").click()
    await expect(row).to_contain_text("class-9, not listed, with house bots")
    await expect(names_of_bots).to_have_text("0")
    await expect(page.get_by_role("heading", name="Create a club")).to_be_visible()

    await row.get_by_role("button", name="New host token").click()
    await page.get_by_label("Its name, such as whose it is").fill("ada")
    async with page.expect_request("**/c/class-9/api/host/tokens"):  # the leader of the club answers this path
        await agree(page, "Make it")
    await expect(page.locator("#made-token")).not_to_be_empty()
    token = await page.locator("#made-token").inner_text()
    await page.locator("#made-club").click()
    await page.wait_for_url("**/c/class-9/console")
    await log_in(page, token)
    await expect(page.get_by_role("heading", name="Create a tournament")).to_be_visible()
    await page.get_by_label("Name", exact=True).fill("Theirs")
    await page.get_by_role("button", name="Create", exact=True).click()
    await expect(page).to_have_url(re.compile(r"/c/class-9/console/theirs$"))
    await page.goto("/console")
    await expect(page.get_by_role("heading", name="Log in as the host")).to_be_visible()
    await log_in(page, token)
    await expect(page.get_by_role("alert").filter(has_text="not the host token")).to_be_visible()

    await page.goto("/admin")
    await row.get_by_role("button", name="Remove").click()
    await page.get_by_label("Type class-9 to remove it").fill("class-8")
    await agree(page, "Remove")
    await expect(page.get_by_role("alert").filter(has_text="Nothing was removed")).to_be_visible()
    await row.get_by_role("button", name="Remove").click()
    await page.get_by_label("Type class-9 to remove it").fill("class-9")
    await agree(page, "Remove")
    await expect(row).to_have_count(0)
    answer = await page.goto("/c/class-9/")
    assert answer is not None
    assert answer.status == 404
