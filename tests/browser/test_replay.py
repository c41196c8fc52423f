"""Replaying a match in a real browser: the result at the end only, moves, times, speeds, keys, links; and live."""

import re
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect
from rumble_engine import get_game
from rumble_server.web.texts import thought_text

from tests.browser.axe import SCHEMES
from tests.browser.conftest import OpenPage
from tests.browser.paced_bots import PacedBots
from tests.browser.running_server import RunningServer


async def played(server: RunningServer, paced_bots: PacedBots, name: str, game: str, **config: Any) -> list[str]:
    """Play a tournament of two bots to its end; return the ids of its matches in the order of the schedule."""
    cup = server.create(name, game, start_at_bots=2, **config)
    await paced_bots.join(server.bot_url, cup, "ann", "ben", note="I win soon")
    await server.until(cup, lambda view: view["status"] == "finished")
    return sorted(match["id"] for match in server.host.get(f"tournaments/{cup}/matches")["matches"])


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def match(server: RunningServer) -> str:
    """A match of connect four, with notes of its bots, that tests share."""
    paced_bots = PacedBots()
    (match,) = await played(server, paced_bots, "Replayed", "connect4", legs=1)
    await paced_bots.end()
    return match


async def expect_ply(page: Page, ply: int) -> None:
    await expect(page.locator("#ply")).to_have_text(re.compile(f"^ply {ply} of"))


async def test_the_result_is_told_at_the_last_ply_or_on_demand(page: Page, match: str) -> None:
    outcome, score, title = page.locator("#outcome"), page.locator(".score").first, page.locator("#result-title")
    last, notes = page.locator(".moves li:last-child code"), page.locator(".moves .note")

    async def tells(visible: bool) -> None:
        for each in (outcome, score, last):
            await expect(each).to_be_visible(visible=visible)

    await page.goto(f"/matches/{match}?ply=3")
    await tells(False)
    assert await page.locator(".moves li").nth(2).locator("code").is_visible()
    assert await notes.nth(1).is_visible()
    assert not await notes.nth(4).is_visible(), "what a bot wrote later"
    await page.keyboard.press("End")
    await tells(True)
    await page.keyboard.press("ArrowLeft")
    await tells(False)
    await title.click()
    await tells(True)
    await page.keyboard.press("Home")
    await tells(True)
    await title.click()
    await tells(False)


async def test_buttons_moves_and_slider_lead_to_a_ply(page: Page, server: RunningServer, match: str) -> None:
    view, state = server.host.get(f"matches/{match}"), get_game("connect4").initial()
    await page.goto(f"/matches/{match}?ply=1")
    for selector, ply in (("[data-go=on]", 2), (".moves li:nth-child(6) a", 6), ("[data-go=back]", 5)):
        await page.locator(selector).click()
        await expect_ply(page, ply)
        await expect(page.locator("#board .piece")).to_have_count(ply)
        await page.wait_for_url(f"**/matches/{match}?ply={ply}")
    assert await page.locator(".moves [aria-current] code").text_content() == view["moves"][4]
    for move in view["moves"][:5]:
        state = state.play(move)
    assert (await page.locator("#ask").text_content() or "").endswith(f" --position '{state.text()}'")
    await page.locator("#slider").fill("3")
    await expect_ply(page, 3)
    await page.keyboard.press("End")  # the slider's own key, since the slider has the focus
    await expect_ply(page, view["ply"])
    await page.wait_for_url(f"**/matches/{match}")


async def test_the_note_of_the_ply_on_the_board_is_in_sight(page: Page, server: RunningServer, match: str) -> None:
    last = server.host.get(f"matches/{match}")["ply"]
    await page.goto(f"/matches/{match}")
    for key, ply in (("End", last), ("ArrowLeft", last - 1), ("Home", 0), ("ArrowRight", 1), ("End", last)):
        await page.keyboard.press(key)
        await expect_ply(page, ply)
        if ply:
            await expect(page.locator(".moves .note").nth(ply - 1)).to_be_in_viewport(ratio=0.9)


async def test_bars_tell_times_and_lead_to_their_plies(page: Page, server: RunningServer, match: str) -> None:
    view = server.host.get(f"matches/{match}")
    await page.goto(f"/matches/{match}")
    bars, took = page.locator("#bars .bar"), page.locator("#took")
    await expect(bars).to_have_count(view["ply"])
    by_server = await page.evaluate("fetch(location).then((answer) => answer.text())")
    drawn = re.search(r'<svg id="bars".*?</svg>', by_server, re.DOTALL)
    assert drawn is not None
    read = "(html) => { const t = document.createElement('template'); t.innerHTML = html; return t.innerHTML; }"
    shapes = re.compile(r'<rect class="(?:first|second)"[^>]*>')
    assert shapes.findall(await page.evaluate(read, drawn[0])) == shapes.findall(
        await page.locator("#think").inner_html()
    )
    assert await took.text_content() == f"{view['seats'][view['movers'][-1]]}: {view['thought_ms'][-1]} ms"
    await bars.nth(4).hover()
    assert await took.text_content() == f"{view['seats'][0]}: {view['thought_ms'][4]} ms"
    await bars.nth(4).click()
    await expect_ply(page, 5)
    await expect(bars.nth(4)).to_have_class(re.compile("now"))
    assert await page.locator(".moves li").nth(4).locator(".took").text_content() == f"{view['thought_ms'][4]} ms"


async def test_server_and_script_write_times_the_same(home: Page) -> None:
    times = [0, 9, 999, 1000, 1099, 9_999, 10_000, 75_400]
    written = "async (times) => times.map((await import('/static/think_chart.js')).thoughtText)"
    assert await home.evaluate(written, times) == [thought_text(each) for each in times]


@pytest.mark.slow
async def test_a_replay_goes_on_by_itself_at_the_chosen_speed(timed_page: Page, match: str) -> None:
    await timed_page.goto(f"/matches/{match}?ply=1")
    await expect(timed_page.locator("#bars .bar")).not_to_have_count(0)
    await timed_page.clock.pause_at(await timed_page.evaluate("Date.now() + 1000"))
    for speed, pace_ms in (("0.5", 1800), ("1", 900), ("4", 225), ("real", 100)):
        await timed_page.locator(".moves li").first.locator("a").click()
        await expect_ply(timed_page, 1)
        await timed_page.locator("#speed").select_option(speed)
        await timed_page.locator("#play").click()
        await expect(timed_page.locator("#play")).to_have_text("Pause")
        await timed_page.clock.run_for(pace_ms - 20)
        await expect_ply(timed_page, 1)
        await timed_page.clock.run_for(40)
        await expect_ply(timed_page, 2)
        await timed_page.clock.run_for(pace_ms)
        await expect_ply(timed_page, 3)
        await timed_page.locator("#ply").click()
        await timed_page.keyboard.press("Space")
        await timed_page.clock.run_for(5 * pace_ms)
        await expect_ply(timed_page, 3)


@pytest.mark.slow
async def test_other_matches_are_a_key_away(page: Page, server: RunningServer, paced_bots: PacedBots) -> None:
    first, second, third, *_ = await played(server, paced_bots, "Neighbours", "tictactoe", cycles=2)
    await page.goto(f"/matches/{first}")
    await expect(page.locator("a[rel=prev]")).to_have_count(0)
    for key, reached in (("n", second), ("n", third), ("p", second)):
        await page.keyboard.press(key)
        await page.wait_for_url(f"**/matches/{reached}")


async def test_a_link_leads_to_the_ply_that_is_shown(page: Page, server: RunningServer, match: str) -> None:
    await page.goto(f"/matches/{match}")
    await page.get_by_text("Link to this ply").click()
    for key, ply in (("Home", 0), ("ArrowRight", 1)):
        await page.keyboard.press(key)
        await expect(page.locator("#here")).to_have_text(f"{server.url}/matches/{match}?ply={ply}")
    await expect(page.locator(".here").get_by_role("button", name="Copy")).to_be_visible()
    await page.get_by_text("Keys", exact=True).click()
    assert await page.locator(".keys kbd").all_text_contents() == ["←", "→", "Home", "End", "Space", "f", "p", "n"]


async def test_without_scripts_the_page_is_a_replay_all_the_same(open_page: OpenPage, match: str) -> None:
    page = await open_page(java_script_enabled=False)
    await page.goto(f"/matches/{match}?ply=3")
    assert not await page.locator("#outcome").is_visible()
    assert not await page.locator(".score").first.is_visible()
    await page.locator("#result-title").click()
    assert await page.locator(".score").first.is_visible()
    await page.locator("#bars .bar").nth(4).click()
    await page.wait_for_url("**?ply=5")
    assert await page.locator("#board .piece").count() == 5
    await page.locator("[data-go=back]").click()
    await page.wait_for_url("**?ply=4")


@pytest.mark.slow
async def test_a_running_match_has_its_moves_in_san_and_tells_who_is_away(
    page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    control, opening = {"bank_ms": 3_600_000}, ["e2e4", "e7e5"]
    cup = server.create("Live in SAN", "chess", legs=1, start_at_bots=2, time_control=control, openings=[opening])
    pace = await paced_bots.join(server.bot_url, cup, "san-ann", "san-ben", think_s=0.1)
    match = f"{cup}.1.1.1.1"
    await server.until(cup, lambda view: bool(view["running"]) and view["running"][0]["ply"] >= 1)
    await page.goto(f"/matches/{match}")
    await expect(page.locator(".moves li").nth(7)).to_be_attached()
    pace.hold()
    await server.until(cup, lambda view: len(view["running"][0]["moves"]) == 2 + pace.answered)
    moves = server.tournament(cup)["running"][0]["moves"]
    game, state, written = get_game("chess"), get_game("chess").initial(), []
    for move in moves:
        written.append(game.written(state, move))
        state = state.play(move)
    await expect(page.locator(".moves code")).to_have_text(written)
    await expect(page.locator(".moves .count").nth(2)).to_have_text("2.")
    first, second = [await page.locator(".moves li").nth(ply).bounding_box() for ply in range(2)]
    assert first is not None
    assert second is not None
    assert first["y"] == second["y"], "a pair stands in one row"
    assert first["x"] < second["x"]
    await expect(page.locator(".moves .took").first).to_have_text("opening")
    await expect(page.locator("#bars .bar")).to_have_count(len(moves) - 2)
    assert await page.locator(".away:visible").count() == 0
    await paced_bots.end()
    for seat in range(2):
        away = page.locator(f"[data-seat='{seat}'].seat .away")
        await expect(away).to_have_text(re.compile(r"^away \d+ s, \d+ s left$"))


async def test_a_picture_by_address_has_its_colours_light_and_dark(page: Page) -> None:
    paints = []
    for scheme in SCHEMES:
        await page.emulate_media(color_scheme=scheme)
        await page.goto("/api/games/hex/board.svg?move=a1")
        look = "(parts) => parts.map((part) => getComputedStyle(document.querySelector(part)).fill)"
        paints += await page.evaluate(look, [".paper", ".first .body", ".hexagons"])
    assert len(set(paints)) == 6, paints
    assert "rgb(0, 0, 0)" not in paints, "what has no colour is black"
