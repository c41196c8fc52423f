"""Boards and the page of a match in a real browser: clicked on, replayed ply by ply, and live."""

import asyncio
import re
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect
from rumble_engine import Game, State, get_game

from tests.browser.paced_bots import Pace, PacedBots
from tests.browser.problems import Problems
from tests.browser.running_server import RunningServer
from tests.browser.sample_site import SampleSite
from tests.browser.test_replay import played

CHOOSE = """async ([drawing, moves]) => {
  const { BoardView } = await import("/static/board.js");
  const root = document.createElement("div");
  root.id = "tried";
  document.querySelector("main").replaceChildren(root);
  const view = new BoardView(root, { label: "Tried" });
  view.show({ drawing, diagram: "no picture" });
  window.chosen = [];
  window.again = () => view.choose(moves, (move) => window.chosen.push(move));
  window.again();
}"""
OVER = 'retry: 60000\n\nevent: match_over\ndata: {"match": "%s"}\n\n'


def position(name: str, plies: int, **settings: Any) -> tuple[Game, State]:
    """Return a game, and the position after this many random moves."""
    game, random = get_game(name), Random(plies)
    state = game.initial(settings)
    for _ in range(plies):
        state = state.play(random.choice(list(state.legal_moves)))
    return game, state


async def offer(page: Page, game: Game, state: State) -> None:
    """Let the reader of a page choose a move."""
    await page.goto("/")
    drawing = game.drawing(state.view())
    moves = {move: game.path(state.view(), move) for move in state.legal_moves}
    await page.evaluate(CHOOSE, [None if drawing is None else asdict(drawing), moves])


async def click(page: Page, cell: int) -> None:
    await page.locator(f'#tried [data-cell="{cell}"]').click()


async def test_moves_are_chosen_by_clicks(page: Page) -> None:
    game, state = position("connect4", 0)
    await offer(page, game, state)
    await page.locator('#tried [data-cell="3"]').hover()
    assert await page.locator("#tried .ghost").count() == 1
    await click(page, 3)
    assert await page.evaluate("window.chosen") == ["d"]
    assert await page.locator("#tried .target").count() == 0, "one call, one move"

    game, state = position("breakthrough", 0)
    await offer(page, game, state)
    await click(page, 49)  # b2
    assert await page.locator("#tried .option").count() == 3
    await click(page, 52)  # e2 instead
    assert await page.locator("#tried .chosen").count() == 1
    await click(page, 0)  # an empty square takes the first click back
    assert await page.locator("#tried .chosen").count() == 0
    await click(page, 52)
    await click(page, 44)
    assert await page.evaluate("window.chosen") == ["e2e3"]


async def test_moves_that_clicks_do_not_tell_apart_are_chosen_by_buttons(page: Page) -> None:
    game = get_game("chess")
    await offer(page, game, game.parse("8/P6k/8/8/8/8/8/K7 w - - 0 1"))
    await click(page, 8)
    await click(page, 0)
    assert await page.locator("#tried .choices button").all_text_contents() == ["a7a8n", "a7a8b", "a7a8r", "a7a8q"]
    await page.get_by_role("button", name="a7a8q").click()
    assert await page.evaluate("window.chosen") == ["a7a8q"]

    game, state = position("hex", 1, size=3)
    await offer(page, game, state)
    await page.get_by_role("button", name="swap").click()
    assert await page.evaluate("window.chosen") == ["swap"]


async def test_moves_are_chosen_by_the_keyboard(page: Page) -> None:
    game, state = position("breakthrough", 0)
    await offer(page, game, state)
    board = page.locator("#tried svg")
    await board.focus()
    said = page.locator("#tried [role=status]")
    assert await said.text_content() == "a2, white, possible"
    for key in ("ArrowRight", "Enter", "ArrowUp"):
        await page.keyboard.press(key)
    assert await said.text_content() == "b3, empty, possible, chosen b2"
    await page.keyboard.press("Escape")
    assert await page.locator("#tried .chosen").count() == 0
    for key in ("ArrowDown", "Space", "ArrowUp", "Enter"):
        await page.keyboard.press(key)
    assert await page.evaluate("window.chosen") == ["b2b3"]


@pytest.mark.slow
async def test_a_transcript_is_downloaded_by_permitted_readers(
    page: Page, server: RunningServer, paced_bots: PacedBots, tmp_path: Path
) -> None:
    (match,) = await played(server, paced_bots, "Downloaded", "tictactoe", legs=1)
    await page.goto(f"/matches/{match}")
    await page.locator("[name=secret]").fill(server.token)
    async with page.expect_download() as downloading:
        await page.get_by_role("button", name="Download").click()
    download = await downloading.value
    assert download.suggested_filename == f"{match}.jsonl"
    await download.save_as(tmp_path / "transcript")
    assert '"verdict":"normal"' in (tmp_path / "transcript").read_text(encoding="utf-8")


async def test_a_running_match_is_live(page: Page, server: RunningServer, paced_bots: PacedBots) -> None:
    cup, pace = await paced_bots.held(
        server, "Live match", "tictactoe", "live-ann", "live-ben", ply=2, legs=1, time_control={"move_ms": 60_000}
    )
    match = f"{cup}.1.1.1.1"
    await page.goto(f"/matches/{match}")
    await expect_ply(page, "ply 2 of 2, live")
    before = await page.locator(".mover .clock").text_content()
    await expect(page.locator(".mover .clock")).not_to_have_text(before or "")
    pace.release()
    pace.stop_at(3)
    await expect_ply(page, "ply 3 of 3, live")
    await page.keyboard.press("ArrowLeft")
    await expect_ply(page, "ply 2 of 3")
    pace.release()
    pace.stop_at(4)
    await expect_ply(page, "ply 2 of 4")
    assert await page.locator("#board .piece").count() == 2, "a reader who stepped back stays there"
    await page.keyboard.press("End")
    await expect_ply(page, "ply 4 of 4, live")
    pace.release()
    await server.until(cup, lambda view: view["status"] == "finished")
    over = server.host.get(f"matches/{match}")
    await expect_ply(page, f"ply {over['ply']} of {over['ply']}")
    await expect(page.locator("#outcome")).to_contain_text(over["reason"])
    assert await page.locator(".clock").first.is_hidden()


async def held_match(server: RunningServer, paced_bots: PacedBots, name: str) -> tuple[str, str, Pace]:
    """Start a match of connect four, and hold its bots at ply 4. Return its tournament, its id and the bots' pace."""
    bots, control = (f"{name}-ann", f"{name}-ben"), {"move_ms": 600_000}
    cup, pace = await paced_bots.held(server, name, "connect4", *bots, legs=1, time_control=control)
    return cup, f"{cup}.1.1.1.1", pace


@pytest.mark.slow
async def test_an_attempt_that_began_while_the_void_one_was_read_is_live(
    own_page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    cup, match, pace = await held_match(server, paced_bots, "Void")
    may_answer = asyncio.Event()

    async def answer(route: Route) -> None:
        answer = await route.fetch()
        await may_answer.wait()
        await route.fulfill(response=answer)

    await own_page.route(f"**/api/matches/{match}", answer)
    await own_page.goto(f"/matches/{match}")
    await expect_ply(own_page, "ply 4 of 4, live")
    await expect(own_page.locator("#bars a")).to_have_count(4)
    server.command(cup, "pause")
    async with own_page.expect_request(f"**/api/matches/{match}"):
        server.command(cup, "replay", match=match)
    pace.release()
    pace.stop_at(0)
    server.command(cup, "resume")
    await expect(own_page.locator("#attempt")).to_have_text(", attempt 2")
    await expect(own_page.locator("#bars a")).to_have_count(0)
    async with own_page.expect_response(f"**/api/matches/{match}"):
        may_answer.set()
    await expect_ply(own_page, "ply 0 of 0, live")
    pace.release()
    await server.until(cup, lambda told: told["status"] == "finished")
    over = server.host.get(f"matches/{match}")
    await expect_ply(own_page, f"ply {over['ply']} of {over['ply']}")
    await expect(own_page.locator("#outcome")).to_contain_text(over["reason"])


@pytest.mark.slow
async def test_an_attempt_whose_end_alone_is_told_has_its_own_boards(
    own_page: Page, server: RunningServer, paced_bots: PacedBots, problems: Problems
) -> None:
    cup, match, pace = await held_match(server, paced_bots, "Missed")
    problems.allow("/events|INTERNET_DISCONNECTED")
    await own_page.goto(f"/matches/{match}")
    await expect_ply(own_page, "ply 4 of 4, live")
    await own_page.context.set_offline(True)
    server.command(cup, "replay", match=match)
    pace.release()
    await server.until(cup, lambda told: told["status"] == "finished")
    await own_page.route("**/events", lambda route: route.fulfill(content_type="text/event-stream", body=OVER % match))
    await own_page.context.set_offline(False)
    await expect(own_page.locator("#attempt")).to_have_text(", attempt 2")
    plies = server.host.get(f"matches/{match}")["ply"]
    await expect_ply(own_page, f"ply {plies} of {plies}")
    await own_page.keyboard.press("Home")
    await own_page.keyboard.press("ArrowRight")
    await expect(own_page.locator("#board .piece")).to_have_count(1)


@pytest.mark.slow
async def test_boards_that_were_asked_for_before_the_end_hide_nothing_after_it(
    own_page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    cup, pace = await paced_bots.held(server, "Hidden", "liars-dice", "hidden-ann", "hidden-ben", legs=1)
    match = f"{cup}.1.1.1.1"
    is_read, may_answer = asyncio.Event(), asyncio.Event()

    async def answer(route: Route) -> None:
        answer = await route.fetch()
        is_read.set()
        await may_answer.wait()
        await route.fulfill(response=answer)

    await own_page.route(f"**/api/matches/{match}/boards*", answer, times=1)
    await own_page.goto(f"/matches/{match}")
    await is_read.wait()
    pace.release()
    await expect(own_page.locator("#outcome b")).to_be_attached()
    await own_page.keyboard.press("Home")
    await expect(own_page.locator("#asking")).to_be_visible()
    async with own_page.expect_response(f"**/api/matches/{match}/boards*") as late:
        may_answer.set()
    await (await late.value).finished()
    await own_page.evaluate("new Promise((done) => setTimeout(done))")
    await own_page.keyboard.press("ArrowRight")
    await expect(own_page.locator("#ply")).to_contain_text("ply 1 of")
    await expect(own_page.locator("#asking")).to_be_visible()


@pytest.mark.slow
async def test_a_result_that_could_not_be_read_is_asked_for_again(
    own_page: Page, server: RunningServer, paced_bots: PacedBots, problems: Problems
) -> None:
    cup, match, pace = await held_match(server, paced_bots, "Unread")
    problems.allow("ERR_FAILED")
    await own_page.route(f"**/api/matches/{match}", lambda route: route.abort(), times=1)
    await own_page.goto(f"/matches/{match}")
    await expect_ply(own_page, "ply 4 of 4, live")
    pace.release()
    await server.until(cup, lambda told: told["status"] == "finished")
    await expect(own_page.locator("#outcome")).to_contain_text(server.host.get(f"matches/{match}")["reason"])


@pytest.mark.slow
async def test_a_clock_goes_on_when_the_visitors_is_set(
    own_page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    _, match, _ = await held_match(server, paced_bots, "Set")
    await own_page.add_init_script("const now = Date.now; window.ahead = 0; Date.now = () => now() + window.ahead;")
    await own_page.goto(f"/matches/{match}")
    clock = own_page.locator(".mover .clock")
    await expect(clock).to_have_text(re.compile("^9:5"))
    before = await clock.inner_text()
    await own_page.evaluate("window.ahead = 3_600_000")
    await expect(clock).not_to_have_text(before)
    await expect(clock).to_have_text(re.compile("^9:5"))


async def expect_ply(page: Page, text: str) -> None:
    await expect(page.locator("#ply")).to_have_text(text)


async def test_clocks_and_scores_stand_at_the_right_edge(page: Page, sample_site: SampleSite) -> None:
    for match, selector in (("{running_match}", ".clock"), ("{finished_match}", ".score")):
        await page.goto(sample_site.path(f"/matches/{match}"))
        for part in await page.locator(f".seat {selector}").all():
            await expect(part).to_be_visible()  # a script shows the clocks as soon as it knows their times
        for width in (390, 1280, 1920):
            await page.set_viewport_size({"width": width, "height": 1080})
            gaps = await page.locator(f".seat {selector}").evaluate_all(
                "(parts) => parts.map((part) => part.parentElement.getBoundingClientRect().right"
                " - part.getBoundingClientRect().right)"
            )
            assert len(gaps) == 2
            assert all(0 < gap < 20 for gap in gaps), (selector, width, gaps)
