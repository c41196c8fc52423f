"""Static files: kept for good under the hash, checked at each use without the hash, and as small as possible."""

import gzip
import re
from pathlib import Path

import httpx
import pytest
from rumble_server.web.static_files import FOR_GOOD, STATIC, StaticFiles, static_files
from starlette.applications import Starlette

from tests.server.web.memory_server import MemoryServer

TEMPLATES = STATIC.parent / "pages" / "templates"
MARKUP = re.compile(
    r"(?:inner|outer)HTML\s*\+?=[^=]|insertAdjacentHTML|ContextualFragment|setHTML|srcdoc|document\.write"
)
"""Pattern of each way in which a script could make markup of a text, except by `DOMParser`."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "x.pyc").write_bytes(b"no file of a page")
    (tmp_path / "main.js").write_text(
        'import { a } from "./a.js";\nimport {\n  b,\n  c,\n} from "./sub/b.js";\n'
        '/** @typedef {import("./types.js").T} T */\n'
    )
    (tmp_path / "a.js").write_text('import "./shared.js";\n')
    (tmp_path / "shared.js").write_text("export const shared = 1;\n")
    (tmp_path / "types.js").write_text("")
    (tmp_path / "sub" / "b.js").write_text('import { shared } from "../shared.js";\n' + "// long enough to pack\n" * 50)
    return tmp_path


def browser_of(files: StaticFiles) -> httpx.AsyncClient:
    app = Starlette()
    app.add_route("/static/{path:path}", files.answer)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://rumble.test")


async def test_under_its_hash_a_file_is_kept_for_good(browser: httpx.AsyncClient) -> None:
    answer = await browser.get(f"{static_files().root}/css/board.css")
    assert answer.headers["Cache-Control"] == FOR_GOOD == "public, max-age=31536000, immutable"
    assert answer.headers["Content-Type"] == "text/css; charset=utf-8"
    assert answer.content == (STATIC / "css" / "board.css").read_bytes()


async def test_a_file_without_a_hash_is_asked_about_each_time(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/static/tournament.js")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-cache")
    again = await browser.get("/static/tournament.js", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", answer.headers["ETag"])


@pytest.mark.parametrize("path", ["{root}/drawing.js", "/static/drawing.js"])
async def test_a_reader_that_takes_gzip_gets_a_packed_file(browser: httpx.AsyncClient, path: str) -> None:
    address, whole = path.format(root=static_files().root), (STATIC / "drawing.js").read_bytes()
    async with browser.stream("GET", address, headers={"Accept-Encoding": "gzip"}) as answer:
        sent = b"".join([piece async for piece in answer.aiter_raw()])
    assert (answer.headers["Content-Encoding"], answer.headers["Vary"]) == ("gzip", "Accept-Encoding")
    assert gzip.decompress(sent) == whole
    assert len(sent) < len(whole) / 2
    plain = await browser.get(address, headers={"Accept-Encoding": "br, gzip;q=0"})
    assert "Content-Encoding" not in plain.headers
    assert (plain.headers["Vary"], plain.content) == ("Accept-Encoding", whole)


async def test_a_file_that_gzip_would_make_longer_is_sent_as_it_is(folder: Path) -> None:
    async with browser_of(StaticFiles(folder)) as browser:
        answer = await browser.get("/static/types.js", headers={"Accept-Encoding": "gzip"})
    assert (answer.status_code, answer.content) == (200, b"")
    assert "Content-Encoding" not in answer.headers


async def test_a_page_of_another_version_is_sent_on(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/static/0123456789abcdef/css/board.css")
    assert (answer.status_code, answer.headers["Location"]) == (307, f"{static_files().root}/css/board.css")
    assert answer.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "path",
    ["/static/", "/static/nothing.js", "/static/../app.py", "/static/0123456789abcdef/nothing.js", "/static/css"],
)
async def test_other_addresses_have_nothing(browser: httpx.AsyncClient, path: str) -> None:
    assert (await browser.get(path)).status_code == 404
    assert (await browser.get(f"{static_files().root}/../../app.py")).status_code == 404


def test_the_hash_changes_with_any_file_and_any_name(folder: Path) -> None:
    roots = {StaticFiles(folder).root, StaticFiles(folder).root}
    assert len(roots) == 1
    (folder / "sub" / "b.js").write_text("export const b = 2;\n")
    roots.add(StaticFiles(folder).root)
    (folder / "sub" / "b.js").rename(folder / "sub" / "c.js")
    roots.add(StaticFiles(folder).root)
    assert len(roots) == 3


async def test_a_file_under_its_hash_stays_when_the_file_is_replaced(folder: Path) -> None:
    files = StaticFiles(folder)
    before = (folder / "a.js").read_bytes()
    (folder / "a.js").write_text("a later version")
    async with browser_of(files) as browser:
        assert (await browser.get(f"{files.root}/a.js")).content == before


def test_modules_are_found_as_a_browser_finds_them(folder: Path) -> None:
    files = StaticFiles(folder)
    assert files.imported(["main.js"]) == ["a.js", "sub/b.js", "shared.js"]
    assert files.imported(["main.js", "a.js"]) == ["sub/b.js", "shared.js"]
    assert files.imported([]) == []


async def test_a_page_names_all_modules_that_it_loads(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create()
    for path in ("/", "/play", "/console", "/write", "/tournaments/friday"):
        page, root = (await browser.get(path)).text, re.escape(static_files().root)
        scripts = re.findall(rf'<script type="module" fetchpriority="low" src="{root}/([^"]+)"', page)
        named = re.findall(rf'<link rel="modulepreload" fetchpriority="low" href="{root}/([^"]+)"', page)
        assert {*scripts, *named} >= {*static_files().imported(scripts)}, path
        assert len(set(named)) == len(named)


def test_templates_name_static_files_by_their_hash() -> None:
    """Two addresses of a module would load the module twice. The program for download is not part of a page."""
    for template in TEMPLATES.rglob("*.html"):
        for found in re.findall(r"[\"'(]/static/([^\"')]*)", template.read_text(encoding="utf-8")):
            assert found == "bare_bot.py", f"{template.name}: write {{{{ static }}}}/{found}"


def test_a_text_of_a_user_never_becomes_markup() -> None:
    """The scripts of these two pages parse answers of the server, whose templates escape all texts."""
    scripts = {str(path.relative_to(STATIC)): path.read_text(encoding="utf-8") for path in STATIC.rglob("*.js")}
    assert {name for name, source in scripts.items() if "DOMParser" in source} == {"home.js", "tournament.js"}
    assert [name for name, source in scripts.items() if MARKUP.search(source)] == []
    for template in TEMPLATES.rglob("*.html"):
        assert not re.search(r"\|\s*safe\b|autoescape", template.read_text(encoding="utf-8")), template.name
