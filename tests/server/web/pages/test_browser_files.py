"""The files of the distribution for browsers: under a hash, packed at the build, sent in pieces."""

import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from rumble_server.web.pages import browser_files

from tests.server.web.memory_server import MemoryServer


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of the distribution's."""
    (tmp_path / "python.wasm.gz").write_bytes(gzip.compress(b"wasm" * 100_000))
    (tmp_path / "engine.zip").write_bytes(b"PK" * 100_000)
    (tmp_path / "notes.txt").write_bytes(b"no file for browsers")
    for name in ("..\\key.json", "C:key.json"):  # on Windows they are files elsewhere
        (tmp_path / name).write_bytes(b"a key")
    monkeypatch.setattr(browser_files, "folder", lambda: tmp_path)
    browser_files.address.cache_clear()
    return tmp_path


@pytest.fixture
async def browser(server: MemoryServer, folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with server.browser() as browser:
        yield browser
    browser_files.address.cache_clear()


async def test_a_packed_file_is_sent_as_it_is_and_kept_for_good(browser: httpx.AsyncClient, folder: Path) -> None:
    path = f"{browser_files.address()}/python.wasm"
    async with browser.stream("GET", path, headers={"Accept-Encoding": "gzip"}) as answer:
        pieces = [piece async for piece in answer.aiter_raw()]
    assert b"".join(pieces) == (folder / "python.wasm.gz").read_bytes()
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["Content-Type"] == "application/wasm"
    assert "immutable" in answer.headers["Cache-Control"]
    assert (await browser.get(path, headers={"Accept-Encoding": "identity"})).status_code == 406


async def test_a_zip_is_sent_without_another_packing(browser: httpx.AsyncClient) -> None:
    answer = await browser.get(f"{browser_files.address()}/engine.zip", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in answer.headers
    assert answer.content == b"PK" * 100_000


@pytest.mark.parametrize(
    "name", ["notes.txt", "nothing.js", "../pyproject.js", "python.wasm/", "..\\key.json", "C:key.json", ""]
)
async def test_nothing_else_is_there(browser: httpx.AsyncClient, name: str) -> None:
    assert (await browser.get(f"{browser_files.address()}/{name}")).status_code == 404
    assert (await browser.get("/code/files/0123456789abcdef/engine.zip")).status_code == 404


async def test_without_the_distribution_there_is_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    browser_files.folder.cache_clear()
    monkeypatch.setattr(browser_files, "find_spec", lambda name: None)
    browser_files.address.cache_clear()
    assert browser_files.address() is None
    browser_files.folder.cache_clear()
    browser_files.address.cache_clear()
