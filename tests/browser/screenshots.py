"""Pictures of every page: `python -m tests.browser.screenshots [--out FOLDER] [--only NAME,NAME]`

A server with tournaments of every kind runs for as long as it takes. Each page at every width, light and dark, whole:
FOLDER/PAGE-WIDTH-SCHEME.png.
"""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Literal

from playwright.async_api import Browser

from tests.browser.chromium import browsing, chromium
from tests.browser.places import PLACES, Place
from tests.browser.scenery import Scenery, scenery

WIDTHS = (360, 1280, 1920)
HEIGHT = 900
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


async def take(places: list[Place], out: Path) -> int:
    """Take the pictures of these pages into the folder. Gives how many; exits where there is no browser."""
    program = chromium()
    if program is None:
        sys.exit("there is no Chromium here (`CHROMIUM` may name one)")
    with tempfile.TemporaryDirectory(prefix="rumble-") as folder:
        async with scenery(Path(folder)) as scene, browsing(program) as browser:
            return sum([await _take(browser, scene, place, out) for place in places])


async def _take(browser: Browser, scene: Scenery, place: Place, out: Path) -> int:
    context = await browser.new_context(base_url=scene.stage.url, reduced_motion="reduce")
    page = await context.new_page()
    for scheme in SCHEMES:
        await page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            await page.set_viewport_size({"width": width, "height": HEIGHT})
            await page.goto(scene.path(place.path))
            await page.screenshot(path=out / f"{place.name}-{width}-{scheme}.png", full_page=True)
    await context.close()
    return len(SCHEMES) * len(WIDTHS)


def main() -> None:
    """Take the pictures that the command line asks for."""
    names = [place.name for place in PLACES]
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshots")
    parser.add_argument("--out", type=Path, default=Path("shots"), help="the folder (%(default)s)")
    parser.add_argument("--only", default="", help=f"some of: {', '.join(names)}")
    options = parser.parse_args()
    only = options.only.split(",") if options.only else names
    unknown = [name for name in only if name not in names]
    if unknown:
        parser.error(f"there is no page {', '.join(unknown)}")
    options.out.mkdir(parents=True, exist_ok=True)
    count = asyncio.run(take([place for place in PLACES if place.name in only], options.out))
    print(f"{count} pictures in {options.out}")


if __name__ == "__main__":
    main()
