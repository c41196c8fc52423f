""" "Playing now" on a tournament's page, in a real browser: the texts of the boards, and their fixed places."""

import re

import pytest
from playwright.async_api import Locator, Page, Route, expect
from rumble_engine import get_game

from tests.browser import layout_shift
from tests.browser.conftest import OpenPage
from tests.browser.paced_bots import SLOW, PacedBots
from tests.browser.running_server import RunningServer
from tests.needs import long_or

pytestmark = pytest.mark.slow

STAY_MS = 60_000
"""Time in ms for which a result stays on its board in tests that read several facts about the board."""
BOXES = "(cards) => cards.map((card) => card.getBoundingClientRect().toJSON())"
TOP_OF_TEXT = """(shown) => {
  const text = document.createRange();
  text.selectNodeContents(shown);
  return text.getBoundingClientRect().top;
}"""
RECTANGLES = "(board, parts) => parts.map((part) => board.querySelector(part).getBoundingClientRect().toJSON())"
"""Reads the places of all parts of a board in a single call, since the page moves when other matches begin or end."""


def card(page: Page, match: str) -> Locator:
    return page.locator(f'#boards article[data-match="{match}"]')


async def keep_results(page: Page) -> None:
    """Let results stay on their boards for `STAY_MS`, since a busy machine cannot read all boards in three seconds."""

    async def serve(route: Route) -> None:
        answer = await route.fetch()
        script, count = re.subn("STAY_MS = 3000;", f"STAY_MS = {STAY_MS};", await answer.text())
        assert count == 1
        await route.fulfill(response=answer, body=script)

    await page.route("**/slots.js", serve)


async def test_each_card_says_who_plays_whom_with_which_pieces_and_who_is_to_move(
    page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    cup, pace = await paced_bots.held(server, "Captions", "connect4", "ann", "bob", "cid", "dot", "eve", "fay")
    await page.goto(f"/tournaments/{cup}")
    game = get_game("connect4")
    plies = []
    for _ in range(2):
        boards = server.tournament(cup)["running"]
        plies.append(sum(board["ply"] for board in boards))
        assert len(boards) == 3
        for board in boards:
            shown = card(page, board["match"])
            await expect(shown.locator(".name")).to_have_text(board["seats"])
            labels = [await token.get_attribute("aria-label") for token in await shown.locator("h3 svg").all()]
            assert labels == [name.lower() for name in game.seat_names]
            await expect(shown.locator(".mover .name")).to_have_text(board["seats"][board["seat"]])
            await expect(shown.locator(".state")).to_have_text(
                f"ply {board['ply']}, {board['seats'][board['seat']]} to move"
            )
            await expect(shown.locator(".picture .piece")).to_have_count(board["ply"])
        pace.release(0.05)
        await server.until(cup, lambda view: sum(board["ply"] for board in view["running"]) > plies[-1] + 3)
        pace.hold()
    assert plies[1] > plies[0]


async def test_tables_keep_their_seats_and_end_with_places(
    page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    settings = {"size": 7, "turns": 3}
    cup = server.create("Tables", "snakes", seats=4, settings=settings, time_control=SLOW)
    names = [f"table-{number}" for number in range(7)]
    pace = await paced_bots.join(server.bot_url, cup, *names)
    pace.hold()
    await page.goto(f"/tournaments/{cup}")
    server.command(cup, "start")
    await server.until(cup, lambda view: len(view["running"]) == 2)
    for board in server.tournament(cup)["running"]:
        shown = card(page, board["match"])
        await expect(shown.locator(".seat:not([hidden]) .name")).to_have_text(board["seats"])
    pace.release()
    await server.until(cup, lambda view: view["status"] == "finished")
    result = server.tournament(cup)["latest"][0]
    newest = page.locator("#latest li").first
    await expect(newest.locator("a span")).to_have_text(result["seats"])
    places = [1 + sum(other > own for other in result["scores"]) for own in result["scores"]]
    await expect(newest.locator("a b")).to_have_text([str(place) for place in places])


@pytest.mark.parametrize("pairs", [1, 2, 3])
async def test_few_boards_stand_beside_each_other_and_fit_the_window(
    page: Page, server: RunningServer, paced_bots: PacedBots, pairs: int
) -> None:
    cup, _ = await paced_bots.held(
        server, f"Few {pairs}", "connect4", *(f"few-{pairs}-{each}" for each in range(2 * pairs))
    )
    await page.goto(f"/tournaments/{cup}")
    for width, height in ((1280, 800), (1280, 500), (1920, 1080), (390, 844), (844, 390)):
        await page.set_viewport_size({"width": width, "height": height})
        boxes = await page.locator("#boards article").evaluate_all(BOXES)
        assert len(boxes) == pairs
        assert len({box["left"] for box in boxes}) == min(2, pairs), width
        assert all(box["height"] <= height for box in boxes), (width, boxes)


async def test_the_choice_whom_to_follow_stands_beside_its_heading_on_a_phone(
    page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    cup, _ = await paced_bots.held(server, "Beside", "connect4", *(f"beside-{'m' * 24}{each}" for each in range(4)))
    await page.goto(f"/tournaments/{cup}?follow=beside-{'m' * 24}0")
    await expect(page.locator("#follow option")).to_have_count(5)
    for width in (360, 390):
        await page.set_viewport_size({"width": width, "height": 844})
        heading, choice = [
            await page.locator(selector).evaluate("(part) => part.getBoundingClientRect().toJSON()")
            for selector in ("#boards-title", ".following-choice")
        ]
        assert choice["top"] < heading["bottom"], width
        assert choice["right"] <= width
        assert (await page.locator("#follow").evaluate("(choice) => choice.offsetWidth")) > 100


async def test_a_move_changes_the_board_in_place(page: Page, server: RunningServer, paced_bots: PacedBots) -> None:
    cup, pace = await paced_bots.held(server, "In place", "connect4", "gil", "gus")
    await page.goto(f"/tournaments/{cup}")
    (board,) = server.tournament(cup)["running"]
    picture = card(page, board["match"]).locator(".picture svg")

    async def after(moves: int) -> None:
        pace.release()
        pace.stop_at(board["ply"] + moves)
        await expect(picture.locator(".piece")).to_have_count(board["ply"] + moves)

    # Moves before the page followed the feed arrive as a snapshot, which draws the board anew.
    await after(1)
    await picture.evaluate("(picture) => picture.setAttribute('data-kept', 'yes')")
    await after(3)
    await expect(picture).to_have_attribute("data-kept", "yes")


async def test_a_screen_reader_hears_one_summary_for_the_page_and_no_board(
    timed_page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    cup, pace = await paced_bots.held(server, "Heard", "connect4", "hal", "hob", "huw", "hen")
    await timed_page.goto(f"/tournaments/{cup}")
    pace.release()
    await expect(timed_page.locator("#latest li").first).to_be_visible()
    assert await timed_page.locator("#playing :is([role=status], [role=alert], [role=log], [aria-live])").count() == 0
    await timed_page.clock.fast_forward(10_000)
    await expect(timed_page.locator("#news")).to_have_text(
        re.compile(r"^(\d+ results, the last: )?\w+ against \w+, [01½] : [01½]\. \d+ match(es are| is) being played\.$")
    )


async def test_a_result_is_stamped_on_its_board_and_marked_at_the_seat_that_won(
    timed_page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    await keep_results(timed_page)
    cup, pace = await paced_bots.held(server, "Stamps", "connect4", "ivo", "jan", "kai", cycles=9)
    await timed_page.goto(f"/tournaments/{cup}")
    await expect(timed_page.locator("#follow option")).not_to_have_count(
        1
    )  # after the snapshot the page misses no move
    match = server.tournament(cup)["running"][0]["match"]
    pace.release(0.03)
    shown = card(timed_page, match)
    await expect(shown.locator(".stamp")).to_be_visible()
    result = next(each for each in server.host.get(f"tournaments/{cup}/matches")["matches"] if each["id"] == match)
    winner = result["seats"][result["scores"].index(1)]
    await expect(shown.locator(".stamp")).to_have_text(f"{winner} wins")
    await expect(shown.locator(".winner .name")).to_have_text(winner)
    await expect(shown.locator(".score")).to_have_text(["1", "0"] if result["scores"][0] else ["0", "1"])
    await expect(shown.locator(".picture .piece")).to_have_count(len(result["moves"]))
    await timed_page.clock.fast_forward(STAY_MS)
    await expect(shown).to_have_count(0)
    await expect(timed_page.locator("#boards article")).to_have_count(1)


async def test_the_first_round_that_is_paired_under_a_readers_eyes_is_news(
    timed_page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    names = ("news-ann", "news-bob", "news-cid", "news-dot")
    cup, pace = await paced_bots.held(server, "Second", "connect4", *names, format="swiss", rounds=2, legs=1)
    await timed_page.goto(f"/tournaments/{cup}")
    await expect(timed_page.locator("#follow option")).to_have_count(5)
    pace.release()
    pace.stop_at(0, after_matches=2)
    await expect(timed_page.locator("#latest li")).to_have_count(2)
    await server.until(cup, lambda told: bool(told["running"]))
    await timed_page.clock.run_for(10_000)
    await expect(timed_page.locator("#news")).to_contain_text("Round 2 is paired.")


async def test_a_match_that_spectators_see_late_names_nobody_to_move(
    open_page: OpenPage, server: RunningServer, paced_bots: PacedBots
) -> None:
    cup = server.create("Delayed", "liars-dice", legs=1, spectator_delay_ms=3_600_000, time_control=SLOW)
    await paced_bots.join(server.bot_url, cup, "pia", "rex", think_s=3600)
    server.command(cup, "start")
    await server.until(cup, lambda told: bool(told["running"]))
    for scripts in (False, True):
        page = await open_page(java_script_enabled=scripts)
        await page.goto(f"/tournaments/{cup}")
        if scripts:
            await expect(page.locator("#follow option")).to_have_count(3)
        await expect(page.locator("#boards .state")).to_have_text("ply 0")
        await page.goto(f"/matches/{cup}.1.1.1.1")
        await expect(page.locator("#outcome")).to_have_text("")


async def test_a_stamp_says_how_a_match_was_lost(page: Page, server: RunningServer, paced_bots: PacedBots) -> None:
    cup = server.create("Late", "connect4", cycles=20, time_control={"move_ms": 100}, bench_after=99)
    await paced_bots.join(server.bot_url, cup, "lea", "mia", think_s=0.3)
    server.command(cup, "start")
    await page.goto(f"/tournaments/{cup}")
    ended = page.locator("#boards article:has(.stamp:visible)")
    await expect(ended).to_contain_text(re.compile(r"(lea|mia) wins\s+on time\s*$"))


async def test_the_winner_stands_below_the_board_and_how_it_won_below_the_winner(
    timed_page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    await keep_results(timed_page)
    names = [f"{letter}{'w' * 31}" for letter in "cdefghijkl"]
    cup, pace = await paced_bots.held(server, "Below", "connect4", *names, legs=1, cycles=1)
    await timed_page.goto(f"/tournaments/{cup}")
    pace.release()
    ended = timed_page.locator("#boards article:has(.stamp:visible)").first
    for width in (390, 1280, 1920):
        await timed_page.set_viewport_size({"width": width, "height": 900})
        picture, stamp, name = await ended.evaluate(RECTANGLES, [".picture", ".stamp", ".stamp b"])
        how_top = await ended.locator(".state").evaluate(TOP_OF_TEXT)
        assert picture["bottom"] <= stamp["top"] < stamp["bottom"] <= how_top, width
        assert name["width"] >= 40, width
        assert stamp["right"] <= width


async def test_the_boards_fold_away_when_the_last_results_were_seen(
    timed_page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    await keep_results(timed_page)
    cup, pace = await paced_bots.held(server, "End", "connect4", "nan", "oda", legs=1)
    await timed_page.goto(f"/tournaments/{cup}")
    pace.release()
    await expect(timed_page.locator("#status")).to_have_text("finished")
    await expect(timed_page.locator("#boards .stamp")).to_be_visible()
    await expect(timed_page.locator("#tournament")).not_to_have_class(re.compile(r"\bover\b"))
    await timed_page.clock.fast_forward(STAY_MS)
    await expect(timed_page.locator("#playing")).to_be_hidden()
    await expect(timed_page.locator("#tournament")).to_have_class(re.compile(r"\bover\b"))


async def test_the_bot_that_is_followed_has_the_first_board_and_the_largest(
    page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    bots = [f"p{number:02}" for number in range(52)]
    cup, pace = await paced_bots.held(server, "Followed", "connect4", *bots, cycles=1)
    running = server.tournament(cup)["running"]
    hidden = running[0]["seats"][0]
    await page.goto(f"/tournaments/{cup}?invite=some&follow={hidden}")
    first, second = page.locator("#boards article").nth(0), page.locator("#boards article").nth(1)
    await expect(page.locator("#boards article")).to_have_count(24)
    await expect(first.locator(".name", has_text=hidden)).to_be_visible()
    await expect(page.locator("#follow")).to_have_value(hidden)
    large, small = await first.bounding_box(), await second.bounding_box()
    assert large
    assert small
    assert large["width"] > 1.8 * small["width"]

    other = running[-1]["seats"][1]
    await page.locator("#follow").select_option(other)
    await expect(first.locator(".name", has_text=other)).to_be_visible()
    await expect(page).to_have_url(re.compile(rf"\?invite=some&follow={other}$"))
    match = await first.get_attribute("data-match")
    pace.release(0.01)
    await expect(first).not_to_have_attribute("data-match", match or "")
    await expect(first.locator(".name", has_text=other)).to_be_visible()
    await page.locator("#follow").select_option("nobody")
    await expect(page).to_have_url(re.compile(r"\?invite=some$"))
    box = await first.bounding_box()
    assert box
    assert box["width"] == small["width"]


async def test_a_bot_that_is_away_is_shown_with_the_time_that_its_match_waits(
    timed_page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    cup, _ = await paced_bots.held(server, "Away", "connect4", "quy", "rob", "sam", "tom", away_ms=600_000)
    await timed_page.goto(f"/tournaments/{cup}")
    board = next(each for each in server.tournament(cup)["running"] if "rob" in each["seats"])
    shown = card(timed_page, board["match"])
    before = await shown.bounding_box()
    await paced_bots.drop("rob")
    await expect(shown.locator(".away .name")).to_have_text("rob")
    await expect(shown.locator(".away .score")).to_have_text("away")
    (waiting,) = [each for each in server.tournament(cup)["running"] if "rob" in each["seats"]]
    (away,) = [each for each in waiting["away"] if each]
    waits_s = (away["until_at_ms"] - away["since_at_ms"]) // 1000  # longer on a server that has just begun
    assert waits_s >= 600
    until = f"waits until {waits_s // 60}:{waits_s % 60:02}"
    await expect(shown.locator(".state")).to_have_text(re.compile(rf"^away for 0:\d\d, {until}$"))
    await timed_page.clock.fast_forward(3000)
    await expect(shown.locator(".state")).to_have_text(re.compile(r"^away for 0:(0[3-9]|1\d),"))
    assert await shown.bounding_box() == before
    await paced_bots.join(server.bot_url, cup, "rob", think_s=3600)
    await expect(shown.locator(".state")).to_have_text(re.compile("to move"))
    await expect(shown.locator(".away")).to_have_count(0)


async def holds_still(
    open_page: OpenPage, server: RunningServer, paced_bots: PacedBots, bots: int, results: int, think_s: float
) -> None:
    """Watch a tournament until it has `results` further results; no element may move by itself."""
    names = [f"{'a-name-of-some-length-' if number % 5 == 0 else 'v'}{number:03}" for number in range(bots)]
    cup = server.create(f"Still {bots}", "connect4", cycles=9, time_control=SLOW)
    pace = await paced_bots.join(server.bot_url, cup, *names, think_s=think_s)
    server.command(cup, "start")
    await server.until(cup, lambda view: view["matches_over"] >= 2)
    pages = []
    for width, height in ((1280, 800), (1920, 1080), (390, 844)):
        page = await open_page(viewport={"width": width, "height": height})
        await page.goto(f"/tournaments/{cup}?follow={names[-1]}")
        await expect(page.locator("#boards article").first.locator(".name", has_text=names[-1])).to_be_visible()
        if width < height:
            await page.locator("#boards").evaluate("(boards) => boards.scrollIntoView()")
        await layout_shift.watch(page)
        pages.append(page)
    over = server.tournament(cup)["matches_over"]
    await server.until(cup, lambda view: view["matches_over"] >= over + results)
    pace.hold()
    for page in pages:
        found = await layout_shift.seen(page)
        assert found.places == 0
        assert found.a_minute < 0.1, found
    server.command(cup, "cancel")


async def test_the_page_of_a_running_tournament_holds_still(
    open_page: OpenPage, server: RunningServer, paced_bots: PacedBots
) -> None:
    await holds_still(open_page, server, paced_bots, 25, long_or(15, 40), 0.1)


@pytest.mark.long
async def test_the_page_of_a_running_tournament_of_a_hundred_bots_holds_still(
    open_page: OpenPage, server: RunningServer, paced_bots: PacedBots
) -> None:
    """Watch a tournament for about half a minute."""
    await holds_still(open_page, server, paced_bots, 100, 100, 0.4)
