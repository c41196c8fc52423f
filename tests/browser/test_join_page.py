"""Pupils join in a browser, by plain HTTP at an address of the network; the host closes the door."""

import pytest
from playwright.async_api import Page, Route, expect

from tests.browser.playing import log_in
from tests.browser.problems import Problems
from tests.browser.running_server import RunningServer

pytestmark = pytest.mark.slow

KEPT = "localStorage.getItem('rumble.guest')"


@pytest.fixture(scope="module")
def server(lan_server: RunningServer) -> RunningServer:
    """The server of this module."""
    return lan_server


async def join(page: Page, display: str) -> None:
    await page.get_by_label("Your name").fill(display)
    await page.get_by_role("button", name="Join", exact=True).click()


async def test_a_pupil_joins_with_a_code_and_is_led_on(own_page: Page, server: RunningServer) -> None:
    cup = server.create("Pupils join", classroom=True)
    code = server.join_code(cup)
    await own_page.goto(f"/join?code={code}")
    await expect(own_page.locator("[data-step=connection]")).to_have_attribute("data-state", "good")
    assert await own_page.evaluate("[isSecureContext, crypto.subtle === undefined]") == [False, True]
    await join(own_page, "Zo\u00eb")
    await expect(own_page.get_by_role("heading", name="You are in")).to_be_visible()
    await expect(own_page.locator("[data-identity]")).to_contain_text("You are Zo\u00eb.")
    await expect(own_page.locator("#write-here")).to_have_attribute("href", f"/code?tournament={cup}")
    await expect(own_page.locator("[form=zip-form][name=name]")).to_have_value("zoe")
    await expect(own_page.locator("[data-step=login]")).to_contain_text("has not logged in")
    assert [each["display_name"] for each in server.tournament(cup)["entrants"]] == ["Zo\u00eb"]
    await own_page.goto("/play")
    await expect(own_page.locator("[data-identity] bdi")).to_have_text("Zo\u00eb")
    await expect(own_page.get_by_label("Your name here")).to_be_hidden()
    await own_page.goto(f"/tournaments/{cup}")
    await expect(own_page.locator("#standings bdi")).to_have_text("Zo\u00eb")


async def test_the_steps_go_on_after_an_answer_that_was_cut_off(own_page: Page, server: RunningServer) -> None:
    cup = server.create("Cut off", classroom=True)
    cut = {"status": 200, "content_type": "application/json", "body": "{"}
    await own_page.route(f"**/api/tournaments/{cup}", lambda route: route.fulfill(**cut), times=1)
    await own_page.goto(f"/join?code={server.join_code(cup)}")
    await join(own_page, "Cut")
    await expect(own_page.locator("[data-step=page]")).to_contain_text("does not answer")
    await expect(own_page.locator("[data-step=login]")).to_contain_text("has not logged in")


async def test_a_refused_pupil_is_told_why_at_the_field(
    own_page: Page, server: RunningServer, problems: Problems
) -> None:
    problems.allow(r"(404|409|422)")
    cup = server.create("Refused pupils", classroom=True)
    await own_page.goto("/join?code=ZZZZZZ")
    await join(own_page, "Ann")
    await expect(own_page.locator("#code-error")).to_contain_text("look at the code again")
    await own_page.get_by_label("Code").fill(f" {server.join_code(cup).lower()} ")
    await join(own_page, "a  b")
    await expect(own_page.locator("#display-error")).to_contain_text("1 to 32 letters")
    await join(own_page, "Ann")
    await expect(own_page.locator("#joined")).to_be_visible()
    await own_page.evaluate("localStorage.clear()")
    await own_page.goto(f"/join?code={server.join_code(cup)}")
    await join(own_page, "ANN")
    await expect(own_page.locator("#display-error")).to_contain_text("taken")


async def test_a_pupil_who_joined_although_the_answer_was_an_error_joins_again(
    own_page: Page, server: RunningServer, problems: Problems
) -> None:
    problems.allow("507")
    cup = server.create("Slow disk", classroom=True)

    async def lose(route: Route) -> None:
        await route.fetch()
        await route.fulfill(status=507, json={"error": {"code": "unavailable", "message": "not on disk yet"}})

    await own_page.route("**/api/join", lose, times=1)
    await own_page.goto(f"/join?code={server.join_code(cup)}")
    await join(own_page, "Eve")
    await expect(own_page.locator("#problem")).to_contain_text("not on disk yet")
    await join(own_page, "Eve")
    await expect(own_page.locator("#joined")).to_be_visible()


async def test_the_next_person_at_the_computer_is_somebody_else(own_page: Page, server: RunningServer) -> None:
    cup = server.create("One computer", classroom=True)
    await own_page.goto(f"/join?code={server.join_code(cup)}")
    await join(own_page, "Ben")
    own_page.once("dialog", lambda dialog: dialog.dismiss())
    await own_page.get_by_role("button", name="Not you?").click()
    assert await own_page.evaluate(KEPT) is not None
    own_page.once("dialog", lambda dialog: dialog.accept())
    await own_page.get_by_role("button", name="Leave this computer").click()
    await own_page.wait_for_url(f"{server.url}/")
    assert await own_page.evaluate(KEPT) is None


async def test_the_host_shows_the_code_and_closes_the_door(own_page: Page, server: RunningServer) -> None:
    cup = server.create("A door", classroom=True)
    await own_page.goto(f"/console/{cup}")
    await log_in(own_page, server.token)
    await expect(own_page.locator("#door-code")).to_have_text(server.join_code(cup))
    await expect(own_page.locator("#qr")).to_be_visible()
    await own_page.get_by_role("button", name="Close the door").click()
    await expect(own_page.locator("#door-closed")).to_be_visible()
    assert server.host.get(f"tournaments/{cup}/invite")["door"] is None
