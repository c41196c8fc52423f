"""Texts of users are text, never markup, on every page, even if a script shows them."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.paced_bots import PacedBots
from tests.browser.running_server import RunningServer


def markup(text: str) -> str:
    return f'<mark class="evil">{text}</mark><img src=x onerror="throw 1">'[:64]


EVIL = ".evil, img[onerror]"


@pytest.mark.slow
async def test_markup_in_names_and_notes_is_shown_as_text(
    page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    name, note = markup("cup"), markup("note")
    info = {"score": -0.5, "depth": 3, "nodes": 12, "time_ms": 1250, "pv": ["4", markup("pv")]}
    said = f"{note} · -0.50/3 1.25s, 12 nodes, pv 4 {markup('pv')}"
    cup = server.create(name, legs=1)
    await page.goto(f"/tournaments/{cup}")
    await expect(page.locator("h1")).to_contain_text(name)
    pace = await paced_bots.join(
        server.bot_url, cup, "eva", "evi", note=note, info=info, client=markup("client"), version=markup("version")
    )
    await expect(page.locator("#standings tr")).to_have_count(2)
    pace.hold()
    server.command(cup, "start")
    match = f"/matches/{cup}.1.1.1.1"
    await page.locator(f"a[href='{match}']").click()
    await expect(page.locator("#outcome")).to_contain_text("to move")
    pace.release()
    await expect(page.locator("#moves li").first).to_contain_text(said)  # written by the script when the match ends
    for path in (match, "/", f"/tournaments/{cup}", f"/tournaments/{cup}/matches"):
        await page.goto(path)
        await expect(page.locator("body")).to_contain_text(said if path == match else name)
        await expect(page.locator(EVIL)).to_have_count(0)


async def test_markup_in_the_client_and_version_of_a_bot_is_shown_as_text(
    page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    cup = server.create("said of itself", legs=1)
    client, version = markup("client"), markup("version")
    pace = await paced_bots.join(server.bot_url, cup, "ida", "ivo", client=client, version=version)
    pace.hold()  # so that the bots are still connected for the checks
    server.command(cup, "start")
    await page.goto(f"/console/{cup}")
    await page.get_by_label("Host token").fill(server.token)
    await page.get_by_role("button", name="Log in").click()
    await expect(page.locator("#bots tr")).to_have_count(2)
    await expect(page.locator("#bots")).to_contain_text(f"version {version}, {client}")
    await expect(page.locator(EVIL)).to_have_count(0)
    await page.goto("/bots/ida")
    await expect(page.locator("main")).to_contain_text(f"Version {version}, {client}")
    await expect(page.locator(EVIL)).to_have_count(0)
    pace.release()
