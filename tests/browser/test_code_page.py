"""The page on which a person writes a bot: trials, saved versions that play, and code that wants to get out.

Each page is opened at an address that is no secure context, as in a classroom.
"""

import re
from collections.abc import AsyncIterator, Iterator
from importlib import import_module
from importlib.util import find_spec

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, Route, expect
from rumble_protocol.secret import make_secret

from tests.browser.conftest import of_networks
from tests.browser.problems import Problems
from tests.browser.running_server import RunningServer, started_server
from tests.browser.tabs import new_context
from tests.needs import missing

pytestmark = pytest.mark.slow
LOADS_MS = 120_000
"""Time in ms in which Python loads on a busy machine."""
IDENTITY = {"name": "anna", "key": make_secret(), "display": "Anna"}
HANGS_UP = """
self.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    new BroadcastChannel("hang up").onmessage = () => this.onclose({ code: 4008 });
  }
};
"""
FIRST = "function choose(turn) {\n  return turn.legal[0];\n}\n"
LOOPS_ONCE = """
let turns = 0;
function choose(turn) {
  turns += 1;
  console.log("turn", turns);
  if (turns === 2) while (true) {}
  return turn.legal[0];
}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, lan_address: str) -> Iterator[RunningServer]:
    with started_server(tmp_path_factory.mktemp("lan"), lan_address) as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def context(browser: Browser, server: RunningServer) -> AsyncIterator[BrowserContext]:
    """Fail at the end if a page had a problem."""
    problems = Problems(*of_networks())
    problems.allow(r"\(csp\)$")  # the policy of the sandbox refuses what hostile code tries
    context = await new_context(browser, base_url=server.url)
    async with problems.watching(context):
        yield context
    await context.close()
    assert problems.found == []


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def page(context: BrowserContext) -> AsyncIterator[Page]:
    page = await context.new_page()
    yield page
    await page.close()


@pytest.fixture
def python() -> None:
    """Skip the test without the distribution with Python."""
    if find_spec("rumble_browser") is None or not import_module("rumble_browser").data().is_dir():
        missing("botrumble-browser is not built (`pip install ./browser`, which needs npm)")


async def write(page: Page, source: str, language: str, path: str = "/code") -> None:
    """Open the editor with the code, as anna; a page without Python fills what the browser keeps."""
    await page.goto("/join")
    await page.evaluate(
        """([key, source, who]) => {
          localStorage.clear();
          localStorage.setItem(key, source);
          localStorage.setItem("rumble.guest", JSON.stringify(who));
        }""",
        [f"rumble.draft.{language}.tictactoe", source, IDENTITY],
    )
    await page.goto(path)
    await page.select_option("#language", language)


async def tried(page: Page, source: str, language: str = "python") -> str:
    """Try the code, and return the end of its trial. An open editor is used again, since its Python is loaded."""
    if page.url.endswith("/code"):
        draft = [f"rumble.draft.{language}.tictactoe", source]
        await page.evaluate("([key, source]) => localStorage.setItem(key, source)", draft)
        await page.select_option("#language", language)
    else:
        await write(page, source, language)
    await page.locator("#test:enabled").click()
    await state_of(page, "#trial-end", "^(?!The referee gets|Your bot plays…|A test plays)")
    return await page.locator("#trial-end").inner_text()


async def state_of(page: Page, place: str, pattern: str) -> None:
    """Wait until a place of the page has a text that the regular expression finds."""
    await expect(page.locator(place)).to_have_text(re.compile(pattern), timeout=LOADS_MS)


@pytest.mark.usefixtures("python")
@pytest.mark.parametrize("language", ["python", "javascript"])
async def test_a_trial_is_shown_ply_by_ply_and_no_match_reaches_the_server(
    page: Page, server: RunningServer, language: str
) -> None:
    printing = {
        "python": "def choose(turn):\n    print('ply', turn.ply)\n    return turn.legal[0]\n",
        "javascript": "function choose(turn) {\n  console.log('ply', turn.ply);\n  return turn.legal[0];\n}\n",
    }
    ended = await tried(page, printing[language], language)
    assert ended.startswith(("Your bot won: ", "Your bot lost: ", "Draw: "))
    last = int(str(await page.locator("#ply").get_attribute("max")))
    assert 5 <= last <= 9
    for ply, words, printed in ((0, "The start", "Nothing"), (1, "Ply 1, your bot: 0", "ply 0\n")):
        await page.locator("#ply").fill(str(ply))
        assert await page.locator("#ply-text").inner_text() == words
        assert (await page.locator("#output").inner_text()).startswith(printed)
        assert await page.locator("#trial-board svg").count() == 1
    assert server.host.get("tournaments")["tournaments"] == []


@pytest.mark.usefixtures("python")
async def test_a_trial_in_view_stays_as_it_was_played(page: Page) -> None:
    await tried(page, FIRST, "javascript")
    await page.locator("#trial-seat").select_option("1")
    await page.locator("#ply").fill("1")
    assert await page.locator("#ply-text").inner_text() == "Ply 1, your bot: 0"
    await page.locator("#test").click()
    await page.locator("#ply").fill("0")  # before the next trial's first ply
    await state_of(page, "#trial-end", "^Your bot (won|lost): |^Draw: ")
    await page.locator("#ply").fill("1")
    assert (await page.locator("#ply-text").inner_text()).startswith("Ply 1, opponent: ")
    await page.locator("#trial-seat").select_option("0")


@pytest.mark.usefixtures("python")
@pytest.mark.parametrize(
    ("source", "language", "end"),
    [
        ("def choose(turn):\n    return 1 / 0\n", "python", "Line 2: ZeroDivisionError: division by zero."),
        (
            "def choose(turn):\n    while True:\n        try:\n            1 / 0\n        except:\n            pass\n",
            "python",
            "Line [2-6]: the code did not end.",
        ),
        ("function choose(turn) {\n  return turn.legal[0].nothing.more;\n}", "javascript", "Line 2: TypeError: "),
        ("function choose(turn) {\n  return }}\n", "javascript", "Line 2: Uncaught SyntaxError: "),
        ("function choose(turn) {\n  while (true) {}\n}", "javascript", "the code did not end; perhaps a loop"),
        (
            "function choose(turn) {\n  for (;;) postMessage('{\"endless\": 1}');\n}",
            "javascript",
            "the code sent too much.",
        ),
        (
            "function choose(turn) {\n  setInterval(() => { throw 'x'.repeat(9e5); });\n"
            "  return new Promise(() => {});\n}",
            "javascript",
            "the code sent too much.",
        ),
        (
            'function choose(turn) {\n  postMessage(\'{"move": {"toString": 1}}\');\n}',
            "javascript",
            "the code sent a text that is no answer.",
        ),
        ("const choose = () => '9';", "javascript", "The referee: "),
    ],
)
async def test_a_fault_of_the_code_is_told_with_its_line(page: Page, source: str, language: str, end: str) -> None:
    ended = await tried(page, source, language)
    assert re.match(end, ended), ended


@pytest.mark.usefixtures("python")
@pytest.mark.parametrize("language", ["python", "javascript"])
async def test_the_starting_code_fits_the_game(page: Page, language: str) -> None:
    await write(page, "", language, "/code?game=connect4")
    await page.locator("#start-again").click()
    await page.locator("#test:enabled").click()
    await state_of(page, "#trial-end", "^Your bot (won|lost): |^Draw: ")
    await page.locator("#ply").fill("1")
    assert "board" in await page.locator("#output").inner_text()


@pytest.mark.usefixtures("python")
async def test_code_that_forges_the_referee_of_its_worker_referees_no_trial(page: Page) -> None:
    fair = "def choose(turn):\n    return turn.legal[0]\n"
    for source in (f"import rumble_worker\nrumble_worker.Trial.go_on = None\n{fair}", fair):
        ended = await tried(page, source)
        assert re.match("Your bot won|Your bot lost|Draw", ended), ended


@pytest.mark.usefixtures("python")
async def test_typing_over_a_selection_violates_no_policy(page: Page) -> None:
    await page.goto("/code")
    code = page.locator("#editor .cm-content")
    await code.click()
    await page.keyboard.press("Control+a")
    await page.keyboard.type("(")
    surrounded = (await code.inner_text()).strip()
    assert surrounded.startswith("(")
    assert surrounded.endswith(")")
    await page.keyboard.press("Control+a")
    await page.keyboard.type("x")
    assert await code.inner_text() == "x"


HOSTILE_JS = """
const tries = {
  fetch: () => fetch(HERE + "/api/games"),
  socket: () => new Promise((yes, no) => {
    Object.assign(new WebSocket(HERE.replace("http", "ws") + "/bot"), { onopen: yes, onerror: no });
  }),
  scripts: () => importScripts(HERE + "/static/root.js"),
  module: () => import(HERE + "/static/root.js"),
  font: () => new FontFace("x", `url(${HERE}/static/icon.svg)`).load(),
  database: () => new Promise((yes, no) => {
    Object.assign(indexedDB.open("x"), { onsuccess: yes, onerror: no });
  }),
  storage: () => localStorage.length,
  cookies: () => document.cookie,
  caches: () => caches.open("x"),
  files: () => navigator.storage.getDirectory(),
  parent: () => parent.document.title,
  top: () => top.location.href,
  open: () => open(HERE),
  beacon: () => { if (!navigator.sendBeacon(HERE + "/x", "x")) throw new Error("not sent"); },
  picture: () => new Image(),
  call: () => new RTCPeerConnection(),
  eval: () => (0, eval)("1"),
  compile: () => new Function("return 1")(),
  nested: () => new Promise((yes, no) => {
    const script = `fetch("${HERE}/api/games").then(() => postMessage(1), () => postMessage(0))`;
    const worker = new Worker(URL.createObjectURL(new Blob([script])));
    worker.onmessage = ({ data }) => (data ? yes() : no(new Error("refused")));
    worker.onerror = no;
  }),
  server_worker: () => new Promise((yes, no) => {
    const worker = new Worker(HERE + "/static/code/link.js");
    Object.assign(worker, { onmessage: yes, onerror: no });
    setTimeout(yes, 2000);
  }),
};
const heard = [];
new BroadcastChannel("rumble.code anna").onmessage = ({ data }) => heard.push(data);
async function choose() {
  const out = [];
  for (const [name, attempt] of Object.entries(tries)) {
    try {
      await attempt();
      out.push(name);
    } catch { /* refused */ }
  }
  console.log(`got out: ${[...out, ...heard].join(", ")}.`);
  throw new Error("done");
}
"""
HOSTILE_PYTHON = """
import js, pyodide.http
async def choose(turn):
    out = []
    async def attempt(name, act):
        try:
            answer = act()
            if hasattr(answer, "__await__"):
                answer = await answer
            out.append(f"{name} {getattr(answer, 'status', '')}")
        except BaseException:
            pass
    await attempt("xhr", lambda: pyodide.http.open_url("HERE/api/games"))
    await attempt("fetch", lambda: js.fetch("HERE/api/games"))
    await attempt("pyfetch", lambda: pyodide.http.pyfetch("HERE/api/games"))
    await attempt("parent", lambda: js.parent.document.title)
    await attempt("storage", lambda: js.localStorage.length)
    await attempt("import", lambda: js.importScripts("HERE/static/root.js"))
    print(f"got out: {', '.join(out)}.")
    raise ValueError("done")
"""


@pytest.mark.usefixtures("python")
@pytest.mark.parametrize(("source", "language"), [(HOSTILE_JS, "javascript"), (HOSTILE_PYTHON, "python")])
async def test_hostile_code_gets_nowhere(
    page: Page, server: RunningServer, source: str, language: str, context: BrowserContext
) -> None:
    source = source.replace("HERE", server.url) if language == "python" else f'const HERE = "{server.url}";\n{source}'
    ended = await tried(page, source, language)
    assert "done" in ended
    assert await page.locator("#output").inner_text() == "got out: .\n"
    assert len(context.pages) == 1
    # The page hears texts of its own frame alone.
    await page.evaluate("postMessage('1 {\"error\": \"forged\"}', '*')")
    assert "forged" not in await page.locator("#trial-end").inner_text()
    assert await page.evaluate("document.querySelector('iframe').contentDocument") is None


async def test_a_saved_version_plays_and_an_endless_loop_costs_one_match(page: Page, server: RunningServer) -> None:
    cup = server.create("cup", legs=4, time_control={"move_ms": 2000}, classroom=True)
    server.pupil(cup, IDENTITY["display"], IDENTITY["key"])
    server.host.post(f"tournaments/{cup}/house", {"bot": "random"})
    await write(page, LOOPS_ONCE, "javascript", f"/code?tournament={cup}")
    await page.locator("#play-version:enabled").click()
    await state_of(page, "#play-state", "Version 1 plays")
    other = await page.context.new_page()
    await other.goto(f"/code?tournament={cup}")
    await state_of(other, "#play-state", "in another tab")
    await other.close()
    server.command(cup, "start")
    await state_of(page, "#play-state", "is over")
    matches = await page.locator("#own-matches li").all_inner_texts()
    assert len(matches) == 4
    assert sum("did not end within 1.5 s" in each for each in matches) >= 1
    owner = {"Authorization": f"Bot {IDENTITY['name']}:{IDENTITY['key']}"}
    kept = await (await page.request.get("/api/versions/1", headers=owner)).json()
    assert (kept["language"], kept["source"]) == ("javascript", LOOPS_ONCE)


async def test_a_version_plays_though_the_storage_of_the_browser_is_full(page: Page, server: RunningServer) -> None:
    cup = server.create("full", classroom=True)
    server.pupil(cup, IDENTITY["display"], IDENTITY["key"])
    await write(page, FIRST, "javascript", f"/code?tournament={cup}")
    await page.evaluate("() => { Storage.prototype.setItem = () => { throw new DOMException('full'); }; }")
    await page.locator("#play-version:enabled").click()
    await state_of(page, "#play-state", "Version \\d+ plays")


async def test_a_version_that_is_saved_right_after_a_reload_stays_the_one_that_plays(
    page: Page, server: RunningServer
) -> None:
    cup = server.create("again", classroom=True)
    server.pupil(cup, IDENTITY["display"], IDENTITY["key"])
    await write(page, FIRST, "javascript", f"/code?tournament={cup}")
    await page.locator("#play-version:enabled").click()
    await state_of(page, "#play-state", "Version \\d+ plays")
    number = int(re.findall(r"\d+", await page.locator("#play-state").inner_text())[0])
    await page.reload()
    await page.select_option("#language", "javascript")
    await page.locator("#play-version:enabled").click()
    await state_of(page, "#play-state", f"Version {number + 1} plays")
    await page.wait_for_timeout(1000)
    await state_of(page, "#play-state", f"Version {number + 1} plays")


async def test_a_match_can_be_played_on_after_the_server_hung_up(
    context: BrowserContext, server: RunningServer
) -> None:
    page, cup = await context.new_page(), server.create("hung-up", classroom=True, time_control={"move_ms": 3_600_000})
    server.pupil(cup, IDENTITY["display"], IDENTITY["key"])
    server.host.post(f"tournaments/{cup}/house", {"bot": "random"})

    async def serve(route: Route) -> None:
        answer = await route.fetch()
        await route.fulfill(response=answer, body=HANGS_UP + await answer.text())

    await page.route("**/code/link.js", serve)
    await write(page, "const choose = () => new Promise(() => {});", "javascript", f"/code?tournament={cup}")
    await page.locator("#play-version:enabled").click()
    await state_of(page, "#play-state", "plays. Keep")
    server.command(cup, "start")
    await state_of(page, "#own-matches", "now")
    await page.evaluate("new BroadcastChannel('hang up').postMessage('')")
    await state_of(page, "#play-state", "refused the connection")
    await page.locator("#play-version:enabled").click()
    await state_of(page, "#play-state", "plays. Keep")
    await page.close()


async def test_code_that_cannot_be_loaded_is_not_saved(page: Page, server: RunningServer) -> None:
    cup = server.create("empty-cup")
    await write(page, "function choose(turn) {\n  return }}\n", "javascript", f"/code?tournament={cup}")
    await page.locator("#play-version:enabled").click()
    await state_of(page, "#play-state", "Not saved: line 2")


async def test_a_pupil_plays_on_in_the_next_tournament_without_a_reload(page: Page, server: RunningServer) -> None:
    first = server.create("lesson", classroom=True)
    key = make_secret()
    who = {"name": server.pupil(first, "Bea", key), "key": key, "display": "Bea"}
    await page.goto("/join")
    await page.evaluate(
        """(who) => {
          localStorage.clear();
          localStorage.setItem("rumble.guest", JSON.stringify(who));
        }""",
        who,
    )
    await page.goto(f"/code?tournament={first}")
    await page.select_option("#language", "javascript")
    await page.locator("#play-version:enabled").click()
    await state_of(page, "#play-state", "Version 1 plays")
    await page.evaluate("window.isTheSame = true")
    server.command(first, "house", bot="random")
    server.command(first, "start")
    await server.until(first, lambda view: view["status"] == "finished")
    second = server.command(first, "again")["id"]
    await state_of(page, "#play-state", f"next tournament: {second}")
    assert page.url.endswith(f"/code?tournament={second}")
    server.command(second, "house", bot="random")
    server.command(second, "start")
    await server.until(second, lambda view: view["status"] == "finished")
    assert [line["faults"] for line in server.tournament(second)["standings"]] == [{}, {}]
    assert await page.evaluate("window.isTheSame")
