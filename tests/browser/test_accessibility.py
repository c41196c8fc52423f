"""axe-core finds nothing serious on any page, light or dark, narrow or wide; and no page has another problem."""

import os
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.browser.conftest import OpenPage
from tests.browser.problems import Problems
from tests.browser.sample_site import SampleSite
from tests.browser.site_pages import SITE_PAGES, SitePage
from tests.needs import missing

ROOT = Path(__file__).parents[2]
COLORS = ("color-contrast", "link-in-text-block")
"""The rules that depend on the color scheme; the others are checked in the light scheme only."""
WIDTHS = (360, 1280)
SCHEMES: dict[Literal["light", "dark"], tuple[str, ...]] = {"light": (), "dark": COLORS}
"""Each color scheme with the rules checked in it; an empty tuple stands for all."""
BAD = ("serious", "critical")
CHECK = """async (rules) => {
  const only = rules.length ? { runOnly: rules } : {};
  return (await axe.run({ resultTypes: ["violations"], ...only })).violations;
}"""


@pytest.fixture(scope="module")
def axe() -> str:
    """Read the script of axe-core: the file that `AXE` names, else the one that `npm install` puts here."""
    path = Path(os.environ.get("AXE") or ROOT / "node_modules" / "axe-core" / "axe.min.js")
    if not path.is_file():
        missing("axe-core is not here (`npm install --no-save --no-package-lock axe-core@4`; or `AXE` names its file)")
    return path.read_text(encoding="utf-8")


def complaints(found: list[dict[str, Any]]) -> list[str]:
    """Describe what axe found that is serious: the rule, its meaning, and where."""
    return [
        f"{each['id']} ({each['impact']}): {each['help']}: {[node['target'] for node in each['nodes']][:5]}"
        for each in found
        if each["impact"] in BAD
    ]


@pytest.mark.parametrize("site_page", SITE_PAGES, ids=lambda site_page: site_page.name)
async def test_nothing_serious(
    site_page: SitePage, axe: str, open_page: OpenPage, sample_site: SampleSite, problems: Problems
) -> None:
    if site_page.refused is not None:
        problems.allow(f"{site_page.refused}")
    page = await open_page(base_url=sample_site.server.url, reduced_motion="reduce")
    answer = await page.goto(sample_site.path(site_page.path))
    assert answer is not None
    assert answer.status == (site_page.refused or 200)
    await page.evaluate(axe)
    found = []
    for scheme, rules in SCHEMES.items():
        for width in WIDTHS:
            await page.emulate_media(color_scheme=scheme)
            await page.set_viewport_size({"width": width, "height": 800})
            told = complaints(await page.evaluate(CHECK, rules))
            found += [f"{scheme}, {width}: {each}" for each in told]
    assert found == []


async def test_axe_sees_what_it_is_for(axe: str, open_page: OpenPage) -> None:
    page = await open_page()
    await page.goto("/")
    await page.evaluate(axe)
    await page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    (complaint,) = complaints(await page.evaluate(CHECK, ()))
    assert complaint.startswith("button-name (critical)")
