"""A person plays bots in the browser: by click, by keyboard, and over a connection that fails."""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, ViewportSize, WebSocketRoute, expect
from rumble_bots.reference import make_reference_bot
from rumble_bots.reference.remote import RemoteReferenceBot
from rumble_bots.sdk.serve import serve
from rumble_engine import State, get_game
from rumble_protocol.secret import is_made, make_secret

from tests.browser.conftest import OpenPage
from tests.browser.opponents import Opponents, WaitingBot
from tests.browser.problems import Problems
from tests.browser.running_server import RunningServer
from tests.browser.site_pages import resign
from tests.browser.tabs import forget, new_context

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


@pytest_asyncio.fixture(loop_scope="session")
async def opponents(server: RunningServer) -> AsyncIterator[Opponents]:
    """The opponents of one test."""
    opponents = Opponents(server.url)
    yield opponents
    await opponents.end()


async def here(server: RunningServer, *names: str) -> None:
    """Wait until these bots accept challenges."""
    async with asyncio.timeout(20):
        while not set(names) <= {each["name"] for each in server.host.get("opponents")["opponents"]}:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def sit_down(
    page: Page,
    against: str,
    game: str = "tictactoe",
    seat: int = 0,
    *,
    base: str = "",
    more: Mapping[str, str] | None = None,
) -> None:
    """Start a match by the form, filled in from the address."""
    extra = "".join(f"&{name}={value}" for name, value in (more or {}).items())
    await page.goto(f"{base}/play?game={game}&against={against}&seat={seat}{extra}")
    await expect(page.locator("input[name=against]:checked")).to_have_value(against)
    await page.locator("#start").click()
    await expect(page.locator("#players")).to_be_visible()


async def moves(page: Page) -> list[str]:
    return await page.locator("#moves code").all_inner_texts()


async def position(page: Page, game: str = "tictactoe") -> State:
    """Replay the list of moves and return the position."""
    state = get_game(game).initial()
    for move in await moves(page):
        state = state.play(move)
    return state


async def my_turn(page: Page) -> bool:
    """Wait until it is the reader's turn or the match is over; return whether it is the turn."""
    await expect(page.locator(".headline.mine, #when-over:not([hidden])")).to_be_visible()
    if not await page.locator(".headline.mine").count():
        return False
    await expect(page.locator("#board .targets")).to_be_attached()  # the server draws the board after the headline
    return True


async def a_good_move(page: Page) -> str:
    return make_reference_bot("perfect").choose(await position(page)).move


async def click(page: Page, *cells: int | str) -> None:
    for number in cells:
        await page.locator(f'#board [data-cell="{number}"]').click()


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


async def test_a_resigned_match_is_played_once_more_from_the_same_seat(page: Page) -> None:
    await sit_down(page, PERFECT)
    assert await my_turn(page)
    await page.locator("#resign").click()
    await page.locator("#resign-dialog").get_by_role("button", name="Play on").click()
    assert await my_turn(page)
    await resign(page)
    await expect(page.locator("#headline")).to_contain_text("You lost by resignation")
    await page.locator("#again").click()
    await expect(page.locator("#headline")).to_have_text("Your turn")
    await expect(page.locator("#seats li").first).to_contain_text("(you)")
    assert await moves(page) == []


async def test_a_double_click_asks_for_one_rematch(page: Page) -> None:
    await sit_down(page, RANDOM)
    assert await my_turn(page)
    await resign(page)
    await page.locator("#again").dblclick()
    await expect(page.locator("#headline")).to_have_text("Your turn")
    await page.wait_for_timeout(500)
    await expect(page.locator("#notes .bad")).to_have_count(0)


async def test_a_bot_with_a_display_name_can_be_challenged_once_more(page: Page, server: RunningServer) -> None:
    code, key = server.command(server.create("Pupils", classroom=True), "door", open=True)["code"], make_secret()
    joined = server.host.post("join", {"code": code, "display_name": "Zo\u00eb", "key": key})
    bot = RemoteReferenceBot("random")
    playing = asyncio.create_task(serve(bot, server.url, name=joined["name"], key=key, challenges=True))
    await here(server, joined["name"])
    await sit_down(page, joined["name"])
    assert await my_turn(page)
    await resign(page)
    await page.locator("#again").click()
    await expect(page.locator("#headline")).to_have_text("Your turn")
    await expect(page.locator("#seats li").last).to_contain_text("Zo\u00eb")
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)


async def test_a_pupil_whose_key_is_no_longer_right_is_told(page: Page, server: RunningServer) -> None:
    code = server.command(server.create("Old slips", classroom=True), "door", open=True)["code"]
    asked = {"code": code, "display_name": "Pupil", "key": make_secret()}
    name = server.host.post("join", asked)["name"]
    await page.goto("/play")
    kept = json.dumps({"name": name, "key": make_secret(), "display": "Pupil"})
    await page.evaluate("kept => localStorage.setItem('rumble.guest', kept)", kept)
    await page.reload()
    await page.locator("#start").click()
    await expect(page.locator("#message")).to_contain_text("key protects this name")


async def test_a_match_that_cannot_be_resumed_gives_the_reason(open_page: OpenPage) -> None:
    page = await open_page()
    await page.route_web_socket("**/bot", lambda socket: socket.close(code=4004))
    await page.goto("/play")
    await page.evaluate("sessionStorage.setItem('rumble.play', 'cup.1.1.1.1')")
    await page.reload()
    await expect(page.locator("#message")).to_have_text("This club was removed.")
    await expect(page.locator("#start")).to_be_enabled()


async def test_a_typed_move_that_is_not_allowed_is_told(page: Page) -> None:
    await sit_down(page, PERFECT)
    assert await my_turn(page)
    await page.locator("#typed").fill("<b>")
    await page.keyboard.press("Enter")
    await expect(page.locator("#typed-error")).to_contain_text("<b> is not allowed here: it can be 0, 1, 2")
    assert await moves(page) == []


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


async def test_a_move_of_chess_is_typed_as_people_write_it(page: Page) -> None:
    await sit_down(page, RANDOM, "chess")
    assert await my_turn(page)
    await page.locator("#typed").fill("Nf3")
    await page.keyboard.press("Enter")
    await expect(page.locator("#moves code").first).to_have_text("g1f3")


async def test_chess_from_square_to_square_under_a_bank(page: Page) -> None:
    await sit_down(page, RANDOM, "chess", more={"clock": "blitz"})
    assert await my_turn(page)
    await click(page, 52, 36)
    await expect(page.locator("#moves li")).to_have_count(2)
    assert (await moves(page))[0] == "e2e4"
    assert await my_turn(page)
    await expect(page.locator("#seats li").first.locator(".seat-clock")).to_have_text("0:59")


async def test_a_move_that_the_server_rejects_is_shown(open_page: OpenPage) -> None:
    """The page offers only legal moves, so the test changes the move on its way to the server."""

    def spoil(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        socket.on_message(lambda text: server.send(str(text).replace('"move":"4"', '"move":"44"')))

    page = await open_page()
    await page.route_web_socket("**/bot", spoil)
    await sit_down(page, PERFECT)
    assert await my_turn(page)
    await click(page, 4)
    await expect(page.locator("#headline")).to_contain_text("You lost by a move that is not allowed")
    await expect(page.locator("#notes")).to_contain_text("Your move did not count")


@pytest.mark.slow
async def test_a_second_tab_takes_over_and_the_first_does_not_fight(page: Page) -> None:
    await sit_down(page, PERFECT)
    assert await my_turn(page)
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
    await sit_down(page, PERFECT)
    assert await my_turn(page)
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
    await sit_down(page, PERFECT, base=mortal_server.url)
    assert await my_turn(page)
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


PHONES: tuple[ViewportSize, ...] = ({"width": 390, "height": 844}, {"width": 360, "height": 740})


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def touched(browser: Browser, server: RunningServer) -> AsyncIterator[Page]:
    """The page that all tests share as `phone`."""
    context = await new_context(browser, base_url=server.url, has_touch=True, is_mobile=True, viewport=PHONES[0])
    yield await context.new_page()
    await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def phone(touched: Page, problems: Problems) -> AsyncIterator[Page]:
    """A page on a phone with touch."""
    async with problems.watching(touched.context):
        await touched.set_viewport_size(PHONES[0])
        yield touched
        await forget(touched)
    assert problems.found == []


@pytest_asyncio.fixture(loop_scope="session")
async def rival(request: pytest.FixtureRequest, opponents: Opponents, server: RunningServer) -> str:
    """The name of an opponent for this test alone, since a bot takes only a few challenges of an address at a time."""
    name = f"rival-{zlib.crc32(request.node.nodeid.encode()):08x}"
    opponents.reference("random", name)
    await here(server, name)
    return name


async def tap(page: Page, cell: int) -> None:
    await page.locator(f'#board [data-cell="{cell}"]').tap()


@pytest.mark.parametrize("size", PHONES, ids=lambda size: str(size["width"]))
@pytest.mark.slow
async def test_on_small_cells_a_tap_is_confirmed(phone: Page, rival: str, size: ViewportSize) -> None:
    await phone.set_viewport_size(size)
    await sit_down(phone, rival, "gomoku")
    assert await my_turn(phone)
    await expect(phone.locator("#board .choices")).to_have_text("Tap a place; then confirm it here.")
    await tap(phone, 112)
    await expect(phone.locator("#board .choices button")).to_have_text("Play h8")
    await expect(phone.locator("#board .choices button")).to_be_in_viewport(ratio=1)
    await tap(phone, 113)
    await expect(phone.locator("#board .choices button")).to_have_text("Play i8")
    assert await moves(phone) == []
    await phone.locator("#board .choices button").tap()
    await expect(phone.locator("#moves li")).to_have_count(2)
    assert (await moves(phone))[0] == "i8"
    assert await my_turn(phone)
    free = 0 if (await moves(phone))[1] != "a15" else 1
    await tap(phone, free)
    await expect(phone.locator("#board .choices button")).to_have_count(1)
    await tap(phone, free)
    await expect(phone.locator("#moves li")).to_have_count(4)


@pytest.mark.parametrize("size", PHONES, ids=lambda size: str(size["width"]))
async def test_on_large_cells_a_tap_plays(phone: Page, rival: str, size: ViewportSize) -> None:
    await phone.set_viewport_size(size)
    await sit_down(phone, rival, "chess")
    assert await my_turn(phone)
    await tap(phone, 52)
    await tap(phone, 36)
    await expect(phone.locator("#moves li")).to_have_count(2)
    assert (await moves(phone))[0] == "e2e4"


async def test_a_mouse_needs_no_confirmation(page: Page, rival: str) -> None:
    await page.set_viewport_size(PHONES[1])
    await sit_down(page, rival, "gomoku")
    assert await my_turn(page)
    await click(page, 112)
    await expect(page.locator("#moves li")).to_have_count(2)


@pytest.mark.parametrize("game", ["gomoku", "chess", "othello", "connect4", "hex"])
async def test_board_clocks_and_confirmation_are_on_the_first_screen(phone: Page, rival: str, game: str) -> None:
    await sit_down(phone, rival, game)
    assert await my_turn(phone)
    parts = ["#headline", "#board svg", "#seats .seat-clock >> nth=0", "#seats .seat-clock >> nth=1"]
    if await phone.locator("#board.confirms").count():
        parts.append("#board .choices")
    for size in PHONES:
        await phone.set_viewport_size(size)
        for what in parts:
            await expect(phone.locator(what)).to_be_in_viewport(ratio=1)


async def test_seats_are_called_as_their_pieces_look(page: Page, rival: str) -> None:
    await sit_down(page, rival, "othello", seat=1)
    assert await my_turn(page)
    assert await page.locator("#seats .seat-plays").all_inner_texts() == ["Black", "White"]
    await expect(page.locator("#seats .token svg")).to_have_count(2)


async def test_a_choice_draws_the_board_once(page: Page, rival: str) -> None:
    await sit_down(page, rival, "chess")
    assert await my_turn(page)
    drawn = page.locator("#board .surface *")
    assert await drawn.count() > 2
    await drawn.evaluate_all("all => all.forEach((each) => { each.kept = true; })")
    await click(page, 52, 36)
    await expect(page.locator("#moves li")).to_have_count(2)
    assert await my_turn(page)
    assert await drawn.evaluate_all("all => all.every((each) => each.kept)")


@pytest.mark.parametrize(
    ("game", "settings", "key", "ply"),
    [("dilemma", {"rounds": 3}, "d", "D C"), ("snakes", {"rules": "constrictor", "size": 7}, "ArrowRight", "right up")],
)
async def test_moves_of_both_seats_at_once_are_chosen_by_single_keys(
    page: Page, server: RunningServer, opponents: Opponents, game: str, settings: dict[str, Any], key: str, ply: str
) -> None:
    """A snake that goes in one direction meets the edge after a few turns."""
    bot = WaitingBot()
    bot.may_move.set()
    opponents.add(bot, f"play-{game}")
    await here(server, f"play-{game}")
    await sit_down(page, f"play-{game}", game, more={f"{game}.{name}": str(value) for name, value in settings.items()})
    choices, over = page.locator("#board .choices button"), page.locator("#when-over:not([hidden])")
    listed = []
    while True:
        await expect(choices.first.or_(over)).to_be_visible()
        if await over.count():
            break
        listed.append(await moves(page))
        await page.keyboard.press(key)
    assert listed == [[ply] * turn for turn in range(len(listed))]
    assert await moves(page) == [ply] * len(listed)
    assert len(listed) >= 2


async def test_only_a_board_to_choose_on_speaks(page: Page) -> None:
    """A page may show many boards, so boards alone must not be live regions for screen readers."""
    await page.goto("/")
    spoken = await page.evaluate(
        """async () => {
          const { BoardView } = await import("/static/board.js");
          const root = document.createElement("div");
          document.querySelector("main").append(root);
          const view = new BoardView(root);
          const count = () => root.querySelectorAll("[role=status]").length;
          view.show({ drawing: null, diagram: "a board" });
          const before = count();
          view.choose({ a: [] }, () => {});
          return [before, count()];
        }"""
    )
    assert spoken == [0, 1]
