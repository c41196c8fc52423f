"""The page of a tournament in every format and status: the order of its parts, its drawings, its keys and links."""

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.async_api import Page, Route, expect
from rumble_protocol.secret import make_secret
from rumble_server.results.tiebreaks import TIEBREAKS

from tests.browser.conftest import OpenPage
from tests.browser.paced_bots import Pace, PacedBots
from tests.browser.problems import Problems
from tests.browser.running_server import RunningServer
from tests.browser.sample_site import SampleSite

NAMES = ("ann", "bob", "cid", "dot", "eve", "fay")
LINES = """() => {
  const middle = (slot) => {
    const { top, height } = slot.querySelector(".meeting").getBoundingClientRect();
    return top + height / 2;
  };
  const rounds = [...document.querySelectorAll(".bracket .round")].map((round) => [...round.querySelectorAll(".slot")]);
  return rounds.slice(0, -1).flatMap((slots, round) => slots.map((slot, place) => {
    const line = getComputedStyle(slot, "::after");
    const next = rounds[round + 1][Math.floor(place / 2)];
    const stub = getComputedStyle(next, "::before");
    const [box, nextLeft] = [slot.getBoundingClientRect(), next.getBoundingClientRect().left];
    const [top, height] = [box.top + parseFloat(line.top), parseFloat(line.height)];
    const ends = place % 2 ? [top + height, top] : [top, top + height];
    return {
      width: parseFloat(line.borderRightWidth),
      from: ends[0] - middle(slot),
      to: ends[1] - middle(next),
      joint: box.left + parseFloat(line.left) + parseFloat(line.width) - nextLeft - parseFloat(stub.left),
    };
  }));
}"""
LARGE_CROSSTABLE = """async () => {
  const names = [..."abcdefghijklmnopqrstuvwxyz"];
  document.querySelector("main").innerHTML = `<div id="tournament" data-id="cup"></div>
    <table id="standings-table"><tr id="standings-head"></tr><tbody id="standings"></tbody></table>
    <table id="crosstable-table"><tr id="crosstable-head"><th><th></tr><tbody id="crosstable"></tbody></table>`;
  const { showCrosstable } = await import("/static/crosstable.js");
  showCrosstable([...names.slice(1), "a"], [], true);
  showCrosstable(names, [], false);
}"""
FADES = """([selector, length]) =>
  getComputedStyle(document.querySelector(selector)).getPropertyValue("--fade-right") === length"""


async def top_of(page: Page, selector: str) -> float:
    box = await page.locator(selector).bounding_box()
    assert box is not None, f"{selector} is not shown"
    return box["y"]


async def texts(page: Page, selector: str) -> list[str]:
    return [text.strip() for text in await page.locator(selector).all_inner_texts()]


def told_cells(view: Any) -> dict[tuple[str, str], float]:
    """Return the crosstable from the API: points by row and column."""
    pairs = [(pair["names"], pair["scores"]) for pair in view["pairs"]]
    return {(names[side], names[1 - side]): scores[side] for names, scores in pairs for side in (0, 1)}


@pytest.mark.parametrize("name", ["knockout", pytest.param("knockout_running", marks=pytest.mark.slow)])
async def test_a_bracket_comes_first_and_its_lines_join_the_middles(
    page: Page, sample_site: SampleSite, name: str
) -> None:
    await page.goto(sample_site.path(f"/tournaments/{{{name}}}"))
    assert await top_of(page, ".bracket") < await top_of(page, "#standings-table")
    sections = await page.evaluate(
        "[...document.querySelectorAll('.bracket, #standings-table')].map((each) => each.tagName)"
    )
    assert sections == ["OL", "TABLE"]
    assert await texts(page, ".bracket h3") == ["Quarter-finals", "Semi-finals", "Final"]
    lines = await page.evaluate(LINES)
    assert len(lines) == 6
    for line in lines:
        assert line["width"] == 2
        assert abs(line["from"]) <= 1.5
        assert abs(line["to"]) <= 1.5
        assert abs(line["joint"]) <= 0.5
    await expect(page.locator("#ratings > details")).not_to_have_attribute("open", "")
    legs = page.locator(".bracket .leg")
    assert (await legs.first.get_attribute("href") or "").startswith(sample_site.path("/matches/"))


@pytest.mark.slow
async def test_connecting_is_large_only_while_bots_may_join(
    page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    closing, late = server.create("closing"), server.create("late", late_join=True)
    for cup, stays in ((closing, False), (late, True)):
        await page.goto(f"/tournaments/{cup}")
        assert await top_of(page, "#connect") < await top_of(page, ".standings-part")
        await expect(page.locator("#closed")).to_be_hidden()
        pace = await paced_bots.join(server.bot_url, cup, f"{cup}-ann", f"{cup}-bob")
        pace.hold()
        server.command(cup, "start")
        await expect(page.locator("#status")).to_have_text("running")
        await expect(page.locator("#closed")).to_be_visible(visible=not stays)
        await expect(page.locator("#connect")).to_be_visible(visible=stays)
        for _ in ("as it was changed", "as it is loaded"):
            if stays:
                assert await top_of(page, "#connect") > await top_of(page, "#export")
            else:
                assert await top_of(page, "#closed") > await top_of(page, "#export")
            await page.goto(f"/tournaments/{cup}")
        assert await page.locator("#connect").count() == int(stays)
        pace.release()
        await server.until(cup, lambda view: view["status"] == "finished")
        await expect(page.locator("#connect")).to_have_count(0) if not stays else await expect(
            page.locator("#connect")
        ).to_be_hidden()


async def test_a_cell_of_the_crosstable_says_whose_it_is(page: Page, sample_site: SampleSite) -> None:
    await page.set_viewport_size({"width": 1280, "height": 800})
    view = sample_site.server.tournament(sample_site.ids["big"])
    first, second, third = (line["name"] for line in view["standings"][:3])
    await page.goto(sample_site.path("/tournaments/{big}"))
    assert await page.locator("#crosstable a").count() == 0
    cell = page.locator("#crosstable tr:nth-child(1) td:nth-child(4)")
    score = await cell.inner_text()
    await cell.hover()
    link = cell.locator("a")
    await expect(link).to_have_attribute("title", f"{first} against {second}: {score} of 1")
    assert await page.locator("#crosstable [data-lit]").count() == 2 + 24 + 24 - 1
    await link.focus()
    await page.keyboard.press("ArrowRight")
    focused = page.locator("#crosstable a:focus")
    await expect(focused).to_have_attribute(
        "aria-label", f"{first} against {third}: {told_cells(view)[first, third]:g} of 1".replace("0.5", "½")
    )
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/matches?*")
    await expect(page.locator("main")).to_contain_text(third)


@pytest.mark.slow
async def test_a_crosstable_knows_bots_with_display_names(
    page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    cup = server.create("pupils", format="gauntlet", classroom=True, legs=1)
    pace, names = Pace(0.0), {}
    for display in ("Zo\u00eb G", "\u00dcnal G", "Chlo\u00e9 G"):
        key = make_secret()
        names[display] = server.pupil(cup, display, key)
        await paced_bots.join(server.bot_url, cup, names[display], key=key, pace=pace)
    pace.hold()
    heads = page.locator("#crosstable-head th[title]")
    await page.goto(f"/tournaments/{cup}")
    server.command(cup, "start")
    await expect(heads).to_have_count(1)
    await expect(page.locator("#follow option")).to_have_count(4)
    await page.goto(f"/tournaments/{cup}")
    await expect(page.locator("#follow option")).to_have_count(4)  # as the feed has them
    await expect(heads).to_have_count(1)
    pace.release()
    await expect(page.locator("#status")).to_have_text("finished")
    for _ in ("as it was changed", "as it is loaded"):
        cell = page.locator("#crosstable td:not(.place, .self, :empty)").first
        await cell.hover()
        link = await cell.locator("a").get_attribute("href") or ""
        shown = [
            await cell.locator("xpath=../th").inner_text(),
            (await heads.get_attribute("title") or "").strip("\u2068\u2069"),
        ]
        assert parse_qs(urlsplit(link).query) == {"bot": [names[shown[0]]], "against": [names[shown[1]]]}
        await page.goto(f"/tournaments/{cup}")


@pytest.mark.slow
async def test_a_gauntlet_that_is_paused_before_a_page_hears_of_its_start_has_its_columns(
    open_page: OpenPage, server: RunningServer, paced_bots: PacedBots, problems: Problems
) -> None:
    page, cup = await open_page(), server.create("paused gauntlet", format="gauntlet")
    problems.allow("/events")
    await page.route("**/events", lambda route: route.abort())
    await page.goto(f"/tournaments/{cup}")
    await expect(page.locator("#connection")).to_be_visible()
    pace = await paced_bots.join(server.bot_url, cup, "gap-ann", "gap-bob", "gap-cid")
    pace.hold()
    server.command(cup, "start")
    server.command(cup, "pause")
    await page.unroute("**/events")
    await expect(page.locator("#crosstable-head th[title]")).to_have_count(1)


@pytest.mark.slow
async def test_a_large_crosstable_has_the_last_order_at_the_latest_after_a_while(timed_page: Page) -> None:
    await timed_page.goto("/")
    await timed_page.evaluate(LARGE_CROSSTABLE)
    first = timed_page.locator("#crosstable th").first
    await expect(first).to_have_text("b")
    await timed_page.clock.run_for(5000)
    await expect(first).to_have_text("a")


@pytest.mark.slow
async def test_rounds_are_read_again_after_missed_events(
    timed_page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    cup = server.create("missed round", format="swiss", rounds=3, legs=1)
    pace = await paced_bots.join(server.bot_url, cup, *(f"missed-{name}" for name in NAMES[:4]))
    pace.stop_at(0)
    server.command(cup, "start")
    await server.until(cup, lambda told: len(told["running"]) == 2)
    told = server.tournament(cup)

    async def answer(route: Route) -> None:
        snapshot = json.dumps({**told, "ended": [], "type": "snapshot"})
        body = f"retry: 100\n\nevent: snapshot\ndata: {snapshot}\n\n"
        await route.fulfill(content_type="text/event-stream", body=body)

    await timed_page.route("**/events", answer)
    await timed_page.goto(f"/tournaments/{cup}")
    await expect(timed_page.locator("#rounds .rounds > li")).to_have_count(1)
    pace.release()
    pace.stop_at(0, after_matches=2)
    await server.until(cup, lambda told: told["matches_over"] == 2 and len(told["running"]) == 2)
    told = server.tournament(cup)
    await expect(timed_page.locator("#count")).to_have_text(f"2 of {told['matches_total']} matches")
    await timed_page.clock.fast_forward(10_000)
    await expect(timed_page.locator("#rounds .rounds > li")).to_have_count(2)


@pytest.mark.slow
async def test_decided_by_is_seen_beside_every_tie_break(
    page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    ties = ["buchholz", "de", "won", "sb", "bwg"]
    cup = server.create("ties", format="swiss", rounds=3, legs=1, tiebreaks=ties)
    await paced_bots.join(server.bot_url, cup, *(f"tied-{name}" for name in NAMES))
    server.command(cup, "start")
    await server.until(cup, lambda view: view["status"] == "finished")
    await page.set_viewport_size({"width": 1280, "height": 800})
    await page.goto(f"/tournaments/{cup}")
    await page.get_by_label("Tie-breaks").check()
    heads = await texts(page, "#standings-head th:visible")
    assert heads[1:6] == ["Bot", "Points", "Played", "W–D–L", "Decided by"]
    assert heads[-len(ties) :] == [name.upper() for name in ties]
    for width in (1280, 1920):
        await page.set_viewport_size({"width": width, "height": 800})
        table, box = await page.locator(".standings-part .scroll").evaluate("box => [box.scrollWidth, box.clientWidth]")
        assert table <= box < width, "no column is out of view"
        lines = "cells => cells.map((cell) => cell.offsetHeight)"
        heights = await page.locator("#standings td.decided").evaluate_all(lines)
        assert max(heights) <= min(heights) + 1, "a tie-break with a long name makes no row higher"
        for title in TIEBREAKS.values():
            is_cut = "(span, title) => (span.textContent = title, span.scrollHeight > span.clientHeight + 1)"
            assert not await page.locator("#standings td.decided span").first.evaluate(is_cut, title), title


@pytest.mark.parametrize(
    ("name", "selector"), [("big", ".crosstable-box"), ("big", ".standings-part .scroll"), ("knockout", ".bracket-box")]
)
@pytest.mark.slow
async def test_a_box_fades_out_at_the_edge_beyond_which_it_goes_on(
    page: Page, sample_site: SampleSite, name: str, selector: str
) -> None:
    await page.set_viewport_size({"width": 360, "height": 740})
    await page.goto(sample_site.path(f"/tournaments/{{{name}}}"))
    box = page.locator(selector)
    await box.scroll_into_view_if_needed()
    await box.evaluate("element => element.scrollTo(0, 0)")
    await page.wait_for_function(FADES, arg=[selector, "48px"])
    assert "linear-gradient" in await box.evaluate("element => getComputedStyle(element).maskImage")
    await box.evaluate("element => element.scrollTo(element.scrollWidth, 0)")
    await page.wait_for_function(FADES, arg=[selector, "0px"])


async def test_a_part_that_is_renewed_stays_as_the_reader_left_it(page: Page, sample_site: SampleSite) -> None:
    await page.goto(sample_site.path("/tournaments/{swiss}"))
    titles = await texts(page, ".rounds h3")
    await page.locator(".rounds details").nth(2).locator("summary").click()
    await page.locator(".rounds .leg").first.focus()
    kept = await page.evaluate(
        """async () => {
          const script = document.querySelector('script[src$="/times.js"]');
          const { renewPart } = await import(script.src.replace("times.js", "renew.js"));
          const part = document.getElementById("rounds");
          const fresh = part.cloneNode(true);
          const newest = fresh.querySelector(".rounds > li").cloneNode(true);
          newest.querySelector("h3").textContent = "the next round";
          fresh.querySelector(".rounds").prepend("\\n", newest);
          fresh.querySelector(".rounds > li:nth-child(2) .leg > span").textContent = "7";
          for (const details of fresh.querySelectorAll("details")) details.open = false;
          const [focused, rows] = [document.activeElement, [...part.querySelectorAll(".rounds > li")]];
          renewPart(part, fresh);
          const shown = [...part.querySelectorAll(".rounds > li")];
          return {
            titles: shown.map((each) => each.querySelector("h3").textContent),
            same: rows.every((each, place) => each === shown[place]),
            focused: focused === document.activeElement,
            open: shown.slice(0, 4).map((each) => each.querySelector("details").open),
            score: shown[1].querySelector(".leg > span").textContent,
          };
        }"""
    )
    assert kept == {
        "titles": ["the next round", *titles],
        "same": True,
        "focused": True,
        "open": [True, False, False, True],
        "score": "7",
    }


async def test_a_phone_shows_the_first_of_many_bots_until_it_is_asked_for_all(
    page: Page, sample_site: SampleSite
) -> None:
    await page.set_viewport_size({"width": 360, "height": 740})
    await page.goto(sample_site.path("/tournaments/{big}"))
    await expect(page.locator("#standings tr:visible")).to_have_count(20)
    await page.get_by_label("All bots").check()
    await expect(page.locator("#standings tr:visible")).to_have_count(24)


async def test_a_finished_tournament_has_no_line_for_its_expected_end(page: Page, sample_site: SampleSite) -> None:
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.goto(sample_site.path("/tournaments/{running}"))
    await expect(page.locator("#expected")).to_be_visible()
    await page.goto(sample_site.path("/tournaments/{finished}"))
    await expect(page.locator("#count")).to_be_visible()
    await expect(page.locator("#expected")).to_be_hidden()


async def test_in_forced_colours_progress_the_own_page_and_the_bot_to_move_are_visible(
    page: Page, sample_site: SampleSite
) -> None:
    await page.emulate_media(forced_colors="active")

    async def borders(selector: str, side: str) -> list[str]:
        seen: list[str] = await page.locator(selector).evaluate_all(
            "(parts, side) => parts.map((part) => getComputedStyle(part)[`border${side}Color`])", side
        )
        return seen

    await page.goto(sample_site.path("/tournaments/{running}"))
    canvas = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert await page.locator("#bar").evaluate("(bar) => getComputedStyle(bar).borderTopWidth") == "1px"
    movers = await borders("#boards .seat.mover", "Left")
    others = await borders("#boards .seat:not(.mover)", "Left")
    assert movers
    assert canvas not in movers
    assert set(others) == {canvas}
    await page.goto("/")
    assert await borders(".site-links a[aria-current]", "Bottom") != [canvas]
    assert set(await borders(".site-links a:not([aria-current])", "Bottom")) == {canvas}


@pytest.mark.slow
async def test_on_paper_is_all_of_the_tournament(page: Page, sample_site: SampleSite) -> None:
    await page.set_viewport_size({"width": 794, "height": 1100})
    await page.goto(sample_site.path("/tournaments/{big}"))
    rows = page.locator("#standings tr")
    await expect(rows.last).to_be_hidden()
    await page.emulate_media(media="print")
    await expect(rows.last).to_be_visible()
    box = page.locator(".crosstable-box")
    assert await box.evaluate("(box) => getComputedStyle(box).overflow") == "visible"
    assert await box.evaluate("(box) => box.offsetHeight >= box.firstElementChild.offsetHeight")
