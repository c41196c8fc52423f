"""The reader of ended tournaments, from a real database; it never reads on the event loop's thread."""

import asyncio
import gc
import logging
import threading
from collections.abc import AsyncIterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from typing import Any

import pytest
from rumble_server.limits.bounds import Bounds
from rumble_server.store.errors import DamagedLog, StoreError
from rumble_server.store.log import async_reader as module
from rumble_server.store.log.async_reader import AsyncReader, ReadWorkers
from rumble_server.store.log.reader import LogReader
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.ended import DamagedTournament, EndedTournament
from rumble_server.tournament.facts import (
    BotJoined,
    LogFact,
    TournamentCreated,
    TournamentEnded,
    TournamentPaused,
    TournamentStarted,
)
from rumble_server.tournament.rebuild import Rebuilt

from tests.server.failing import note_calls, raising
from tests.server.reading_here import ReadingHere
from tests.server.store.databases import Database, opened
from tests.server.store.disk import group_of, write
from tests.server.store.played import record
from tests.waiting import until_true


def tournament(id_: str, *, over: bool = True, started: bool = True, listed: bool = True) -> list[LogFact]:
    config = TournamentConfig(name=f"the {id_}", game="tictactoe", listed=listed)
    facts: list[LogFact] = [TournamentCreated(id_, config, 1), BotJoined(id_, "alice", 2), BotJoined(id_, "bob", 2)]
    if started:
        facts += [TournamentStarted(id_, ("alice", "bob"), (("4",), ()), 3), TournamentPaused(id_, "rain", "host", 4)]
    if over:
        facts.append(TournamentEnded(id_, "cancelled", "enough", 5))
    return facts


FIRST, SECOND = tournament("first"), tournament("second", started=False)


def status_of(rebuilt: Rebuilt) -> str:
    return rebuilt.tournament.status


def facts_of(facts: Sequence[LogFact]) -> list[LogFact]:
    return list(facts)


def facts_of_tournament(rebuilt: Rebuilt) -> list[LogFact]:
    return list(rebuilt.facts())


@asynccontextmanager
async def reader_of(
    database: Database, bounds: Bounds | None = None, *, here: bool = True
) -> AsyncIterator[AsyncReader]:
    """Open a reader, with a process of its own unless `here`."""
    bounds = bounds or Bounds()
    workers = ReadWorkers(database.reader, bounds)
    if here:
        workers.process = ReadingHere(None, database.reader, bounds.rebuilt_results)
    try:
        yield AsyncReader(workers, "main")
    finally:
        await workers.close()


async def written(database: Database, *tournaments: list[LogFact], records: bool = True) -> None:
    async with opened(database) as log:
        for facts in tournaments:
            for fact in facts:
                log.append(fact)
                if records and isinstance(fact, TournamentEnded):
                    log.add_record(record(facts))
        await group_of(log).wait_all()


def damage(database: Database, tournament_id: str) -> None:
    database.execute(f"UPDATE log SET facts = substr(facts, 1, 20) WHERE tournament LIKE '%{tournament_id}'")


async def find(reader: AsyncReader, tournament_id: str) -> EndedTournament | None:
    """Return the record that a callback gets."""
    found: asyncio.Future[EndedTournament | None] = asyncio.get_running_loop().create_future()
    reader.find_ended(tournament_id, found.set_result)
    return await found


async def test_a_request_that_waits_for_time_does_not_keep_the_reading_process(database: Database) -> None:
    await written(database, FIRST)
    async with reader_of(database, here=False) as reader:
        asking = reader.run(len, ["for a request"])
        asking.send(None)  # the request asks, and then gets no time
        async with asyncio.timeout(20):
            assert await reader.run(len, ["for another", "one"]) == 2
        asking.close()


async def test_the_process_serves_nobody_else_while_it_works_on_for_a_caller_that_is_gone(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[str] = []
    problems: list[object] = []
    may_end = asyncio.Event()

    async def run(_make: Any, word: str) -> None:
        served.append(word)
        await may_end.wait()
        if word == "gone":
            raise StoreError("nobody waits for this error")

    asyncio.get_running_loop().set_exception_handler(lambda _, problem: problems.append(problem))
    async with reader_of(database) as reader:
        monkeypatch.setattr(reader._workers.process, "run", run)
        gone, other = (asyncio.create_task(reader.run(len, word)) for word in ("gone", "other"))
        await until_true(lambda: served)
        for _ in range(10):  # a cancelled scope of anyio, as of a streamed answer, cancels again and again
            gone.cancel()
            await asyncio.sleep(0)
        assert (served, gone.cancelled()) == (["gone"], True)
        may_end.set()
        await other
        assert served == ["gone", "other"]
    del gone
    gc.collect()
    assert problems == []


# --- records ---


async def test_a_record_is_found_without_rebuilding(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    rebuilds = note_calls(monkeypatch, AsyncReader, "of_tournament")
    await written(database, FIRST, SECOND)
    async with reader_of(database) as reader:
        for _ in range(2):
            assert await reader.ended("first") == record(FIRST)
            assert await reader.ended("second") == record(SECOND)
    assert rebuilds == []


async def test_a_tournament_that_is_missing_or_running_has_no_record(database: Database) -> None:
    await written(database, tournament("running", over=False))
    async with reader_of(database) as reader:
        assert await reader.ended("running") is None
        assert await reader.ended("nope") is None


async def test_a_tournament_with_a_damaged_record_is_listed_as_damaged_and_read(database: Database) -> None:
    await written(database, FIRST, SECOND)
    database.execute("UPDATE ended SET record = replace(record, 'tictactoe', 'tictactow') WHERE id LIKE '%first'")
    async with reader_of(database) as reader:
        assert await reader.ended("first") is None
        assert await reader.listed(10) == [record(SECOND), DamagedTournament.of("first", FIRST, over=True)]
        assert await reader.of_tournament("first", status_of) == "cancelled"


async def test_a_callback_is_called_on_the_loop(database: Database) -> None:
    await written(database, FIRST)
    found: asyncio.Future[tuple[EndedTournament | None, threading.Thread]] = asyncio.get_running_loop().create_future()
    async with reader_of(database) as reader:
        reader.find_ended("first", lambda ended: found.set_result((ended, threading.current_thread())))
        assert not found.done()
        assert await found == (record(FIRST), threading.current_thread())


async def test_a_callback_is_called_also_where_reading_takes_long(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "FIND_S", 0.01)
    await written(database, FIRST)
    may_read = threading.Event()
    async with reader_of(database) as reader:
        monkeypatch.setattr(LogReader, "ended", lambda reader, ids: may_read.wait() and {})
        assert await find(reader, "first") is None
        may_read.set()
    assert "tournament first was not read within 0.01 s" in caplog.text


async def test_a_callback_is_called_whatever_goes_wrong(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await written(database, FIRST)
    async with reader_of(database) as reader:
        monkeypatch.setattr(LogReader, "ended", lambda reader, ids: [][1])
        assert await find(reader, "first") is None
    assert "tournament first cannot be read" in caplog.text


async def test_memory_is_bounded_by_bytes(database: Database) -> None:
    await written(database, FIRST, SECOND)
    async with reader_of(database, Bounds(kept_answer_bytes=5 * module.LINE_BYTES)) as reader:
        for name in ("first", "second", "second"):
            assert await reader.ended(name) is not None
        records = reader._workers.records
        assert [records.get(("main", name)) for name in ("first", "second")] == [None, record(SECOND)]
        assert [each.id for each in await reader.listed(10)] == ["second", "first"]


# --- lists ---


async def test_tournaments_that_are_over_are_listed_newest_first(database: Database) -> None:
    running, secret = tournament("running", over=False), tournament("secret", listed=False)
    await written(database, FIRST, running, secret, SECOND)
    async with reader_of(database) as reader:
        assert await reader.listed(10) == [record(SECOND), record(FIRST)]
        assert await reader.listed(1) == [record(SECOND)]
        assert await reader.unlisted() == [record(secret)]


# --- damage ---


async def test_a_damaged_tournament_is_logged_once_and_the_others_are_read(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    await written(database, FIRST)
    await written(database, SECOND, records=False)
    damage(database, "second")
    async with reader_of(database) as reader:
        for _ in range(3):
            assert await reader.of_tournament("first", status_of) == "cancelled"
            assert await reader.listed(10) == [DamagedTournament.of("second", over=True), record(FIRST)]
            with pytest.raises(DamagedLog, match="damaged"):
                await reader.of_tournament("second", status_of)
        assert await find(reader, "second") is None
    assert [each.getMessage().partition(":")[0] for each in caplog.records if each.levelno == logging.ERROR] == [
        "tournament second cannot be read"
    ]


async def test_facts_that_contradict_each_other_are_damage(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    facts: list[LogFact] = [*FIRST[:1], TournamentStarted("first", ("alice",), (), 3), *FIRST[-1:]]
    async with opened(database) as log:
        await write(log, *facts)
    async with reader_of(database) as reader:
        for _ in range(2):
            with pytest.raises(DamagedLog, match="bad facts"):
                await reader.of_tournament("first", status_of)
    assert len([each for each in caplog.records if each.levelno == logging.ERROR]) == 1


async def test_a_disk_that_cannot_be_read_for_a_moment_is_no_damage(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await written(database, FIRST)
    broken = raising(StoreError("disk I/O error"))
    async with reader_of(database) as reader:
        with monkeypatch.context() as patch:
            patch.setattr(AsyncReader, "run", broken)
            patch.setattr(LogReader, "ended", broken)
            assert await reader.ended("first") is None
            with pytest.raises(StoreError, match="I/O"):
                await reader.of_tournament("first", status_of)
        assert "disk I/O error" in caplog.text
        assert await reader.ended("first") == record(FIRST)


# --- facts ---


async def test_facts_of_a_tournament(database: Database) -> None:
    await written(database, FIRST)
    async with reader_of(database) as reader:
        assert await reader.of_tournament("first", facts_of_tournament) == FIRST
        assert await reader.of_match("first.1.1.1.1", facts_of) == []
        assert await reader.of_tournament("nope", status_of) is None
        assert await reader.of_tournament("first", status_of) == "cancelled"


async def test_a_process_that_dies_whenever_it_is_asked_is_a_failure_of_the_store(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """tests/server/host/test_side_process.py has the test that the process is started again."""
    await written(database, FIRST)
    async with reader_of(database) as reader:
        with monkeypatch.context() as patch:
            patch.setattr(ReadingHere, "run", raising(BrokenProcessPool()))
            with pytest.raises(StoreError, match="died"):
                await reader.of_tournament("first", status_of)
        assert await reader.of_tournament("first", status_of) == "cancelled"


@pytest.mark.e2e
async def test_nothing_is_rebuilt_in_the_process_of_the_server(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await written(database, FIRST)
    read_here = note_calls(monkeypatch, LogReader, "facts_after")
    async with reader_of(database, here=False) as reader:
        assert await reader.of_tournament("first", status_of) == "cancelled"
    assert read_here == []
