"""A person plays bots in the browser: by click, by keyboard, and over a connection that fails."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, Route, WebSocketRoute, expect
from rumble_bots.reference import make_reference_bot
from rumble_bots.reference.remote import RemoteReferenceBot
from rumble_bots.sdk.serve import serve
from rumble_protocol.secret import is_made, make_secret

from tests.browser.conftest import OpenPage
from tests.browser.opponents import Opponents, WaitingBot
from tests.browser.playing import begin, click, here, moves, my_turn, position, sit_down
from tests.browser.problems import Problems
from tests.browser.running_server import RunningServer
from tests.browser.site_pages import resign

PERFECT, RANDOM = "play-perfect", "play-random"
MOST_MATCHES = 12
UNDER_THE_CURSOR = """() => {
  const [x, y] = ["cx", "cy"].map((name) => document.querySelector("#board .cursor").getAttribute(name) - 50);
  return Number(document.querySelector(`#board [data-cell][x="${x}"][y="${y}"]`).dataset.cell);
}"""


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def standing_opponents(server: RunningServer) -> AsyncIterator[None]:
    """Opponents that stay connected during all tests of this module."""
    opponents = Opponents(server.url)
    opponents.reference("perfect", PERFECT)
    opponents.reference("random", RANDOM)
    await here(server, PERFECT, RANDOM)
    yield
    await opponents.end()


async def a_good_move(page: Page) -> str:
    return make_reference_bot("perfect").choose(await position(page)).move


async def steer(page: Page, target: int) -> None:
    """Choose a square of tic-tac-toe by the arrow keys and Enter; the board has the focus."""
    at = await page.evaluate(UNDER_THE_CURSOR)
    down, across = target // 3 - at // 3, target % 3 - at % 3
    for key, times in (("ArrowDown", down), ("ArrowUp", -down), ("ArrowRight", across), ("ArrowLeft", -across)):
        for _ in range(times):
            await page.keyboard.press(key)
    await page.keyboard.press("Enter")


async def test_a_match_is_played_by_keyboard_alone_from_the_second_seat(page: Page) -> None:
    await page.goto(f"/play?game=tictactoe&against={PERFECT}&seat=1")
    await page.locator("#name").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("#players")).to_be_focused()
    assert await my_turn(page)
    await expect(page.locator("#said")).to_contain_text("Your turn.")
    await expect(page.locator("#board svg[tabindex]")).to_be_visible()
    await page.keyboard.press("Tab")
    await expect(page.locator("#board svg")).to_be_focused()
    while await my_turn(page):
        await expect(page.locator("#board svg")).to_be_focused()
        await steer(page, int(await a_good_move(page)))
    await expect(page.locator("#headline")).to_contain_text("A draw")
    await expect(page.locator("#said")).to_contain_text("A draw")
    await expect(page.locator("#when-over")).to_be_focused()
    assert len(await moves(page)) == 9
    await page.locator("#match-link").click()
    await expect(page.locator("h1")).to_contain_text(PERFECT)


async def test_random_is_beaten_and_rematches_swap_seats(page: Page) -> None:
    await sit_down(page, RANDOM)
    for number in range(MOST_MATCHES):
        await expect(page.locator("#seats li").nth(number % 2)).to_contain_text("(you)")
        while await my_turn(page):
            await page.locator("#typed").fill(await a_good_move(page))
            await page.keyboard.press("Enter")
        if "You won" in (headline := await page.locator("#headline").inner_text()):
            assert "three in a row" in headline
            return
        await page.locator("#swap").click()
    pytest.fail(f"not one win in {MOST_MATCHES} matches")


async def test_a_resigned_match_is_played_once_more_from_the_same_seat_even_after_a_double_click(
    open_page: OpenPage,
) -> None:
    page, sent = await open_page(), list[str]()
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    await begin(page, PERFECT)
    await page.locator("#resign").click()
    await page.locator("#resign-dialog").get_by_role("button", name="Play on").click()
    assert await my_turn(page)
    await resign(page)
    await expect(page.locator("#headline")).to_contain_text("You lost by resignation")
    await page.locator("#again").dblclick()
    await expect(page.locator("#headline")).to_have_text("Your turn")
    await expect(page.locator("#seats li").first).to_contain_text("(you)")
    assert await moves(page) == []
    assert sum('"challenge"' in frame for frame in sent) == 2, "the match and the rematch"


@pytest.mark.slow
async def test_a_bot_with_a_display_name_can_be_challenged_once_more(page: Page, server: RunningServer) -> None:
    key = make_secret()
    name = server.pupil(server.create("Pupils", classroom=True), "Zo\u00eb", key)
    playing = asyncio.create_task(serve(RemoteReferenceBot("random"), server.url, name=name, key=key, challenges=True))
    await here(server, name)
    await begin(page, name)
    await resign(page)
    await page.locator("#again").click()
    await expect(page.locator("#headline")).to_have_text("Your turn")
    await expect(page.locator("#seats li").last).to_contain_text("Zo\u00eb")
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)


@pytest.mark.slow
async def test_a_pupil_whose_key_is_no_longer_right_is_told(page: Page, server: RunningServer) -> None:
    name = server.pupil(server.create("Old slips", classroom=True), "Pupil", make_secret())
    await page.goto("/play")
    kept = json.dumps({"name": name, "key": make_secret(), "display": "Pupil"})
    await page.evaluate("kept => localStorage.setItem('rumble.guest', kept)", kept)
    await page.reload()
    await page.locator("#start").click()
    await expect(page.locator("#message")).to_contain_text("key protects this name")


@pytest.mark.slow
async def test_a_match_that_cannot_be_resumed_gives_the_reason(own_page: Page) -> None:
    await own_page.route_web_socket("**/bot", lambda socket: socket.close(code=4004))
    await own_page.goto("/play")
    await own_page.evaluate("sessionStorage.setItem('rumble.play', 'cup.1.1.1.1')")
    await own_page.reload()
    await expect(own_page.locator("#message")).to_have_text("This club was removed.")
    await expect(own_page.locator("#start")).to_be_enabled()


@pytest.mark.slow
async def test_an_ended_match_that_is_read_late_replaces_no_newer_match(own_page: Page) -> None:
    await begin(own_page, RANDOM)
    await resign(own_page)
    ended = (await own_page.locator("#match-link").get_attribute("href") or "").rpartition("/")[2]
    may_answer = asyncio.Event()

    async def answer(route: Route) -> None:
        await may_answer.wait()
        await route.continue_()

    await own_page.route(f"**/api/matches/{ended}", answer)
    await own_page.evaluate(f"sessionStorage.setItem('rumble.play', '{ended}')")
    async with own_page.expect_request(f"**/api/matches/{ended}"):
        await own_page.reload()
    await own_page.locator("#cancel").click()
    await own_page.locator("#start").click()
    assert await my_turn(own_page)
    async with own_page.expect_response(f"**/api/matches/{ended}"):
        may_answer.set()
    await click(own_page, 4)
    await expect(own_page.locator("#moves li")).to_have_count(2)
    await resign(own_page)


@pytest.mark.slow
async def test_a_challenge_whose_match_is_over_is_not_sent_again_after_a_lost_connection(
    own_page: Page, problems: Problems
) -> None:
    problems.allow("404")
    sockets, challenges = list[WebSocketRoute](), list[str]()
    may_answer = asyncio.Event()

    def play(socket: WebSocketRoute) -> None:
        def answer(text: str | bytes) -> None:
            if '"login"' in str(text):
                session = {"type": "session", "name": "ann", "open": False, "matches": [], "tournaments": []}
                socket.send(json.dumps(session))
                return
            challenges.append(str(text))
            socket.send(json.dumps({"type": "joined", "tournament": "duel"}))
            socket.send(json.dumps({"type": "match_over", "match": "duel.1.1.1.1"}))

        socket.on_message(answer)
        sockets.append(socket)
        socket.send(json.dumps({"type": "welcome", "features": []}))

    async def not_found(route: Route) -> None:
        await may_answer.wait()
        await route.fulfill(status=404)

    await own_page.route_web_socket("**/bot", play)
    await own_page.route("**/api/matches/duel.1.1.1.1", not_found)
    await own_page.goto(f"/play?against={RANDOM}")
    await own_page.clock.install()
    async with own_page.expect_request("**/api/matches/duel.1.1.1.1"):
        await own_page.locator("#start").click()
    await sockets[0].close(code=1012)
    await own_page.clock.run_for(2_000)
    may_answer.set()
    await expect(own_page.locator("#message")).to_have_text("Your match is no longer there.")
    assert len(challenges) == 1


@pytest.mark.slow
async def test_the_list_of_opponents_is_asked_for_once_a_second_during_a_long_outage(
    timed_page: Page, problems: Problems
) -> None:
    problems.allow("503")
    asked = 0

    async def answer(route: Route) -> None:
        nonlocal asked
        asked += 1
        await route.fulfill(status=503)

    await timed_page.route("**/api/opponents", answer)
    await timed_page.goto("/play")
    for _ in range(30):
        async with timed_page.expect_response("**/api/opponents"):
            await timed_page.clock.run_for(1_000)
    assert asked <= 32


async def test_of_a_sample_of_moves_only_a_move_that_counts_is_sent(
    page: Page, server: RunningServer, opponents: Opponents
) -> None:
    """In poker with deep stacks, a turn lists 1,000 of 20,000 moves; the page has buttons for the first of them."""
    pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")
    bot = WaitingBot()
    bot.may_move.set()
    opponents.add(bot, "play-poker")
    await here(server, "play-poker")
    await sit_down(page, "play-poker", "poker", more={"poker.hands": "1"})
    choices = page.locator("#board .choices button")
    await expect(choices).to_have_count(10)
    assert (await choices.all_inner_texts())[:3] == ["fold", "call", "raise 200"]
    await page.locator("#typed").fill("raise 20001")
    await page.keyboard.press("Enter")
    await expect(page.locator("#typed-error")).to_contain_text("is not")
    await page.locator("#typed").fill("raise 207")
    await page.keyboard.press("Enter")
    await expect(page.locator("#moves")).to_contain_text("r207")


async def test_a_move_of_chess_is_typed_as_people_write_it_and_no_other_is_sent(page: Page) -> None:
    await begin(page, RANDOM, "chess")
    await page.locator("#typed").fill("<b>")
    await page.keyboard.press("Enter")
    await expect(page.locator("#typed-error")).to_contain_text("<b> is not allowed here: it can be ")
    assert await moves(page) == []
    await page.locator("#typed").fill("Nf3")
    await page.keyboard.press("Enter")
    await expect(page.locator("#moves code").first).to_have_text("g1f3")


@pytest.mark.slow
async def test_a_move_that_the_server_rejects_is_shown(own_page: Page) -> None:
    """The page offers only legal moves, so the test changes the move on its way to the server."""

    def spoil(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        socket.on_message(lambda text: server.send(str(text).replace('"move":"4"', '"move":"44"')))

    await own_page.route_web_socket("**/bot", spoil)
    await begin(own_page, PERFECT)
    await click(own_page, 4)
    await expect(own_page.locator("#headline")).to_contain_text("You lost by a move that is not allowed")
    await expect(own_page.locator("#notes")).to_contain_text("Your move did not count")


@pytest.mark.slow
async def test_a_second_tab_takes_over_and_the_first_does_not_fight(page: Page) -> None:
    await begin(page, PERFECT)
    second = await page.context.new_page()
    await second.goto("/play")
    await second.locator("#start").click()
    await expect(second.locator("#notes")).to_contain_text("You have not finished this match")
    assert await my_turn(second)
    await expect(page.locator("#notes")).to_contain_text("logged in somewhere else")
    await page.get_by_role("button", name="Play on here").click()
    await expect(second.locator("#notes")).to_contain_text("logged in somewhere else")
    assert await my_turn(page)


async def test_loading_the_page_again_goes_on(page: Page) -> None:
    await begin(page, PERFECT)
    await click(page, 4)
    await expect(page.locator("#moves li")).to_have_count(2)
    before = await moves(page)
    await page.reload()
    assert await my_turn(page)
    assert await moves(page) == before
    assert is_made(await page.evaluate("JSON.parse(localStorage.getItem('rumble.guest')).key"))
    await expect(page.locator("#notes")).to_be_empty()
    await page.goto(f"/play?game=connect4&against={RANDOM}")
    await expect(page.locator("#notes")).to_contain_text("You have not finished this match")
    assert await my_turn(page)
    assert await moves(page) == before


@pytest.mark.slow
async def test_a_match_goes_on_after_the_server_was_killed(
    page: Page, mortal_server: RunningServer, problems: Problems
) -> None:
    opponents = Opponents(mortal_server.url)
    opponents.reference("perfect", PERFECT)
    await here(mortal_server, PERFECT)
    await begin(page, PERFECT, base=mortal_server.url)
    await click(page, 4)
    await expect(page.locator("#moves li")).to_have_count(2)
    problems.allow("ERR_(CONNECTION_REFUSED|CONNECTION_RESET|CONTENT_LENGTH_MISMATCH|EMPTY_RESPONSE)")
    mortal_server.kill()
    await expect(page.locator("#connection")).to_contain_text("lost. Trying again")
    await expect(page.locator("#headline")).to_have_text("Not connected")
    mortal_server.restart()
    await expect(page.locator("#connection")).to_be_hidden()
    while await my_turn(page):
        await click(page, await a_good_move(page))
    await expect(page.locator("#headline")).to_contain_text("A draw")
    await opponents.end()


@pytest.mark.slow
async def test_an_opponent_that_is_busy_is_waited_for_or_not(
    page: Page, opponents: Opponents, open_page: OpenPage, server: RunningServer
) -> None:
    bot = WaitingBot()
    opponents.add(bot, "play-busy")
    await here(server, "play-busy")
    await sit_down(page, "play-busy", seat=1)
    await expect(page.locator("#headline")).to_contain_text("is thinking")
    other = await open_page()
    await other.goto("/play?against=play-busy")
    await expect(other.locator(".opponent", has_text="play-busy")).to_contain_text("playing now")
    await other.locator("#start").click()
    await expect(other.locator("#progress")).to_contain_text("begins when it is free")
    await other.locator("#cancel").click()
    await expect(other.locator("#start")).to_be_enabled()
    bot.may_move.set()
    assert await my_turn(page)


@pytest.mark.slow
async def test_an_opponent_that_goes_away_is_told(page: Page, opponents: Opponents, server: RunningServer) -> None:
    opponents.add(WaitingBot(), "play-away")
    await here(server, "play-away")
    await sit_down(page, "play-away", seat=1)
    await opponents.leave("play-away")
    await expect(page.locator("#notes")).to_contain_text("play-away is away")
    await resign(page)
    await expect(page.locator("#headline")).to_contain_text("You lost")
    await page.locator("#again").click()
    await expect(page.locator("#message")).to_contain_text("This bot has left")
    await expect(page.locator("#setup")).to_be_visible()


@pytest.mark.slow
async def test_names_that_do_not_go_are_told_at_the_name(page: Page, open_page: OpenPage) -> None:
    await sit_down(page, PERFECT)
    mine = await page.locator("#seats li").first.locator(".seat-name").inner_text()
    other = await open_page()
    await other.goto(f"/play?against={PERFECT}")
    for name, problem in (
        ("-x", "begins with a letter or digit"),
        (PERFECT.upper(), "the name of a bot here"),
        (mine.removesuffix(" (you)"), "Somebody else's key"),
    ):
        await other.locator("#name").fill(name)
        await other.locator("#start").click()
        await expect(other.locator("#name-error")).to_contain_text(problem)
        await expect(other.locator("#name")).to_be_focused()
    await other.locator("#name").fill("")
    await other.locator("#start").click()
    assert await my_turn(other)


async def test_settings_out_of_bounds_are_not_sent(page: Page) -> None:
    await page.goto(f"/play?game=connect4&against={RANDOM}")
    columns = page.locator('[id="connect4.columns"]')
    await page.get_by_text("Settings of Connect four").click()
    await columns.fill("99")
    await page.locator("#start").click()
    await expect(columns).to_be_focused()
    await expect(page.locator("#start")).to_be_enabled()
    await columns.fill("4")
    await page.locator('[id="connect4.connect"]').fill("12")
    await page.locator("#start").click()
    await expect(page.locator("#message")).to_contain_text("These settings cannot be used")
