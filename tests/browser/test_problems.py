"""`Problems` records each kind of problem."""

import asyncio
import re

from playwright.async_api import Page

from tests.browser.problems import Problems

PROBLEMS = {
    "console.error('oops')": r"^console: oops",
    "setTimeout(() => { throw new Error('late') })": r"^error: .*late",
    "fetch('/nothing')": r"^answered 404: .*/nothing",
    "fetch('http://127.0.0.1:1/')": r"^console: policy violation: connect-src",
    "document.body.append(Object.assign(document.createElement('img'), {src: 'http://192.0.2.1/x.png'}))": (
        r"^console: policy violation: img-src"
    ),
    "document.body.append(Object.assign(document.createElement('script'), {text: '1'}))": (
        r"^console: policy violation: script-src"
    ),
}


async def test_problems_are_seen(page: Page, problems: Problems) -> None:
    await page.goto("/")
    assert problems.found == []
    for script in PROBLEMS:
        await page.evaluate(f"async () => {{ {script} }}")
    for _ in range(100):
        seen = problems.found
        missed = [why for why in PROBLEMS.values() if not any(re.search(why, each) for each in seen)]
        if not missed:
            break
        await asyncio.sleep(0.05)
    problems.allow(".")
    assert missed == [], seen


async def test_a_request_to_another_host_is_seen(page: Page, problems: Problems) -> None:
    problems.allow("^failed|^console: Failed")
    await page.goto("about:blank")
    await page.evaluate("fetch('http://192.0.2.1/').catch(() => {})")
    seen = problems.found
    problems.allow("leaves")
    assert seen == ["leaves the host: http://192.0.2.1/"]
