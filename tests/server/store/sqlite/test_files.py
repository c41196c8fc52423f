"""The files of a database: private, without hard links, and missed when removed."""

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rumble_server.store.errors import StoreError
from rumble_server.store.log import group_commit as module
from rumble_server.store.sqlite import lock as lock_module
from rumble_server.store.sqlite.files import SUFFIXES, make_private
from rumble_server.store.sqlite.store import SqliteStore

from tests.server.failing import raising
from tests.server.store.databases import opened
from tests.server.store.disk import Listener, begin_write, group_of, joined, rows, write

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes, and removes no open file")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RETRY_S", 0.01)
    monkeypatch.setattr(module, "CHECK_S", 0.01)
    monkeypatch.setattr(lock_module, "WAIT_S", 0.0)


def modes(path: Path) -> dict[str, int]:
    return {each.name: stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()}


@posix
@pytest.mark.e2e
async def test_only_the_owner_reads_the_files(path: Path) -> None:
    async with opened(path, in_process=False) as log:
        await write(log, joined(1))
        assert modes(path) == {f"rumble.db{suffix}": 0o600 for suffix in SUFFIXES}


@posix
async def test_files_of_an_older_database_become_private(path: Path) -> None:
    async with opened(path) as log:
        await write(log, joined(1))
        for suffix in SUFFIXES:
            path.with_name(f"rumble.db{suffix}").chmod(0o644)
        make_private(str(path))
        assert modes(path) == {f"rumble.db{suffix}": 0o600 for suffix in SUFFIXES}


def test_a_mode_that_cannot_be_changed_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.touch(0o644)
    path.chmod(0o644)
    monkeypatch.setattr(Path, "chmod", raising(PermissionError(1, "Operation not permitted")))
    assert make_private(str(path)) == [f"others may be able to read {path}: Operation not permitted"]


# --- one database, one server ---


@posix
@pytest.mark.usefixtures("impatient")
async def test_a_symbolic_link_is_the_same_database(path: Path) -> None:
    link = path.with_name("link.db")
    link.symlink_to(path)
    for first, second in ((path, link), (link, path)):
        async with opened(first):
            with pytest.raises(StoreError, match="another server is running"):
                SqliteStore(str(second))
    assert not path.with_name("link.db-lock").exists()


@posix
def test_a_file_with_two_names_is_refused_by_both(path: Path) -> None:
    other = path.with_name("other.db")
    path.touch()
    os.link(path, other)
    for name in (path, other):
        with pytest.raises(StoreError, match=r"has 2 hard links: a database must have one name$"):
            SqliteStore(str(name))


# --- gone while the server runs ---


def content(path: Path) -> bytes:
    return path.read_bytes()


def replaced(path: Path) -> None:
    path.with_name("copy").write_bytes(path.read_bytes())
    path.with_name("copy").replace(path)


@posix
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("take", [Path.unlink, replaced])
async def test_a_file_that_is_gone_is_noticed_though_nothing_is_written(
    path: Path, suffix: str, take: Callable[[Path], None]
) -> None:
    async with opened(path) as log:
        await write(log, joined(1))
        listener = Listener(log)
        take(path.with_name(path.name + suffix))
        trouble = await listener.trouble.get()
        assert trouble is not None
        assert f"the file rumble.db{suffix} was removed or replaced" in trouble


@posix
@pytest.mark.usefixtures("impatient")
async def test_a_lock_that_is_gone_stays_a_trouble_though_writing_works(path: Path) -> None:
    async with opened(path) as log:
        listener = Listener(log)
        path.with_name("rumble.db-lock").unlink()
        trouble = await listener.trouble.get()
        await write(log, joined(1))
        assert (log.trouble, listener.trouble.empty()) == (trouble, True)


@posix
@pytest.mark.e2e
@pytest.mark.usefixtures("impatient")
async def test_facts_written_to_a_lost_file_are_told_when_the_file_is_back(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHECK_S", 3600.0)  # only the writing process looks
    aside = path.with_name("aside.db")
    async with opened(path, in_process=False) as log:
        await write(log, joined(1))
        listener = Listener(log)
        os.replace(path, aside)
        log.append(joined(2))
        begin_write(log)
        assert "was removed or replaced" in str(await listener.trouble.get())
        assert (log.durable, listener.batches) == (1, [])
        os.replace(aside, path)
        await log.wait(2)
        assert await listener.trouble.get() is None
        assert listener.facts == [(2, joined(2))]
    assert len(rows(path)) == 2


@posix
@pytest.mark.e2e
@pytest.mark.usefixtures("impatient")
async def test_another_database_in_its_place_is_left_alone(path: Path) -> None:
    other = path.with_name("other.db")
    async with opened(other) as log:
        await write(log, joined(7, "other"))
    async with opened(path, in_process=False) as log:
        listener = Listener(log)
        os.replace(other, path)  # before the writing process starts
        before = content(path)
        log.append(joined(1))
        assert "was removed or replaced" in str(await listener.trouble.get())
        await group_of(log).wait_all()
        assert (log.durable, listener.batches) == (0, [])
    assert content(path) == before
    assert rows(path) == [(1, "other", 0)]


@posix
@pytest.mark.usefixtures("impatient")
async def test_a_lost_file_is_told_to_be_back_when_nothing_was_written(path: Path) -> None:
    aside = path.with_name("aside.db")
    async with opened(path) as log:
        listener = Listener(log)
        os.replace(path, aside)
        assert await listener.trouble.get() is not None
        os.replace(aside, path)
        assert await listener.trouble.get() is None
