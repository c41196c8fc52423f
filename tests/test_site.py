"""The site is built without network, has every page and the whole API, and loads nothing from elsewhere."""

import inspect
import re
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

import pytest
import rumble_bots
import rumble_engine

from tests.built_site import build_site
from tests.docs_blocks import ROOT
from tests.test_repository import PROJECT, repository_files

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

HOME = PROJECT["project"]["urls"]["Repository"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site(tmp_path_factory.getbasetemp())


class _Page(HTMLParser):
    """Links of a page, parts that a browser loads with the page, and texts of its paragraphs."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.parts: list[str] = []
        self.paragraphs: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        address = given.get("href") or given.get("src")
        if tag == "p":
            self.paragraphs.append("")
        if address is not None and (tag != "link" or given.get("rel") not in ("canonical", "next", "prev")):
            (self.links if tag == "a" else self.parts).append(address)

    def handle_data(self, data: str) -> None:
        if self.paragraphs:
            self.paragraphs[-1] += data


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, _Page]:
    return {path.relative_to(site).as_posix(): _Page(path) for path in site.rglob("*.html")}


def test_every_page_of_the_repository_is_on_the_site(site: Path) -> None:
    files = [path.relative_to(ROOT) for path in repository_files() if path.suffix == ".md"]
    texts = [path for path in files if path.parts[0] != ".github"]  # except `.github`, which has forms
    starters = {path for path in texts if path.parts[0] == "bots" and len(path.parts) == 3}
    named = {
        path: path.with_name("index.html") if path.name == "README.md" else path.with_suffix(".html") for path in texts
    }
    assert {str(path) for path in set(texts) - starters if not (site / named[path]).is_file()} == set()


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[str, _Page]) -> None:
    assert len(pages) > 15
    assert {part for page in pages.values() for part in page.parts if urlsplit(part).netloc} == set()
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"url\(['\"]?(?:https?:)?//[^)]*", styles) == []


def test_links_to_the_repository_lead_to_files(pages: dict[str, _Page]) -> None:
    links = {link.partition("#")[0] for page in pages.values() for link in page.links if link.startswith(f"{HOME}/")}
    paths = [unquote(link).removeprefix(f"{HOME}/").split("/", 2)[2] for link in links]
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_no_list_and_no_table_is_left_as_text(pages: dict[str, _Page]) -> None:
    broken = re.compile(r"^(?:- |\* |\d+\. |\|)", re.MULTILINE)
    texts = [text for page in pages.values() for text in page.paragraphs]
    assert [text for text in texts if broken.search(text)] == []


@pytest.mark.parametrize(("name", "module"), [("sdk", rumble_bots), ("engine", rumble_engine)])
def test_the_site_tells_the_whole_public_api(site: Path, name: str, module: ModuleType) -> None:
    html = (site / "docs" / "api" / f"{name}.html").read_text(encoding="utf-8")
    public = set(module.__all__)
    for class_name, kind in [(each, getattr(module, each)) for each in public]:
        if isinstance(kind, type):
            members = {*vars(kind), *inspect.get_annotations(kind)}
            public |= {f"{class_name}.{member}" for member in members if not member.startswith("_")}
    documented = set(re.findall(rf'id="{module.__name__}\.([\w.]+)"', html))
    assert public - documented == set(), "what has no docstring is not on the page"
