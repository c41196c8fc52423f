"""Boards and the page of a match in a real browser: drawn as by the server, played on, replayed, and live."""

import asyncio
import importlib.util
import os
import shutil
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from rumble_bots.sdk.bot import Bot, Turn
from rumble_bots.sdk.serve import serve
from rumble_engine import Game, State, get_game
from rumble_server.cli.support.organiser_client import OrganiserClient
from rumble_server.web.pages.drawn import svg

from tests.server.cli.server_thread import TOKEN, play, server_on_thread

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
PATIENCE_MS = 15_000

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(importlib.util.find_spec("playwright") is None, reason="Playwright is not installed"),
    pytest.mark.skipif(not Path(CHROMIUM).is_file(), reason=f"there is no Chromium at {CHROMIUM}"),
]

DRAW = """async ([drawing, flipped]) => {
  const { picture } = await import("/static/board.js");
  return picture(drawing, "a board", flipped).outerHTML;
}"""
READ = "(html) => { const made = document.createElement('div'); made.innerHTML = html; return made.innerHTML; }"
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


@pytest.fixture(scope="module")
def chrome() -> "Iterator[Browser]":
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("hosted")
    before = os.environ.get("RUMBLE_CONFIG_DIR")
    os.environ["RUMBLE_CONFIG_DIR"] = str(folder / "config")
    with server_on_thread(folder / "rumble.db") as url:
        yield url
    if before is None:
        del os.environ["RUMBLE_CONFIG_DIR"]
    else:
        os.environ["RUMBLE_CONFIG_DIR"] = before


@pytest.fixture
def page(chrome: "Browser", server: str) -> "Iterator[Page]":
    """A page whose every error fails the test."""
    context = chrome.new_context(base_url=server, accept_downloads=True)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    assert wrong == []


def position(name: str, plies: int, **settings: Any) -> tuple[Game, State, str | None]:
    """A position that random moves lead to, and the last of them."""
    game, random, last = get_game(name), Random(plies), None
    state = game.initial(settings)
    while plies and not state.outcome:
        last = random.choice(list(state.legal_moves))
        state, plies = state.play(last), plies - 1
    return game, state, last


def offer(page: "Page", game: Game, state: State) -> None:
    """Let the reader of a page choose a move."""
    page.goto("/")
    drawing = game.drawing(state.view())
    moves = {move: game.path(state.view(), move) for move in state.legal_moves}
    page.evaluate(CHOOSE, [None if drawing is None else asdict(drawing), moves])


def click(page: "Page", cell: int) -> None:
    page.locator(f'#tried [data-cell="{cell}"]').click()


@pytest.mark.parametrize(
    ("name", "plies", "settings"),
    [
        ("tictactoe", 4, {}),
        ("connect4", 9, {"columns": 5}),
        ("gomoku", 9, {"columns": 9, "rows": 9}),
        ("gomoku", 20, {"columns": 19, "rows": 19}),
        ("othello", 9, {}),
        ("breakthrough", 9, {"columns": 5, "rows": 6}),
        ("hex", 9, {"size": 5}),
        ("checkers", 20, {}),
        ("minichess", 5, {}),
        ("chess", 20, {}),
    ],
)
def test_the_script_draws_what_the_server_draws(page: "Page", name: str, plies: int, settings: dict[str, Any]) -> None:
    page.goto("/")
    game, state, last = position(name, plies, **settings)
    drawing = game.drawing(state.view(), last)
    assert drawing is not None
    for flipped in (False, True):
        drawn = page.evaluate(DRAW, [asdict(drawing), flipped])
        assert drawn == page.evaluate(READ, str(svg(drawing, "a board", flipped)))


def test_moves_are_chosen_by_clicks(page: "Page") -> None:
    game, state, _ = position("connect4", 0)
    offer(page, game, state)
    page.locator('#tried [data-cell="3"]').hover()
    assert page.locator("#tried .ghost").count() == 1
    click(page, 3)
    assert page.evaluate("window.chosen") == ["d"]
    assert page.locator("#tried .target").count() == 0, "one call, one move"

    game, state, _ = position("breakthrough", 0)
    offer(page, game, state)
    click(page, 49)  # b2
    assert page.locator("#tried .option").count() == 3
    click(page, 52)  # e2 instead
    assert page.locator("#tried .chosen").count() == 1
    click(page, 0)  # nothing there: taken back
    assert page.locator("#tried .chosen").count() == 0
    click(page, 52)
    click(page, 44)
    assert page.evaluate("window.chosen") == ["e2e3"]


def test_what_clicks_do_not_tell_is_chosen_by_buttons(page: "Page") -> None:
    game = get_game("chess")
    offer(page, game, game.parse("8/P6k/8/8/8/8/8/K7 w - - 0 1"))
    click(page, 8)
    click(page, 0)
    assert page.locator("#tried .choices button").all_text_contents() == ["a7a8n", "a7a8b", "a7a8r", "a7a8q"]
    page.get_by_role("button", name="a7a8q").click()
    assert page.evaluate("window.chosen") == ["a7a8q"]

    game, state, _ = position("hex", 1, size=3)
    offer(page, game, state)
    page.get_by_role("button", name="swap").click()
    assert page.evaluate("window.chosen") == ["swap"]


def test_moves_are_chosen_by_the_keyboard(page: "Page") -> None:
    game, state, _ = position("breakthrough", 0)
    offer(page, game, state)
    board = page.locator("#tried svg")
    board.focus()
    said = page.locator("#tried [role=status]")
    assert said.text_content() == "a2, white, possible"
    for key in ("ArrowRight", "Enter", "ArrowUp"):
        page.keyboard.press(key)
    assert said.text_content() == "b3, empty, possible, chosen b2"
    page.keyboard.press("Escape")
    assert page.locator("#tried .chosen").count() == 0
    for key in ("ArrowDown", "Space", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate("window.chosen") == ["b2b3"]


def play_apart(server: str, tournament: str, *names: str) -> None:
    """Play a tournament on another thread: Playwright has a loop on this one."""
    playing = threading.Thread(target=play, args=(server, tournament, *names))
    playing.start()
    playing.join()


def test_a_match_is_replayed(page: "Page", server: str) -> None:
    host = OrganiserClient(server, TOKEN)
    host.post("tournaments", {"name": "Replayed", "game": "connect4", "legs": 1, "start_at_bots": 2})
    play_apart(server, "replayed", "ann", "ben")
    match = host.get("matches/replayed.1.1.1.1")
    plies = match["ply"]
    page.goto("/matches/replayed.1.1.1.1")
    ply, board = page.locator("#ply"), page.locator("#board svg")

    def shows(number: int) -> None:
        expect_ply(page, f"ply {number} of {plies}")
        expect(page.locator("#board .piece")).to_have_count(number)
        query = "" if number == plies else f"?ply={number}"
        page.wait_for_url(f"**/matches/replayed.1.1.1.1{query}")

    shows(plies)
    assert board.get_attribute("aria-label") != ""
    page.keyboard.press("Home")
    shows(0)
    page.keyboard.press("ArrowRight")
    shows(1)
    page.locator("[data-go=on]").click()
    shows(2)
    page.locator(".moves li:nth-child(5) a").click()
    shows(5)
    assert page.locator(".moves [aria-current] code").text_content() == match["moves"][4]
    after_five = get_game("connect4").initial()
    for move in match["moves"][:5]:
        after_five = after_five.play(move)
    assert (page.locator("#ask").text_content() or "").endswith(f" --position '{after_five.text()}'")
    page.locator("#slider").fill("3")
    shows(3)
    page.keyboard.press("End")  # the slider has the focus: its own key
    shows(plies)
    page.goto("/matches/replayed.1.1.1.1?ply=4")
    shows(4)
    page.locator("#play").click()
    expect(page.locator("#board .piece")).to_have_count(6)
    page.locator("#play").click()
    assert ply.is_visible()


def test_a_transcript_is_downloaded_by_who_may(page: "Page", server: str) -> None:
    host = OrganiserClient(server, TOKEN)
    host.post("tournaments", {"name": "Told", "game": "tictactoe", "legs": 1, "start_at_bots": 2})
    play_apart(server, "told", "ann", "ben")
    page.goto("/matches/told.1.1.1.1")
    page.locator("[name=secret]").fill(TOKEN)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "told.1.1.1.1.jsonl"
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert any('"verdict":"normal"' in line for line in lines)


class Led(Bot):
    """A bot that moves when the test says so."""

    def __init__(self, may_move: threading.Semaphore) -> None:
        self._may_move = may_move

    async def choose(self, turn: Turn) -> str:
        await asyncio.to_thread(self._may_move.acquire)
        return str(turn.legal[0])


def test_a_running_match_is_live(page: "Page", server: str) -> None:
    host = OrganiserClient(server, TOKEN)
    config = {"game": "tictactoe", "legs": 1, "start_at_bots": 2, "time_control": {"move_ms": 60_000}}
    host.post("tournaments", {"name": "Live", **config})
    may_move = threading.Semaphore(2)

    async def both() -> None:
        await asyncio.gather(*(serve(Led(may_move), server, name=name, join="live") for name in ("ann", "ben")))

    bots = threading.Thread(target=lambda: asyncio.run(both()))
    bots.start()
    try:
        _wait_for(host, "live.1.1.1.1", 2)
        page.goto("/matches/live.1.1.1.1")
        expect_ply(page, "ply 2 of 2, live")
        before = page.locator(".mover .clock").text_content()
        expect(page.locator(".mover .clock")).not_to_have_text(before or "")
        may_move.release()
        expect_ply(page, "ply 3 of 3, live")
        page.keyboard.press("ArrowLeft")
        expect_ply(page, "ply 2 of 3")
        may_move.release()
        expect_ply(page, "ply 2 of 4")
        assert page.locator("#board .piece").count() == 2, "who steps back is not torn away"
        page.keyboard.press("End")
        expect_ply(page, "ply 4 of 4, live")
    finally:
        may_move.release(9)
        bots.join(20)
    expect_ply(page, "ply 7 of 7")
    expect(page.locator("#outcome")).to_contain_text("wins: three in a row")
    assert page.locator(".clock").first.is_hidden()


def expect_ply(page: "Page", text: str) -> None:
    expect(page.locator("#ply")).to_have_text(text)


def expect(locator: "Locator") -> Any:
    """What a test waits for. Conditions in JavaScript would be strings, which the page's policy refuses to run."""
    from playwright.sync_api import expect

    return expect(locator)


def _wait_for(host: OrganiserClient, match: str, ply: int) -> None:
    tournament = match.partition(".")[0]
    until = time.monotonic() + PATIENCE_MS / 1000
    while time.monotonic() < until:
        if any(board["ply"] == ply for board in host.get(f"tournaments/{tournament}")["running"]):
            return
        time.sleep(0.02)
    raise AssertionError(f"{match} did not come to ply {ply}")
