"""The work of a server on its whole database."""

import asyncio
import itertools
import threading
from asyncio import Event
from collections.abc import Callable
from pathlib import Path

import pytest
from rumble_server.clubs.upkeep import Upkeep
from rumble_server.store.sqlite.store import SqliteStore

from tests.server.failing import fail
from tests.server.gateway.served import until
from tests.server.store.played import as_challenges, played, save
from tests.server.whole_server import get, running


def count_twice(monkeypatch: pytest.MonkeyPatch, count: Callable[[SqliteStore, list[str]], dict[str, int]]) -> Event:
    """Make `count` the count of bytes, without a pause of an hour. The event is set when a second count begins."""
    monkeypatch.setattr("rumble_server.clubs.upkeep.PRUNE_S", 0.01)
    loop, begun, counts = asyncio.get_running_loop(), Event(), itertools.count(1)

    def counted(store: SqliteStore, clubs: list[str]) -> dict[str, int]:
        if next(counts) == 2:
            loop.call_soon_threadsafe(begun.set)
        return count(store, clubs)

    monkeypatch.setattr(SqliteStore, "count_bytes", counted)
    return begun


@pytest.mark.e2e
@pytest.mark.usefixtures("reading_here")
async def test_a_server_deletes_the_frames_of_old_challenges_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, count_bytes = tmp_path / "rumble.db", SqliteStore.count_bytes
    save(path, as_challenges(played("Friday")))
    sizes: list[int] = []

    def count(store: SqliteStore, clubs: list[str]) -> dict[str, int]:
        sizes.append(count_bytes(store, clubs)["main"])
        return {"main": sizes[0] + 1}

    is_counted = count_twice(monkeypatch, count)
    async with running(path) as server:
        await is_counted.wait()
        assert (await get(server, "/api/matches/friday.1.1.1.1/boards"))[0] == 410
        assert (await get(server, "/api/tournaments/friday/standings"))[0] == 200
        # Facts of the start may be written between two counts, so the next counts are awaited, too.
        await until(lambda: server.arena.allowance.used_bytes == server.log.bytes == sizes[0] + 1)


@pytest.mark.e2e
async def test_bytes_are_counted_off_the_loop_while_clubs_are_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    read_bytes, numbers, readers = SqliteStore._read_bytes, itertools.count(), []

    def read(store: SqliteStore, club: str) -> int:
        if club == "main":
            readers.append(threading.current_thread())
            store.open_log(f"club-{next(numbers)}")  # as the thread that reads clubs does
        return read_bytes(store, club)

    monkeypatch.setattr(SqliteStore, "_read_bytes", read)
    is_counted = count_twice(monkeypatch, SqliteStore.count_bytes)
    async with running(tmp_path / "rumble.db"):
        await is_counted.wait()
    assert len(set(readers)) > 1, "the thread that loads main, and one that counts"
    assert threading.current_thread() not in readers
    assert [record for record in caplog.records if record.exc_info] == []


@pytest.mark.e2e
async def test_an_error_while_old_challenges_are_deleted_is_logged_and_the_next_hour_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    is_counted = count_twice(monkeypatch, fail)
    async with running(tmp_path / "rumble.db"):
        await is_counted.wait()
    errors = [record.exc_text for record in caplog.records if "old challenges could not be deleted" in record.message]
    assert errors
    assert "a bug of the test" in str(errors[0]), "logged with the traceback"


@pytest.mark.e2e
async def test_a_server_stops_in_order_if_the_count_of_ended_tournaments_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Upkeep, "_read_ended", fail)
    async with running(tmp_path / "rumble.db"):
        pass
    assert "the tournaments that are over could not be counted" in caplog.text
    assert "a bug of the test" in caplog.text
    async with running(tmp_path / "rumble.db"):
        pass  # the first server let go of its database
