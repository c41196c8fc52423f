"""The watch on pages sees what it is for."""

import asyncio
import re

import pytest
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


@pytest.mark.parametrize("script", PROBLEMS)
async def test_a_problem_is_seen(page: Page, problems: Problems, script: str) -> None:
    await page.goto("/")
    assert problems.found == []
    await page.evaluate(f"async () => {{ {script} }}")
    for _ in range(100):
        seen = problems.found
        if any(re.search(PROBLEMS[script], each) for each in seen):
            break
        await asyncio.sleep(0.05)
    problems.provoke(".")
    assert any(re.search(PROBLEMS[script], each) for each in seen), seen


async def test_a_request_to_another_host_is_seen(page: Page, problems: Problems) -> None:
    problems.provoke("^failed|^console: Failed")
    await page.goto("about:blank")
    await page.evaluate("fetch('http://192.0.2.1/').catch(() => {})")
    seen = problems.found
    problems.provoke("leaves")
    assert seen == ["leaves the host: http://192.0.2.1/"]
