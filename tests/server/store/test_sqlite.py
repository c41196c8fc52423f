"""The log in SQLite: what is announced is on disk, in order, once; trouble keeps facts; other files are left alone."""

import asyncio
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from rumble_server.store import group_commit as module
from rumble_server.store.errors import StoreError
from rumble_server.store.schema import APPLICATION_ID, MIGRATIONS
from rumble_server.store.sqlite import SqliteStore, database_path
from rumble_server.store.sqlite_rows import read_sqlite
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import NameUsed, TournamentCreated, TournamentEnded
from rumble_server.tournament.rebuild import rebuild_tournament

from tests.server.store.disk import Told, begin_write, joined, locked, opened, opened_store, rows, shut, write

CREATED = TournamentCreated("friday", TournamentConfig(name="Friday", game="tictactoe"), 0)
ENDED = TournamentEnded("friday", "cancelled", "rain", 1)
_friday = rebuild_tournament([CREATED, ENDED])
assert _friday is not None
RECORD = EndedTournament.of(_friday)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rumble.db"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RETRY_S", 0.01)


# --- writing ---


async def test_facts_are_numbered_from_one(path: Path) -> None:
    async with opened(path) as log:
        assert [log.append(joined(number)) for number in (1, 2, 3)] == [1, 2, 3]
        assert (log.last, log.durable) == (3, 0)


async def test_what_is_announced_is_on_disk(path: Path) -> None:
    async with opened(path) as log:
        log.on_durable.append(lambda batch: seen.append((batch[-1][0], len(rows(path)))))
        seen: list[tuple[int, int]] = []
        await write(log, joined(1))
        await write(log, joined(2))
        assert seen == [(1, 1), (2, 2)]
        assert log.durable == 2


async def test_listeners_are_told_of_every_fact_once_in_order(path: Path) -> None:
    async with opened(path) as log:
        told = Told(log)
        for number in range(1, 200):
            log.append(joined(number))
            if number % 7 == 0:
                await asyncio.sleep(0)
            if number % 50 == 0:
                await log.wait(number)
        await log._group.wait_all()
        assert told.facts == [(number, joined(number)) for number in range(1, 200)]
        assert log.durable == log.last == 199


async def test_waiting_returns_when_the_fact_is_on_disk_and_at_once_if_it_is(path: Path) -> None:
    async with opened(path) as log:
        number = log.append(joined(1))
        await log.wait(number)
        assert len(rows(path)) == 1
        await log.wait(number)
        await log.wait(0)


async def test_nobody_has_to_ask_for_a_write(path: Path) -> None:
    async with opened(path) as log:
        written = asyncio.Event()
        log.on_durable.append(lambda _: written.set())
        log.append(joined(1))
        await written.wait()
        assert len(rows(path)) == 1


async def test_a_batch_is_one_row_for_each_tournament_and_kind(path: Path) -> None:
    async with opened(path) as log:
        name = NameUsed("ann", None, None, 0)
        await write(log, joined(1, "friday"), joined(2, "monday"), name, joined(4, "friday"))
        assert rows(path) == [(1, "friday", 0), (2, "monday", 0), (3, "", 1)]


async def test_facts_that_come_during_a_write_go_with_the_next(path: Path) -> None:
    async with opened(path) as log:
        told = Told(log)
        log.append(joined(1))
        begin_write(log)
        log.append(joined(2))
        await log.wait(2)
        assert [[number for number, _ in batch] for batch in told.batches] == [[1], [2]]


async def test_they_need_nobody_to_wait_for_them(path: Path) -> None:
    async with opened(path) as log:
        written = asyncio.Event()
        log.on_durable.append(lambda batch: written.set() if batch[-1][0] == 2 else None)
        log.append(joined(1))
        begin_write(log)
        log.append(joined(2))
        await written.wait()
        assert len(rows(path)) == 2


async def test_who_waits_for_a_fact_of_a_later_batch_waits_on(path: Path) -> None:
    async with opened(path) as log:
        log.append(joined(1))
        begin_write(log)
        second = asyncio.create_task(log.wait(log.append(joined(2))))
        await log.wait(1)
        assert not second.done()
        await second
        assert len(rows(path)) == 2


async def test_one_who_gives_up_waiting_does_not_disturb_the_others(path: Path) -> None:
    async with opened(path) as log:
        log.append(joined(1))
        gone, patient = (asyncio.create_task(log.wait(1)) for _ in range(2))
        await asyncio.sleep(0)
        gone.cancel()
        await patient


async def test_what_is_appended_before_the_loop_runs_is_written_when_it_does(path: Path) -> None:
    store = SqliteStore(str(path))
    log = store.log()
    log.append(joined(1))
    log.hurry()
    store.attach(asyncio.get_running_loop())
    await log.wait(1)
    await store.close()
    assert len(rows(path)) == 1


async def test_closing_writes_what_is_left(path: Path) -> None:
    async with opened(path) as log:
        log.append(joined(1))
    assert len(rows(path)) == 1


async def test_the_next_run_goes_on_counting(path: Path) -> None:
    async with opened(path) as log:
        await write(log, joined(1), joined(2))
    async with opened(path) as log:
        assert (log.last, log.durable) == (2, 2)
        assert log.append(joined(3)) == 3


async def test_the_disk_is_asked_to_keep_every_commit(path: Path) -> None:
    async with opened_store(path) as store:
        assert store._database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert store._database.execute("PRAGMA synchronous").fetchone() == (2,)


# --- records of what is over ---


def committed(path: Path) -> tuple[bool, bool]:
    """Whether the end of the tournament is on disk, and whether its record is."""
    return rows(path, "SELECT over FROM tournaments") == [(1,)], rows(path, "SELECT id FROM ended") == [("friday",)]


async def test_a_record_is_in_the_same_commit_as_the_end_of_its_tournament(path: Path) -> None:
    async with opened(path) as log:
        await write(log, CREATED)
        seen = []
        log.on_durable.append(lambda _: seen.append(committed(path)))
        log.append(joined(2))
        begin_write(log)
        for number in range(3, 10):
            log.append(joined(number))
        log.append(ENDED)
        log.file(RECORD)
        log.append(joined(11))
        await log._group.wait_all()
        await write(log, joined(12))
        assert seen == [(False, False), (True, True), (True, True)]


@pytest.mark.usefixtures("impatient")
async def test_it_is_when_the_write_had_to_be_repeated(path: Path) -> None:
    async with opened(path) as log:
        await write(log, CREATED)
        told = Told(log)
        with locked(path):
            log.append(joined(2))
            begin_write(log)
            log.append(ENDED)
            log.file(RECORD)
            assert await told.trouble.get() is not None
            assert committed(path) == (False, False)
        await log.wait(log.last)
        assert committed(path) == (True, True)


async def test_a_record_without_facts_is_written_and_nobody_is_told_of_it(path: Path) -> None:
    async with opened(path) as log:
        await write(log, CREATED, ENDED)
        told = Told(log)
        log.file(RECORD)
        await log._group.wait_all()
        assert committed(path) == (True, True)
        assert (told.batches, log.durable) == ([], 2)
    async with opened(path) as log:
        assert log.last == 2


async def test_closing_writes_a_record_and_one_that_comes_later_is_left(path: Path) -> None:
    async with opened(path) as log:
        await write(log, CREATED, ENDED)
        log.file(RECORD)
    log.file(RECORD)
    await asyncio.sleep(2 * module.BATCH_S)
    assert committed(path) == (True, True)


# --- trouble ---


@pytest.mark.usefixtures("impatient")
async def test_while_it_cannot_be_written_facts_are_kept_and_nothing_is_announced(path: Path) -> None:
    async with opened(path) as log:
        told = Told(log)
        with locked(path):
            log.append(joined(1))
            assert "locked" in str(await told.trouble.get())
            log.append(joined(2))
            log.hurry()
            await log._group.wait_all()
            assert (told.batches, log.durable, log.last, rows(path)) == ([], 0, 2, [])
            assert "locked" in str(log.trouble)
        await log.wait(2)
        assert told.facts == [(1, joined(1)), (2, joined(2))]
        assert (await told.trouble.get(), log.trouble) == (None, None)


@pytest.mark.usefixtures("impatient")
async def test_facts_that_come_during_a_write_that_fails_keep_their_place(path: Path) -> None:
    async with opened(path) as log:
        told = Told(log)
        with locked(path):
            log.append(joined(1))
            begin_write(log)
            log.append(joined(2))
            assert await told.trouble.get() is not None
        await log.wait(2)
        assert [fact for _, fact in told.facts] == [joined(1), joined(2)]


@pytest.mark.usefixtures("impatient")
async def test_the_same_trouble_is_told_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(path) as log:
        told = Told(log)
        attempts: asyncio.Queue[None] = asyncio.Queue()
        written = log._group._written

        def attempted(*result: Any) -> None:
            written(*result)
            attempts.put_nowait(None)

        monkeypatch.setattr(log._group, "_written", attempted)
        with locked(path):
            log.append(joined(1))
            assert await told.trouble.get() is not None
            for _ in range(3):
                await attempts.get()
        await log.wait(1)
        assert await told.trouble.get() is None
        assert told.trouble.empty()


@pytest.mark.usefixtures("impatient")
async def test_a_batch_that_fails_half_way_is_written_whole_later(path: Path) -> None:
    async with opened(path) as log:
        told = Told(log)
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute("ALTER TABLE tournaments RENAME TO hidden")
            log.append(CREATED)
            assert await told.trouble.get() is not None
            assert rows(path) == [], "half a batch is on disk"
            database.execute("ALTER TABLE hidden RENAME TO tournaments")
        await log.wait(1)
        assert len(rows(path)) == 1


async def test_closing_in_trouble_does_not_wait_for_ever(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with ExitStack() as held:
        async with opened(path) as log:
            told = Told(log)
            held.enter_context(locked(path))
            log.append(joined(1))
            assert await told.trouble.get() is not None
    assert "facts that could not be written are lost: 1" in caplog.text


# --- small values ---


def test_runs_are_counted(path: Path) -> None:
    for run in (1, 2, 3):
        log = SqliteStore(str(path))
        assert log.count_run() == run
        shut(log)


def test_small_values_are_kept_beside_the_log(path: Path) -> None:
    log = SqliteStore(str(path))
    assert log.get("host_token") is None
    log.put("host_token", "secret")
    log.put("host_token", "changed")
    shut(log)
    again = SqliteStore(str(path))
    assert again.get("host_token") == "changed"
    shut(again)


def test_a_value_that_cannot_be_kept_is_an_error_in_one_line(path: Path) -> None:
    log = SqliteStore(str(path))
    log._database.execute("PRAGMA busy_timeout = 1")
    with locked(path), pytest.raises(StoreError, match="cannot write to the database") as refused:
        log.put("a", "b")
    assert "\n" not in str(refused.value)
    shut(log)


# --- which files are opened ---


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE recipes (name TEXT)")
        database.commit()


def foreign_empty(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA application_id = 7")


def not_sqlite(path: Path) -> None:
    path.write_bytes(b"The quick brown fox jumps over the lazy dog. " * 100)


def newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {len(MIGRATIONS) + 1};"
            "CREATE TABLE log (what TEXT);"
        )


def damaged(path: Path) -> None:
    log = SqliteStore(str(path))
    log.put("text", "x" * 50_000)
    log._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shut(log)
    content = bytearray(path.read_bytes())
    content[4096 * 2 : 4096 * 4] = b"\xff" * 8192
    path.write_bytes(content)


def cut_short(path: Path) -> None:
    damaged(path)
    path.write_bytes(path.read_bytes()[:5000])


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (foreign, "is not a database of Rumble"),
        (foreign_empty, "is not a database of Rumble"),
        (not_sqlite, "not a database"),
        (newer, "was written by a newer Rumble"),
        (damaged, "is damaged|malformed"),
        (cut_short, "is damaged|malformed"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_not_a_good_database_of_ours_is_refused_in_one_line_and_left_untouched(
    path: Path, make: Any, why: str
) -> None:
    make(path)
    before = path.read_bytes()
    beside = sorted(path.parent.iterdir())
    with pytest.raises(StoreError, match=why) as refused:
        SqliteStore(str(path))
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert path.read_bytes() == before
    assert sorted(path.parent.iterdir()) == beside


def test_a_newer_database_whose_server_crashed_is_left_untouched(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        newer(path)
        database.execute("CREATE TABLE more (what TEXT)")
        database.commit()
        copy = path.with_name("copy.db")
        for suffix in ("", "-wal"):
            copy.with_name(f"copy.db{suffix}").write_bytes(path.with_name(f"{path.name}{suffix}").read_bytes())
    before = copy.read_bytes(), copy.with_name("copy.db-wal").read_bytes()
    with pytest.raises(StoreError, match="newer"):
        SqliteStore(str(copy))
    assert (copy.read_bytes(), copy.with_name("copy.db-wal").read_bytes()) == before


def test_an_empty_file_becomes_a_database(path: Path) -> None:
    path.touch()
    SqliteStore(str(path))._database.close()
    assert rows(path, "PRAGMA user_version") == [(len(MIGRATIONS),)]
    assert rows(path, "PRAGMA application_id") == [(APPLICATION_ID,)]


@pytest.mark.parametrize("where", ["nowhere/rumble.db", "."])
def test_a_place_where_no_file_can_be_is_an_error_in_one_line(tmp_path: Path, where: str) -> None:
    for make in (SqliteStore, read_sqlite):
        with pytest.raises(StoreError, match=r"cannot (open|use|read) the database") as refused:
            make(str(tmp_path / where))
        assert "\n" not in str(refused.value)


def test_a_file_that_takes_nothing_is_an_error_in_one_line() -> None:
    with pytest.raises(StoreError, match=r"cannot (open|use) the database /dev/full") as refused:
        SqliteStore("/dev/full")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("rumble.db", "rumble.db"),
        ("/var/lib/rumble.db", "/var/lib/rumble.db"),
        ("sqlite:///rumble.db", "rumble.db"),
        ("sqlite:///data/rumble.db", "data/rumble.db"),
        ("sqlite:////var/lib/rumble.db", "/var/lib/rumble.db"),
    ],
)
def test_a_database_is_named_by_its_path_or_a_url(url: str, path: str) -> None:
    assert database_path(url) == path


@pytest.mark.parametrize("url", ["postgresql://host/db", "sqlite://rumble.db", "sqlite:///", "sqlite://", "://x"])
def test_other_urls_are_refused_with_what_is_taken(url: str) -> None:
    with pytest.raises(StoreError, match="--db takes a path"):
        database_path(url)
