"""A lesson: a teacher and 25 pupils on two machines that reach nothing else, over a narrow cable."""

import time
from pathlib import Path

import pytest

from tests.e2e.namespaces import SERVER
from tests.needs import missing, need, need_module

pytestmark = pytest.mark.e2e
LARGE = 8 << 20
"""Size of a file in bytes."""


@pytest.fixture
def chromium() -> str:
    """The path of a browser."""
    need_module("playwright", "test")
    from tests.browser.chromium import chromium

    return chromium() or missing("there is no Chromium here (`CHROMIUM` may name one)")


@pytest.mark.slow
async def test_the_classroom_has_a_narrow_network_without_a_way_out(tmp_path: Path, chromium: str) -> None:
    from tests.browser.problems import Problems
    from tests.e2e.lesson.classroom import MBIT, SLOWDOWN, at_a_browser, classroom, seated

    need("curl")
    problems = Problems(SERVER)
    url = f"http://{SERVER}:8000/"
    with classroom(tmp_path) as (here, there):
        (route,) = there.types("pupil", "ip route").splitlines()
        assert route.startswith("192.168.77.0/24 dev cable ")
        (here.home("teacher")[0] / "large.html").write_text("<title>Large</title>".ljust(LARGE))
        with here.leaves_running("teacher", "python -m http.server 8000"):
            there.types("pupil", f"curl -s --retry 20 --retry-delay 1 --retry-connrefused {url}")
            began = time.monotonic()
            there.types("pupil", f"curl -s -o large {url}large.html")
            assert time.monotonic() - began > LARGE * 8 / (MBIT * 1e6) - 0.1
            async with at_a_browser(there, chromium) as browser, seated(browser, problems, SLOWDOWN) as pupil:
                await pupil.page.goto(f"{url}large.html")
                assert await pupil.page.evaluate("[document.title, isSecureContext]") == ["Large", False]
                problems.allow("^leaves the host|^failed|^console: Failed")
                assert await pupil.page.evaluate("fetch('http://192.168.78.1/').catch(() => 'nothing')") == "nothing"
    problems.allow("favicon|status of 404")
    assert problems.found == []
