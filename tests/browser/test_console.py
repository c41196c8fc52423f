"""The console in a real browser, as a host uses it: create, fill, start, pause, resume, end."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.processes import TOKEN
from tests.e2e.restartable_server import restartable_server

if TYPE_CHECKING:
    from playwright.sync_api import Page

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
SWITCHES = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
PATIENCE_MS = 15_000
PROVOKED = r"status of (401|422|404)"

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="there is no Chromium (`CHROMIUM` may name one)"),
]

NAME = "<img src=x onerror=alert(1)> & Sons"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with restartable_server(tmp_path_factory.mktemp("console")) as lives:
        yield f"http://127.0.0.1:{lives.server.port}"


@pytest.fixture
def page(server: str) -> Iterator["Page"]:
    """A page whose scripts and requests must not fail, but for what tests provoke."""
    problems: list[str] = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(SWITCHES))
        page = browser.new_page(base_url=server, viewport={"width": 360, "height": 740})
        page.set_default_timeout(PATIENCE_MS)
        playwright.expect.set_options(timeout=PATIENCE_MS)
        page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        yield page
        browser.close()
    assert [problem for problem in problems if not re.search(PROVOKED, problem)] == []


def log_in(page: "Page", token: str = TOKEN) -> None:
    page.get_by_label("Host token").fill(token)
    page.get_by_role("button", name="Log in").click()


def expect(what: Any) -> Any:
    return playwright.expect(what)


def agree(page: "Page", button: str) -> None:
    """Say yes to what the dialog asks."""
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name=button).click()
    expect(dialog).to_be_hidden()


def test_a_host_leads_a_tournament_from_the_form_to_its_end(page: "Page") -> None:
    page.goto("/console")
    log_in(page, "not the token")
    expect(page.get_by_role("alert").filter(has_text="plain letters")).to_be_visible()
    log_in(page, "wrong-token")
    expect(page.get_by_role("alert").filter(has_text="not the host token")).to_be_visible()
    log_in(page)
    expect(page.get_by_role("heading", name="Create a tournament")).to_be_visible()

    create = page.get_by_role("button", name="Create", exact=True)
    create.click()
    expect(page.locator("#summary")).to_be_focused()
    page.get_by_label("Game", exact=True).select_option("connect4")
    page.get_by_label("Name", exact=True).fill(NAME)
    page.locator("#s-connect4-columns").fill("99")
    create.click()
    expect(page.locator("#s-connect4-columns-error")).to_have_text("columns must be from 4 to 12, not 99")
    page.locator("#s-connect4-columns").fill("5")
    page.get_by_label("Cycles", exact=True).fill("200")
    page.get_by_label("Invitation code").fill("hush")
    create.click()

    expect(page.get_by_role("heading", level=1)).to_contain_text(NAME)
    expect(page.locator("#status")).to_have_text("lobby")
    assert page.locator("main img:not(#qr)").count() == 0
    expect(page.locator("#code")).to_have_text("hush")
    expect(page.locator("#join-command")).to_contain_text("--invite hush")
    page.get_by_text("The link as a QR code").click()
    assert page.locator("#qr").evaluate("image => image.decode().then(() => image.naturalWidth)") > 100

    page.get_by_label("Bot", exact=True).select_option("random")
    page.get_by_label("How many").fill("2")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("#bots tr")).to_have_count(2)
    expect(page.locator("#bots-count")).to_have_text("2 of 2 connected")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#status")).to_have_text("running")
    expect(page.locator("#matches tr").nth(3)).to_be_visible()

    page.get_by_role("button", name="Pause").click()
    page.get_by_label("What the bots are told").fill("<b>lunch</b>")
    agree(page, "Pause")
    expect(page.locator("#status")).to_have_text("paused")
    expect(page.locator("#reason")).to_have_text("<b>lunch</b>")
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("#status")).to_have_text("running")
    page.get_by_label("Another match").fill(f"{page.url.rpartition('/')[2]}.1.1.1.1")
    page.locator("#replay-form").get_by_role("button", name="Play again").click()
    agree(page, "Play it again")
    expect(page.get_by_role("status").filter(has_text="is played again")).to_be_visible()
    page.get_by_role("button", name="End now").click()
    page.keyboard.press("Escape")
    expect(page.locator("#status")).to_have_text("running")
    page.get_by_role("button", name="End now").click()
    agree(page, "End it")
    expect(page.locator("#status")).to_have_text("finished")
    expect(page.get_by_role("button", name="Start")).to_be_hidden()
    expect(page.get_by_role("status").filter(has_text="It is finished.")).to_be_focused()
    expect(page.locator("#bots-count")).to_have_text("0 of 2 connected")
    assert page.evaluate("document.documentElement.scrollWidth") == 360

    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_label("Host token")).to_be_focused()
    assert page.evaluate("sessionStorage.length") == 0


def test_a_new_code_takes_the_place_of_the_old(page: "Page") -> None:
    page.goto("/console")
    log_in(page)
    page.get_by_label("Name", exact=True).fill("Closed")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.locator("#no-code")).to_be_visible()
    page.get_by_role("button", name="Ask for a code").click()
    agree(page, "Make a new code")
    expect(page.locator("#code")).to_have_text(re.compile(r"^[\w-]{12}$"))
    link = page.locator("#link").inner_text()
    page.goto(link)
    expect(page.get_by_text("You are invited")).to_be_visible()
    page.goto(f"{link}x")
    expect(page.get_by_text("not valid any more")).to_be_visible()


def test_a_tournament_that_is_not_there(page: "Page") -> None:
    page.goto("/console/nowhere")
    log_in(page)
    expect(page.get_by_role("alert").filter(has_text="there is no tournament 'nowhere'")).to_be_visible()
