"""The commands on pages for writers of bots have the invitation, and the name that the reader chooses."""

import re

import pytest
from playwright.async_api import Page, expect
from rumble_protocol.secret import is_made

from tests.browser.conftest import OpenPage
from tests.browser.running_server import RunningServer


async def command(page: Page, kind: str) -> str:
    """Return the last line of a command, as the copy button copies it."""
    return (await page.locator(f'[data-command="{kind}"] pre').inner_text()).strip().splitlines()[-1]


@pytest.mark.slow
async def test_a_name_is_in_every_command_and_stays(page: Page, open_page: OpenPage, server: RunningServer) -> None:
    cup = server.create("Invited", invite="hush hush")
    await page.goto(f"/tournaments/{cup}?invite=hush+hush")
    field, error = page.get_by_label("Your bot's name"), page.locator("#bot-name-error")
    made = await field.input_value()
    code = (await command(page, "join")).split()[-3]
    assert is_made(code), "it stands for the host's own"
    joining = f"--server {server.url} --join {cup} --invite {code} --name"
    assert await command(page, "join") == f"rumble bot mine.py:ai {joining} {made}"
    await field.fill("ada")
    assert await command(page, "join") == f"rumble bot mine.py:ai {joining} ada"
    for bad in ("", "ada lovelace", "-ada", "$(reboot)", "a" * 33):
        await field.evaluate("(field, bad) => { field.value = bad; field.dispatchEvent(new Event('input')); }", bad)
        await expect(error).to_contain_text("1 to 32 letters")
        await expect(field).to_have_attribute("aria-invalid", "true")
        assert await command(page, "join") == f"rumble bot mine.py:ai {joining} ada"
    await field.fill("ada.2")
    await expect(error).to_be_empty()

    await page.get_by_role("link", name="A complete bot to copy").click()
    await expect(field).to_have_value("ada.2")
    address = server.url.removeprefix("http://")
    assert await command(page, "bare") == f"python bare_bot.py {address} {cup} ada.2 {code}"
    assert await command(page, "function") == f"rumble bot mine.py:ai {joining} ada.2"
    await page.get_by_role("link", name="Tournaments").click()
    await expect(field).to_have_value("ada.2")
    assert (await command(page, "bare")).endswith(f" {cup} ada.2 {code}")
    await page.locator("#tournaments").get_by_role("link", name="Invited").click()
    await expect(field).to_have_value("ada.2")
    assert await command(page, "join") == f"rumble bot mine.py:ai {joining} ada.2"

    other = await open_page()
    await other.goto(f"/tournaments/{cup}?invite=hush+hush")
    assert await other.get_by_label("Your bot's name").input_value() not in (made, "ada.2")


async def test_without_scripts_the_command_works_as_it_is(open_page: OpenPage, server: RunningServer) -> None:
    cup = server.create("Plain")
    page = await open_page(java_script_enabled=False)
    await page.goto(f"/write?join={cup}")
    await expect(page.get_by_label("Your bot's name")).to_be_hidden()
    start, _, name = (await command(page, "reference")).rpartition(" ")
    assert start == f"rumble bot minimax --server {server.url} --join {cup} --name"
    await expect(page.locator("#bot-name-made")).to_contain_text(name)


@pytest.mark.slow
async def test_a_home_page_whose_code_is_not_valid_any_more_does_not_ask_with_it_again(
    open_page: OpenPage, server: RunningServer
) -> None:
    cup, page = server.create("Renewed", invite="hush"), await open_page()
    await page.clock.install()
    await page.goto(f"/?join={cup}&invite=hush")
    card = page.locator("#tournaments").get_by_role("link", name="Renewed")
    await expect(card).to_have_attribute("href", re.compile(rf"/tournaments/{cup}\?invite=rumble_\w+$"))
    server.command(cup, "invite", code="other")
    await page.clock.run_for(11_000)
    await expect(card).to_have_attribute("href", f"/tournaments/{cup}")
    assert "invite" not in page.url
