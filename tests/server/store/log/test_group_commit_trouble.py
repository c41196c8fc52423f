"""Trouble of group commit on each kind of database: no fact is lost or told early, and trouble is told once."""

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack

import pytest
from rumble_server.store.log import group_commit as module
from rumble_server.store.log.batch import Batch
from rumble_server.store.log.club_log import ClubLog, FactCounter
from rumble_server.store.log.content import Content

from tests.server.failing import fail, fail_if
from tests.server.gateway.served import until
from tests.server.store.databases import Database, opened, opened_store
from tests.server.store.disk import HeldCommits, Listener, begin_write, group_of, joined, write
from tests.server.store.log.test_group_commit import CREATED, ENDED, RECORD, OneForEach, committed


@pytest.mark.usefixtures("impatient")
async def test_while_the_disk_takes_nothing_facts_are_kept_and_none_is_announced(database: Database) -> None:
    async with opened(database) as log:
        listener = Listener(log)
        with database.locked():
            log.append(joined(1))
            begin_write(log)
            log.append(joined(2))
            assert database.refusal in str(await listener.trouble.get())
            log.append(joined(3))
            log.flush_soon()
            await group_of(log).wait_all()
            assert (listener.batches, log.durable, log.last, database.rows()) == ([], 0, 3, [])
            assert database.refusal in str(log.trouble)
        await log.wait(3)
        assert listener.facts == [(number, joined(number)) for number in (1, 2, 3)]
        assert (await listener.trouble.get(), log.trouble) == (None, None)


async def test_a_caller_that_waits_does_not_hurry_the_repetition_of_a_failed_commit(database: Database) -> None:
    async with opened(database) as log:
        listener = Listener(log)
        with database.locked():
            log.append(joined(1))
            assert await listener.trouble.get() is not None
        repetition = group_of(log)._timer
        log.append(joined(2))
        log.flush_soon()
        assert group_of(log)._timer is repetition


@pytest.mark.usefixtures("impatient")
async def test_a_batch_that_fails_half_way_is_written_whole_later(database: Database) -> None:
    async with opened(database) as log:
        listener = Listener(log)
        database.execute("ALTER TABLE tournaments RENAME TO hidden")
        for fact in (CREATED, ENDED):
            log.append(fact)
        log.add_record(RECORD)
        assert await listener.trouble.get() is not None
        assert database.rows() == [], "half a batch is on disk"
        database.execute("ALTER TABLE hidden RENAME TO tournaments")
        await log.wait(2)
        assert len(database.rows()) == 1
        assert committed(database) == (True, True)


@pytest.mark.usefixtures("impatient")
async def test_a_club_that_fails_when_the_database_works_again_holds_up_no_commit(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened_store(database) as store:
        log, other = store.open_log(), store.open_log("go")
        log.on_trouble.append(fail)
        listener = Listener(other)
        with database.locked():
            log.append(joined(1))
            other.append(joined(2))
            assert await listener.trouble.get() is not None
        async with asyncio.timeout(5):
            await asyncio.gather(log.wait(log.last), other.wait(other.last))
            assert await listener.trouble.get() is None
            await write(log, joined(3))
            await write(other, joined(4))
        assert [fact for _, fact in listener.facts] == [joined(2), joined(4)]
    assert len(database.rows()) == 4
    failures = [record for record in caplog.records if record.exc_info]
    assert [record.getMessage() for record in failures] == [
        "club main: what follows from the trouble failed",
        "club main: what follows from the end of the trouble failed",
    ]


@pytest.mark.usefixtures("impatient")
async def test_trouble_is_told_once_and_its_end_after_the_facts_that_it_held_up(database: Database) -> None:
    async with opened(database) as log:
        order: list[object] = []
        log.on_durable.append(lambda _: order.append("facts"))
        log.on_trouble.append(order.append)
        attempts = HeldCommits(group_of(log))
        attempts.go_on.set()
        with database.locked():
            log.append(joined(1))
            await until(lambda: len(attempts.commits) > 4)
        await log.wait(1)
        assert order[1:] == ["facts", None]


async def test_the_database_is_checked_again_after_a_check_that_fails(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHECK_S", 0.01)
    async with opened(database) as log:
        listener, group = Listener(log), group_of(log)
        found = iter([None, OSError("a check that fails"), "the file is gone"])

        def look() -> str | None:
            each = next(found, "the file is gone")
            if isinstance(each, OSError):
                raise each
            return each

        asyncio.get_running_loop().set_exception_handler(lambda _, context: None)
        group._find_problem = look
        async with asyncio.timeout(5):
            assert await listener.trouble.get() == "the file is gone"


async def test_closing_in_trouble_does_not_wait_for_ever(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    with ExitStack() as held:
        async with opened(database) as log:
            listener = Listener(log)
            held.enter_context(database.locked())
            log.append(joined(1))
            assert await listener.trouble.get() is not None
    assert "facts that could not be written are lost: 1" in caplog.text


@pytest.mark.usefixtures("impatient")
async def test_waiting_for_a_fact_in_a_trouble_listener_begins_no_second_commit(database: Database) -> None:
    """Two commits at once would mix up their answers, and an unwritten batch would be announced as durable."""
    async with opened(database) as log:
        listener, held = Listener(log), HeldCommits(group_of(log))
        log.on_trouble.append(lambda _: waiting.append(asyncio.ensure_future(log.wait(log.append(joined(9))))))
        log.on_trouble.append(lambda _: log.flush_soon())
        waiting: list[asyncio.Future[None]] = []
        with database.locked():
            log.append(joined(1))
            held.go_on.set()
            assert await listener.trouble.get() is not None
            held.go_on.clear()
            await until(lambda: len(held.commits) == 2)
            begin_write(log)
            await asyncio.sleep(0)
            assert (len(held.commits), group_of(log)._timer) == (2, None)
        held.go_on.set()
        await log.wait(1)
        await asyncio.gather(*waiting)
        assert [number for number, _ in listener.facts] == list(range(1, log.last + 1))


async def test_a_commit_that_is_not_answered_is_trouble(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STUCK_S", 0.05)
    monkeypatch.setattr(module, "CHECK_S", 0.01)
    async with opened(database) as log:
        listener, held = Listener(log), HeldCommits(group_of(log))
        log.append(joined(1))
        assert await listener.trouble.get() == "it has not answered for 0.05 s"
        assert listener.facts == []
        held.go_on.set()
        assert await listener.trouble.get() is None
        await log.wait(1)


@pytest.mark.usefixtures("impatient")
async def test_facts_that_could_not_be_encoded_are_written_by_the_next_try(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_if(monkeypatch, Batch, "content", lambda *_: True, times=1)
    async with opened(database) as log, asyncio.timeout(5):
        listener = Listener(log)
        await write(log, joined(1))
        assert listener.facts == [(1, joined(1))]
        assert [await listener.trouble.get() for _ in range(2)] == ["a bug of the test", None]


async def test_trouble_has_a_text_even_if_the_error_has_none() -> None:
    writer = OneForEach()
    group = writer.group

    async def failing(contents: Sequence[Content], *, again: bool) -> Sequence[str]:
        raise TimeoutError

    writer.write = failing  # type: ignore[method-assign]
    group.attach(asyncio.get_running_loop())
    ClubLog(group, "main", last=0, numbers=FactCounter(0)).append(joined(1))
    group.write()
    await group.wait_all()
    assert group.trouble == "TimeoutError"
    await group.close()
