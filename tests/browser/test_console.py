"""The console in a real browser, as an organiser uses it: create, fill, start, pause, resume, end."""

import json
import re

import pytest
import pytest_asyncio
from playwright.async_api import Page, Route, expect
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from tests.browser.paced_bots import SLOW, PacedBots
from tests.browser.playing import agree, log_in
from tests.browser.problems import Problems
from tests.browser.running_server import RunningServer
from tests.browser.sample_site import LONG_NAMES

pytestmark = pytest.mark.slow

NAME = "<img src=x onerror=alert(1)> & Sons"


@pytest_asyncio.fixture(loop_scope="session")
async def page(page: Page, problems: Problems) -> Page:
    """A narrow page; the tests cause these answers of the API."""
    problems.allow(r"^console: .* status of (401|404|409|422) |^answered (401|404|409|422): \S+/api/")
    await page.set_viewport_size({"width": 360, "height": 740})
    return page


async def enter(page: Page, server: RunningServer, tournament: str = "") -> None:
    """Open the console, or a tournament's page in the console, with the host's token."""
    await page.goto(f"/console/{tournament}".rstrip("/"))
    await log_in(page, server.token)


async def test_a_host_leads_a_tournament_from_the_form_to_its_end(page: Page, server: RunningServer) -> None:
    await page.goto("/console")
    await log_in(page, "not the token")
    await expect(page.get_by_role("alert").filter(has_text="plain letters")).to_be_visible()
    await log_in(page, "wrong-token")
    await expect(page.get_by_role("alert").filter(has_text="not the host token")).to_be_visible()
    await log_in(page, server.token)
    await expect(page.get_by_role("heading", name="Create a tournament")).to_be_visible()

    create = page.get_by_role("button", name="Create", exact=True)
    await create.click()
    await expect(page.locator("#summary")).to_be_focused()
    await page.get_by_label("Game", exact=True).select_option("connect4")
    await page.get_by_label("Name", exact=True).fill(NAME)
    await page.locator("#s-connect4-columns").fill("99")
    await create.click()
    await expect(page.locator("#s-connect4-columns-error")).to_have_text("columns must be from 4 to 12, not 99")
    await page.locator("#s-connect4-columns").fill("5")
    await page.get_by_label("Cycles", exact=True).fill("200")
    await page.get_by_label("Invitation code").fill("hush")
    await create.click()

    await expect(page.get_by_role("heading", level=1)).to_contain_text(NAME)
    await expect(page.locator("#status")).to_have_text("lobby")
    assert await page.locator("main img:not(#qr)").count() == 0
    await expect(page.locator("#code")).to_have_text("hush")
    await expect(page.locator("#join-command")).to_contain_text("--invite rumble_")
    await page.get_by_text("The link as a QR code").click()
    assert await page.locator("#qr").evaluate("image => image.decode().then(() => image.naturalWidth)") > 100

    await page.get_by_label("Bot", exact=True).select_option("random")
    await page.get_by_label("How many").fill("2")
    await page.get_by_role("button", name="Add").click()
    await expect(page.locator("#bots tr")).to_have_count(2)
    await expect(page.locator("#bots-count")).to_have_text("2 of 2 connected")
    await page.get_by_role("button", name="Start").click()
    await expect(page.locator("#status")).to_have_text("running")
    await expect(page.locator("#matches tr").nth(3)).to_be_visible()

    await page.get_by_role("button", name="Pause").click()
    await page.get_by_label("What the bots are told").fill("<b>lunch</b>")
    await agree(page, "Pause")
    await expect(page.locator("#status")).to_have_text("paused")
    await expect(page.locator("#reason")).to_have_text("<b>lunch</b>")
    await page.get_by_role("button", name="Resume").click()
    await expect(page.locator("#status")).to_have_text("running")
    await page.get_by_label("Another match").fill(f"{page.url.rpartition('/')[2]}.1.1.1.1")
    await page.locator("#replay-form").get_by_role("button", name="Play again").click()
    await agree(page, "Play it again")
    await expect(page.get_by_role("status").filter(has_text="is played again")).to_be_visible()
    await page.get_by_role("button", name="End now").click()
    await page.keyboard.press("Escape")
    await expect(page.locator("#status")).to_have_text("running")
    await page.get_by_role("button", name="End now").click()
    await agree(page, "End it")
    await expect(page.locator("#status")).to_have_text("finished")
    await expect(page.get_by_role("button", name="Start")).to_be_hidden()
    await expect(page.get_by_role("status").filter(has_text="It is finished.")).to_be_focused()
    await expect(page.locator("#bots-count")).to_have_text("0 of 2 connected")
    assert await page.evaluate("document.documentElement.scrollWidth") == 360

    await page.get_by_role("button", name="Log out").click()
    await expect(page.get_by_label("Host token")).to_be_focused()
    assert await page.evaluate("sessionStorage.length") == 0


async def test_a_double_click_is_one_command(page: Page, server: RunningServer) -> None:
    await enter(page, server)
    await page.get_by_label("Name", exact=True).fill("Doubled")
    await page.get_by_role("button", name="Create", exact=True).dblclick()
    await expect(page.locator("#status")).to_have_text("lobby")
    names = [each["name"] for each in server.host.get("host/tournaments")["tournaments"]]
    assert names.count("Doubled") == 1
    server.host.post("tournaments/doubled/house", {"bot": "random"})
    await page.get_by_role("button", name="Add").dblclick()
    await expect(page.locator("#outcome")).to_have_text("random is added.")
    assert len(server.tournament("doubled")["entrants"]) == 2
    await page.get_by_role("button", name="Start", exact=True).dblclick()
    await expect(page.locator("#outcome")).to_have_text("It has started.")
    await expect(page.locator("#problem")).to_be_hidden()


async def test_after_a_further_login_a_form_sends_once_and_is_as_the_host_left_it(
    page: Page, server: RunningServer
) -> None:
    cup = server.create("Filled")
    name = server.host.post("host/tokens", {"name": "of-this-test"})
    await page.goto(f"/console?like={cup}")
    await log_in(page, name["token"])
    field = page.get_by_label("Name", exact=True)
    await expect(field).to_have_value("Filled")
    await field.fill("Typed")
    server.host.post("host/tokens/of-this-test/remove")
    await expect(page.locator("#login")).to_be_visible()
    await log_in(page, server.token)
    await page.get_by_label("Name of a new token").fill("second")
    sent = []
    page.on("request", lambda request: sent.append(request.method) if request.url.endswith("/host/tokens") else None)
    await page.get_by_role("button", name="Make a token").click()
    await expect(page.locator("#made")).to_be_visible()
    await expect(page.locator("#token-problem")).to_be_hidden()
    assert sent.count("POST") == 1
    await expect(field).to_have_value("Typed")
    server.host.post("host/tokens/second/remove")


async def test_a_host_logs_in_where_the_browser_keeps_nothing(own_page: Page, server: RunningServer) -> None:
    await own_page.add_init_script(
        "Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('denied'); } });"
    )
    await enter(own_page, server)
    await expect(own_page.locator("#content")).to_be_visible()


async def test_a_new_code_takes_the_place_of_a_short_one_and_no_code_the_place_of_both(
    page: Page, server: RunningServer
) -> None:
    cup = server.create("Closed", invite="12345")
    await enter(page, server, cup)
    await expect(page.locator("#short-code")).to_be_visible()
    server.host.post(f"tournaments/{cup}/invite", {"code": "123456"})
    await page.reload()
    await expect(page.locator("#code")).to_have_text("123456")
    await expect(page.locator("#short-code")).to_be_hidden()
    await page.get_by_role("button", name="New code").click()
    await agree(page, "Make a new code")
    await expect(page.locator("#code")).to_have_text(re.compile(r"^rumble_[0-9a-f]{40}$"))
    link = await page.locator("#link").inner_text()
    await page.get_by_role("button", name="Ask for no code").click()
    await agree(page, "Ask for no code")
    await expect(page.locator("#no-code")).to_be_visible()
    await page.get_by_role("button", name="Ask for a code").click()
    await agree(page, "Make a new code")
    await expect(page.locator("#no-code")).to_be_hidden()
    await page.goto(await page.locator("#link").inner_text())
    await expect(page.get_by_text("You are invited")).to_be_visible()
    await page.goto(link)
    await expect(page.get_by_text("not valid any more")).to_be_visible()


async def test_a_host_who_hides_a_tournament_keeps_the_newer_rules_of_another_host(
    own_page: Page, server: RunningServer, problems: Problems
) -> None:
    problems.allow("ERR_FAILED|/events")
    await own_page.route("**/events", lambda route: route.abort())  # the page hears of no change
    cup = server.create("Two hosts")
    await enter(own_page, server, cup)
    await expect(own_page.locator("#list")).to_have_text("Hide")
    path, host = f"{server.url}/api/tournaments/{cup}", {"Authorization": f"Bearer {server.token}"}
    config = server.host.get(f"tournaments/{cup}/host")["config"]
    assert (await own_page.request.put(f"{path}/config", headers=host, data={**config, "cycles": 7})).ok
    await own_page.locator("#list").click()
    await expect(own_page.locator("#outcome")).to_have_text("The list of tournaments does not show it.")
    config = server.host.get(f"tournaments/{cup}/host")["config"]
    assert (config["listed"], config["cycles"]) == (False, 7)


async def test_a_tournament_that_is_not_there(page: Page, server: RunningServer) -> None:
    await enter(page, server, "nowhere")
    await expect(page.get_by_role("alert").filter(has_text="there is no tournament 'nowhere'")).to_be_visible()


async def test_a_host_makes_a_token_and_takes_it_back(page: Page, server: RunningServer) -> None:
    await enter(page, server)
    await page.get_by_label("Name of a new token").fill("default")
    await page.get_by_role("button", name="Make a token").click()
    await expect(page.locator("#token-problem")).to_have_text("there is a token default already")
    await page.get_by_label("Name of a new token").fill("ada")
    await page.get_by_role("button", name="Make a token").click()
    made = page.locator("#made-token")
    await expect(made).to_have_text(re.compile(r"^rumble_[0-9a-f]{40}$"))
    token = await made.text_content()
    await page.get_by_role("button", name="Log out").click()
    await log_in(page, token or "")
    await expect(page.locator("#tokens tr").nth(1)).to_contain_text("ada (the one you use)")
    await page.get_by_role("button", name="Take back ada").click()
    await agree(page, "Take back")
    await expect(page.get_by_label("Host token")).to_be_visible()


async def test_a_new_token_is_shown_even_if_the_list_of_tokens_cannot_be_read(
    own_page: Page, server: RunningServer, problems: Problems
) -> None:
    problems.allow("ERR_FAILED")
    await enter(own_page, server)
    await own_page.get_by_label("Name of a new token").fill("shown-once")

    async def answer(route: Route) -> None:
        await (route.abort() if route.request.method == "GET" else route.continue_())

    await own_page.route("**/api/host/tokens", answer)
    await own_page.get_by_role("button", name="Make a token").click()
    await expect(own_page.locator("#made-token")).to_have_text(re.compile(r"^rumble_[0-9a-f]{40}$"))
    await expect(own_page.locator("#token-problem")).to_have_text("The server does not answer. Is it running?")
    server.host.post("host/tokens/shown-once/remove", {})


async def test_the_host_sees_which_bots_were_refused_and_why(page: Page, server: RunningServer) -> None:
    cup = server.create("Members only", "tictactoe", invite="members-only-code")
    await enter(page, server, cup)
    await expect(page.locator("#invite")).to_be_visible()
    async with connect(server.bot_url) as socket:
        await socket.send(json.dumps({"type": "login", "name": "uninvited", "join": cup}))
        await expect(page.locator("#refused-bots tr", has_text="uninvited")).to_contain_text("invitation")
    await page.goto("/console")
    await expect(page.locator("#refused-bots tr", has_text="uninvited")).to_contain_text(f"for {cup}")


async def test_a_host_bans_and_lets_in_again(page: Page, server: RunningServer) -> None:
    await enter(page, server)
    await expect(page.locator("#no-bans")).to_be_visible()
    await page.get_by_label("Whom to ban").fill("mallory")
    await page.get_by_label("for minutes").fill("5")
    await page.get_by_label("because").fill("it floods")
    await page.get_by_role("button", name="Ban", exact=True).click()
    await expect(page.locator("#bans tr")).to_contain_text("mallory")
    await expect(page.locator("#bans tr")).to_contain_text("it floods")
    await page.get_by_label("Ban", exact=True).select_option("the address")
    await page.get_by_label("Whom to ban").fill("nowhere")
    await page.get_by_role("button", name="Ban", exact=True).click()
    await expect(page.locator("#ban-problem")).to_contain_text("no address and no network")
    await page.get_by_role("button", name="Let mallory in").click()
    await expect(page.locator("#no-bans")).to_be_visible()


async def test_a_host_gives_an_open_name_a_key(page: Page, server: RunningServer) -> None:
    server.host.post("tournaments", {"name": "Claims", "game": "tictactoe"})
    async with connect(server.bot_url) as socket:
        await socket.send(json.dumps({"type": "login", "name": "open-bot", "join": "claims"}))
        await enter(page, server, "claims")
        await page.get_by_role("button", name="Give a key").click()
        await page.get_by_label("Key", exact=True).fill("correct-horse-battery")
        await agree(page, "Give the key")
        await expect(page.get_by_text("A key protects open-bot.")).to_be_visible()
        await expect(page.get_by_role("button", name="Reset key")).to_be_visible()


async def test_a_host_creates_a_swiss_with_seeds_and_gives_a_bye(page: Page, server: RunningServer) -> None:
    await enter(page, server)
    await page.get_by_label("Name", exact=True).fill("Swiss with a bye")
    await page.get_by_label("Format", exact=True).select_option("swiss")
    await expect(page.get_by_label("Pairing rules", exact=True)).to_have_value("dutch-2026")
    await page.get_by_label("Pairing rules", exact=True).select_option("dutch-2025")
    await page.get_by_label("Acceleration", exact=True).select_option("baku")
    await page.get_by_text("Scoring and openings").click()
    await page.get_by_label("Ratings of the seeds", exact=True).fill("rested=1900, other=1800.5")
    await page.get_by_role("button", name="Create", exact=True).click()
    await expect(page.locator("#status")).to_have_text("lobby")
    async with connect(server.bot_url, subprotocols=[Subprotocol("rumble.v1")]) as bot:
        await bot.send(json.dumps({"type": "login", "name": "rested", "join": "swiss-with-a-bye"}))
        await page.get_by_role("button", name="Bye… rested").click()
        await page.get_by_role("dialog").get_by_label("Round").fill("1")
        await agree(page, "Give the bye")
        await expect(page.get_by_text("rested has a half-point bye in round 1.")).to_be_visible()
        while json.loads(frame := await bot.recv())["type"] != "notice":
            pass
        assert json.loads(frame)["code"] == "bye"
        await page.get_by_role("button", name="No bye in round 1 rested").click()
        await expect(page.get_by_text("rested has no bye in round 1.")).to_be_visible()


async def test_a_host_creates_tables_with_points_by_places(page: Page, server: RunningServer) -> None:
    await enter(page, server)
    await page.get_by_label("Name", exact=True).fill("Tables of four")
    await page.get_by_label("Game", exact=True).select_option("snakes")
    legs = page.get_by_label("Matches a pairing", exact=True)
    await expect(legs).to_be_visible()
    await page.get_by_label("Seats", exact=True).fill("4")
    await expect(legs).to_be_hidden()
    await page.get_by_text("Scoring and openings").click()
    await expect(page.get_by_label("Openings", exact=True)).to_be_hidden()
    points = page.get_by_label("Points", exact=True)
    await points.fill("payoffs")
    create = page.get_by_role("button", name="Create", exact=True)
    await create.click()
    await expect(page.locator("#f-points-error")).to_have_text("snakes has no payoffs: give points in numbers")
    await points.fill("10, 6, 3, 0")
    await create.click()
    await expect(page.locator("#status")).to_have_text("lobby")
    view = server.tournament("tables-of-four")
    assert (view["match_seats"], view["legs"]) == (4, 1)


async def test_the_form_forecasts_the_matches_of_the_tournament(page: Page, server: RunningServer) -> None:
    await enter(page, server)
    forecast = page.locator("#forecast")
    await expect(forecast).to_contain_text("one after another")
    height = await page.locator(".forecast").evaluate("whole => whole.offsetHeight")
    await page.get_by_label("Game", exact=True).select_option("tictactoe")
    await page.get_by_label("Bots you expect").fill("10")
    await expect(forecast).to_contain_text("90 matches; 18 one after another. About")
    await page.get_by_label("Matches a pairing").fill("1")
    await expect(forecast).to_contain_text("45 matches; 9 one after another")
    await page.get_by_label("Each move (seconds)").fill("3600")
    await expect(forecast).to_contain_text("days if they use all of it")
    await page.get_by_label("Bots you expect").fill("1")
    await expect(forecast).to_contain_text("No forecast: ")
    await page.get_by_label("Bots you expect").fill("5000")
    await expect(forecast).to_contain_text("No forecast: bots: should be less than or equal to 4096")
    await page.get_by_label("Bots you expect").fill("10")
    await page.get_by_label("Format", exact=True).select_option("knockout")
    await expect(forecast).to_contain_text("9 matches, up to 18 if ties are played again; 4 one after another")
    assert await page.locator(".forecast").evaluate("whole => whole.offsetHeight") == height


async def test_the_settings_of_a_tournament_are_told_in_seconds(page: Page, server: RunningServer) -> None:
    cup = server.create("In seconds", "tictactoe", time_control={"move_ms": 2500}, away_ms=30_000)
    await enter(page, server, cup)
    shown = page.locator("#config")
    await expect(shown).to_contain_text("time controlmove 2.5 s, bank 0 s, increment 0 s")
    await expect(shown).to_contain_text("away30 s")
    await expect(shown).not_to_contain_text(" ms")


async def test_buttons_beside_matches_of_long_names_are_in_sight(
    page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    cup = server.create("A league of twenty-five", "connect4", time_control=SLOW)
    pace = await paced_bots.join(server.bot_url, cup, *LONG_NAMES[:2])
    pace.hold()
    server.command(cup, "start")
    await page.set_viewport_size({"width": 1280, "height": 800})
    await enter(page, server, cup)
    button = page.locator("#matches button")
    await button.scroll_into_view_if_needed()
    await page.locator("#matches-table").evaluate("table => { table.parentElement.scrollLeft = 0; }")
    await expect(button).to_be_in_viewport(ratio=1)
