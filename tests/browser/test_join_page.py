"""Pupils join in a browser, by plain HTTP at an address of the network; the host closes the door."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, Route, expect

from tests.browser.conftest import OpenPage
from tests.browser.playing import log_in
from tests.browser.problems import Problems
from tests.browser.running_server import RunningServer

KEPT = "localStorage.getItem('rumble.guest')"


@pytest_asyncio.fixture(loop_scope="session")
async def pupil(open_page: OpenPage, lan_server: RunningServer) -> AsyncIterator[Page]:
    """The page of a pupil."""
    yield await open_page(base_url=lan_server.url)


async def join(page: Page, display: str) -> None:
    await page.get_by_label("Your name").fill(display)
    await page.get_by_role("button", name="Join", exact=True).click()


async def test_a_pupil_joins_with_a_code_and_is_led_on(pupil: Page, lan_server: RunningServer) -> None:
    cup = lan_server.create("Pupils join", classroom=True)
    code = lan_server.join_code(cup)
    await pupil.goto(f"/join?code={code}")
    await expect(pupil.locator("[data-step=connection]")).to_have_attribute("data-state", "good")
    assert await pupil.evaluate("[isSecureContext, crypto.subtle === undefined]") == [False, True]
    await join(pupil, "Zo\u00eb")
    await expect(pupil.get_by_role("heading", name="You are in")).to_be_visible()
    await expect(pupil.locator("[data-identity]")).to_contain_text("You are Zo\u00eb.")
    await expect(pupil.locator("#write-here")).to_have_attribute("href", f"/code?tournament={cup}")
    await expect(pupil.locator("[form=zip-form][name=name]")).to_have_value("zoe")
    await expect(pupil.locator("[data-step=login]")).to_contain_text("has not logged in")
    assert [each["display_name"] for each in lan_server.tournament(cup)["entrants"]] == ["Zo\u00eb"]
    await pupil.goto("/play")
    await expect(pupil.locator("[data-identity] bdi")).to_have_text("Zo\u00eb")
    await expect(pupil.get_by_label("Your name here")).to_be_hidden()
    await pupil.goto(f"/tournaments/{cup}")
    await expect(pupil.locator("#standings bdi")).to_have_text("Zo\u00eb")


@pytest.mark.slow
async def test_the_steps_go_on_after_an_answer_that_was_cut_off(pupil: Page, lan_server: RunningServer) -> None:
    cup = lan_server.create("Cut off", classroom=True)
    cut = {"status": 200, "content_type": "application/json", "body": "{"}
    await pupil.route(f"**/api/tournaments/{cup}", lambda route: route.fulfill(**cut), times=1)
    await pupil.goto(f"/join?code={lan_server.join_code(cup)}")
    await join(pupil, "Cut")
    await expect(pupil.locator("[data-step=page]")).to_contain_text("does not answer")
    await expect(pupil.locator("[data-step=login]")).to_contain_text("has not logged in")


async def test_a_refused_pupil_is_told_why_at_the_field(
    pupil: Page, lan_server: RunningServer, problems: Problems
) -> None:
    problems.allow(r"(404|409|422)")
    cup = lan_server.create("Refused pupils", classroom=True)
    await pupil.goto("/join?code=ZZZZZZ")
    await join(pupil, "Ann")
    await expect(pupil.locator("#code-error")).to_contain_text("look at the code again")
    await pupil.get_by_label("Code").fill(f" {lan_server.join_code(cup).lower()} ")
    await join(pupil, "a  b")
    await expect(pupil.locator("#display-error")).to_contain_text("1 to 32 letters")
    await join(pupil, "Ann")
    await expect(pupil.locator("#joined")).to_be_visible()
    await pupil.evaluate("localStorage.clear()")
    await pupil.goto(f"/join?code={lan_server.join_code(cup)}")
    await join(pupil, "ANN")
    await expect(pupil.locator("#display-error")).to_contain_text("taken")


async def test_a_pupil_who_joined_although_the_answer_was_an_error_joins_again(
    pupil: Page, lan_server: RunningServer, problems: Problems
) -> None:
    problems.allow("507")
    cup = lan_server.create("Slow disk", classroom=True)

    async def lose(route: Route) -> None:
        await route.fetch()
        await route.fulfill(status=507, json={"error": {"code": "unavailable", "message": "not on disk yet"}})

    await pupil.route("**/api/join", lose, times=1)
    await pupil.goto(f"/join?code={lan_server.join_code(cup)}")
    await join(pupil, "Eve")
    await expect(pupil.locator("#problem")).to_contain_text("not on disk yet")
    await join(pupil, "Eve")
    await expect(pupil.locator("#joined")).to_be_visible()


async def test_the_next_person_at_the_computer_is_somebody_else(pupil: Page, lan_server: RunningServer) -> None:
    cup = lan_server.create("One computer", classroom=True)
    await pupil.goto(f"/join?code={lan_server.join_code(cup)}")
    await join(pupil, "Ben")
    pupil.once("dialog", lambda dialog: dialog.dismiss())
    await pupil.get_by_role("button", name="Not you?").click()
    assert await pupil.evaluate(KEPT) is not None
    pupil.once("dialog", lambda dialog: dialog.accept())
    await pupil.get_by_role("button", name="Leave this computer").click()
    await pupil.wait_for_url(f"{lan_server.url}/")
    assert await pupil.evaluate(KEPT) is None


async def test_the_host_shows_the_code_and_closes_the_door(pupil: Page, lan_server: RunningServer) -> None:
    cup = lan_server.create("A door", classroom=True)
    await pupil.goto(f"/console/{cup}")
    await log_in(pupil, lan_server.token)
    await expect(pupil.locator("#door-code")).to_have_text(lan_server.join_code(cup))
    await expect(pupil.locator("#qr")).to_be_visible()
    await pupil.get_by_role("button", name="Close the door").click()
    await expect(pupil.locator("#door-closed")).to_be_visible()
    assert lan_server.host.get(f"tournaments/{cup}/invite")["door"] is None
