import re
from collections.abc import Iterator
from typing import Any

import httpx


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for each in part.values():
            yield from references(each)
    elif isinstance(part, list):
        for each in part:
            yield from references(each)


async def test_every_reference_of_the_openapi_document_leads_somewhere(browser: httpx.AsyncClient) -> None:
    document = (await browser.get("/openapi.json")).json()
    for reference in references(document):
        found = document
        for key in reference.removeprefix("#/").split("/"):
            assert key in found, reference
            found = found[key]


async def test_the_page_shows_every_operation(browser: httpx.AsyncClient) -> None:
    document = (await browser.get("/openapi.json")).json()
    html = (await browser.get("/docs")).text
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            assert f"<b>{method.upper()}</b> {path}</code>" in html
            assert about["description"], f"{method} {path} says nothing"
    assert "HTTPValidationError" not in html
    for answers in re.findall(r'<p class="quiet">(.*)</p>', html):
        kinds = [each.partition(": ")[2] for each in answers.split(" · ")]
        assert len(kinds) == len(set(kinds)), "a model is named once"
    assert "start_at_bots" in html
