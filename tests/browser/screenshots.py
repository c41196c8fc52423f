"""Screenshots of every page: `python -m tests.browser.screenshots [--out FOLDER] [--only NAME,NAME]`

Starts a server with tournaments of every kind, and takes each page on every screen, light and dark: the whole page as
FOLDER/PAGE-WIDTH-SCHEME.png, and the part in view without scrolling as FOLDER/first/PAGE-WIDTH-SCHEME.png.
"""

import argparse
import asyncio
import sys
import tempfile
from itertools import product
from pathlib import Path

from tests.browser.axe import SCHEMES
from tests.browser.chromium import browsing, chromium
from tests.browser.sample_site import serve_sample_site
from tests.browser.site_pages import SITE_PAGES, SitePage

SCREENS = ((360, 740), (390, 844), (1280, 800), (1920, 1080))
"""Widths and heights in CSS pixels: two phones, a laptop, a projector."""
WIDEST_PHONE = 600
LAY_OUT = "document.querySelectorAll('.heavy').forEach((part) => (part.style.contentVisibility = 'visible'))"
"""Lays out the parts that browsers lay out only in sight, which would be blank on a picture of the whole page."""


async def take(site_pages: list[SitePage], out: Path) -> None:
    """Take the screenshots of pages into `out`; exit without a browser."""
    program = chromium()
    if program is None:
        sys.exit("there is no Chromium here (`CHROMIUM` may name one)")
    large = any(site_page.large for site_page in site_pages)
    with tempfile.TemporaryDirectory(prefix="rumble-") as folder:
        async with serve_sample_site(Path(folder), large=large) as sample_site, browsing(program) as browser:
            for site_page, scheme, (width, height) in product(site_pages, SCHEMES, SCREENS):
                is_phone = width <= WIDEST_PHONE
                page = await browser.new_page(
                    base_url=sample_site.server.origin,
                    reduced_motion="reduce",
                    color_scheme=scheme,
                    viewport={"width": width, "height": height},
                    has_touch=is_phone,
                    is_mobile=is_phone,
                )
                await page.goto(sample_site.path_of(site_page))
                await site_page.enter(page)
                name = f"{site_page.name}-{width}-{scheme}.png"
                await page.screenshot(path=out / "first" / name)
                await page.evaluate(LAY_OUT)
                await page.screenshot(path=out / name, full_page=True)
                await site_page.leave(page)
                await page.close()


def main() -> None:
    """Take the screenshots that the command line asks for."""
    names = [site_page.name for site_page in SITE_PAGES]
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshots")
    parser.add_argument("--out", type=Path, default=Path("shots"), help="the folder (%(default)s)")
    parser.add_argument("--only", default="", help=f"some of: {', '.join(names)}")
    options = parser.parse_args()
    only = options.only.split(",") if options.only else names
    unknown = [name for name in only if name not in names]
    if unknown:
        parser.error(f"there is no page {', '.join(unknown)}")
    (options.out / "first").mkdir(parents=True, exist_ok=True)
    asyncio.run(take([site_page for site_page in SITE_PAGES if site_page.name in only], options.out))


if __name__ == "__main__":
    main()
