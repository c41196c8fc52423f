"""Group commit on each kind of database: announced facts are on disk, in order and once; trouble loses no fact."""

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack, closing
from typing import Any

import pytest
from rumble_server.store.errors import StoreError
from rumble_server.store.log import group_commit as module
from rumble_server.store.log.batch import Batch
from rumble_server.store.log.club_log import ClubLog, FactCounter
from rumble_server.store.log.content import Content, lead_id
from rumble_server.store.open import open_store
from rumble_server.tournament.club_facts import NameUsed
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import TournamentCreated, TournamentEnded

from tests.server.failing import fail, fail_if
from tests.server.gateway.served import until
from tests.server.store.databases import Database, opened, opened_store
from tests.server.store.disk import HeldCommits, Listener, begin_write, group_of, joined, write
from tests.server.store.played import record

CREATED = TournamentCreated("friday", TournamentConfig(name="Friday", game="tictactoe"), 0)
ENDED = TournamentEnded("friday", "cancelled", "rain", 1)
RECORD = record([CREATED, ENDED])


# --- writing ---


async def test_announced_facts_are_on_disk(database: Database) -> None:
    async with opened(database) as log:
        log.on_durable.append(lambda batch: seen.append((batch[-1][0], len(database.rows()))))
        seen: list[tuple[int, int]] = []
        await write(log, joined(1))
        await write(log, joined(2))
        assert seen == [(1, 1), (2, 2)]
        assert log.durable == 2


async def test_listeners_are_told_of_every_fact_once_in_order(database: Database) -> None:
    async with opened(database) as log:
        listener = Listener(log)
        for number in range(1, 200):
            log.append(joined(number))
            if number % 7 == 0:
                await asyncio.sleep(0)
            if number % 50 == 0:
                await log.wait(number)
        await group_of(log).wait_all()
        assert listener.facts == [(number, joined(number)) for number in range(1, 200)]
        assert log.durable == log.last == 199


async def test_waiting_returns_when_the_fact_is_on_disk_and_at_once_if_it_is(database: Database) -> None:
    async with opened(database) as log:
        number = log.append(joined(1))
        await log.wait(number)
        assert len(database.rows()) == 1
        await log.wait(number)
        await log.wait(0)


async def test_a_listener_that_fails_keeps_nobody_else_from_being_told(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(database) as log:
        listener = Listener(log)
        log.on_durable.insert(0, fail)
        for number in (1, 2):
            async with asyncio.timeout(5):
                await log.wait(log.append(joined(number)))
        assert [number for batch in listener.batches for number, _ in batch] == [1, 2]
    assert caplog.messages.count("club main: what follows from the facts up to 1 failed") == 1


async def test_failure_of_a_listener_to_the_log_is_logged(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    async with opened(database) as log:
        heard: list[object] = []
        log.on_sizes += [fail, heard.append]
        log.on_fenced += [fail, lambda: heard.append("fenced")]
        async with asyncio.timeout(5):
            await log.wait(log.append(joined(1)))
        log.fence()
        assert heard[1:] == ["fenced"]
    assert [record.getMessage() for record in caplog.records if record.exc_info] == [
        "club main: what follows from the sizes of rows failed",
        "club main: what follows from the lead of another server failed",
    ]


async def test_nobody_has_to_ask_for_a_write(database: Database) -> None:
    async with opened(database) as log:
        written = asyncio.Event()
        log.on_durable.append(lambda _: written.set())
        log.append(joined(1))
        await written.wait()
        assert len(database.rows()) == 1


async def test_a_batch_is_one_row_for_each_tournament_and_kind(database: Database) -> None:
    async with opened(database) as log:
        name = NameUsed("ann", None, None, 0)
        await write(log, joined(1, "friday"), joined(2, "monday"), name, joined(4, "friday"))
        assert database.rows() == [(1, "friday", 0), (2, "monday", 0), (3, "", 1)]


async def test_facts_that_come_during_a_write_go_with_the_next(database: Database) -> None:
    async with opened(database) as log:
        listener = Listener(log)
        log.append(joined(1))
        begin_write(log)
        log.append(joined(2))
        await log.wait(2)
        assert [[number for number, _ in batch] for batch in listener.batches] == [[1], [2]]


async def test_facts_are_written_though_nobody_waits_for_them(database: Database) -> None:
    async with opened(database) as log:
        written = asyncio.Event()
        log.on_durable.append(lambda batch: written.set() if batch[-1][0] == 2 else None)
        log.append(joined(1))
        begin_write(log)
        log.append(joined(2))
        await written.wait()
        assert len(database.rows()) == 2


async def test_a_wait_for_a_fact_of_a_later_batch_goes_on(database: Database) -> None:
    async with opened(database) as log:
        log.append(joined(1))
        begin_write(log)
        second = asyncio.create_task(log.wait(log.append(joined(2))))
        await log.wait(1)
        assert not second.done()
        await second
        assert len(database.rows()) == 2


async def test_a_cancelled_wait_does_not_disturb_the_others(database: Database) -> None:
    async with opened(database) as log:
        log.append(joined(1))
        gone, patient = (asyncio.create_task(log.wait(1)) for _ in range(2))
        await asyncio.sleep(0)
        gone.cancel()
        await patient


async def test_facts_appended_before_the_loop_runs_are_written_once_it_runs(database: Database) -> None:
    store = open_store(database.url)
    log = store.open_log()
    log.append(joined(1))
    log.flush_soon()
    store.attach(asyncio.get_running_loop())
    await log.wait(1)
    await store.close()
    assert len(database.rows()) == 1


async def test_closing_writes_the_waiting_facts(database: Database) -> None:
    async with opened(database) as log:
        log.append(joined(1))
    assert len(database.rows()) == 1


async def test_the_next_run_goes_on_counting(database: Database) -> None:
    async with opened(database) as log:
        await write(log, joined(1), joined(2))
    async with opened(database) as log:
        assert (log.last, log.durable) == (2, 2)
        assert log.append(joined(3)) == 3


async def test_closing_writes_facts_that_came_while_a_commit_seemed_stuck() -> None:
    group = module.GroupCommit(writer := OneForEach(), lambda: None)
    log, held = ClubLog(group, "main", last=0, numbers=FactCounter(0)), HeldCommits(group)
    group.attach(asyncio.get_running_loop())
    log.append(joined(1))
    group.write()
    log.append(joined(2))
    group._report("it has not answered for 5 s")
    closing = asyncio.create_task(group.close())
    await asyncio.sleep(0)
    held.go_on.set()
    await closing
    assert (log.durable, len(writer.written)) == (2, 2)


async def test_trouble_has_a_text_even_if_the_error_has_none() -> None:
    group = module.GroupCommit(writer := OneForEach(), lambda: None)

    async def failing(contents: Sequence[Content], *, again: bool) -> Sequence[str]:
        raise TimeoutError

    writer.write = failing  # type: ignore[method-assign]
    group.attach(asyncio.get_running_loop())
    ClubLog(group, "main", last=0, numbers=FactCounter(0)).append(joined(1))
    group.write()
    await group.wait_all()
    assert group.trouble == "TimeoutError"
    await group.close()


# --- a club with another leader ---


async def test_a_club_led_again_while_a_commit_hangs_gets_no_fact_of_its_fenced_log(database: Database) -> None:
    """The node lost the club, and took it back, so the next commit could have two logs of the club."""
    async with opened_store(database) as store:
        other, old = store.open_log(), store.open_log("go")
        listener, held = Listener(old), HeldCommits(store.group)
        other.append(joined(1))
        begin_write(other)
        waiting = asyncio.create_task(old.wait(old.append(joined(2))))
        await asyncio.sleep(0)
        old.fence()
        store.close_log("go")
        new = store.open_log("go")
        new.append(joined(3))
        old.append(joined(4))
        held.go_on.set()
        with pytest.raises(StoreError, match="another node leads the club go"):
            await waiting
        await new.wait(new.last)
        assert [[lead.partition("@")[0] for lead in each] for each in held.commits] == [["main"], ["go"]]
        assert (listener.batches, new.is_fenced) == ([], False)
        with closing(store.reader("go")) as reader:
            assert reader.tournament_facts("friday") == [joined(3)]


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


class OneForEach:
    """A writer that takes every commit, and refuses what another server leads."""

    def __init__(self, *fenced: str) -> None:
        self.fenced = fenced
        self.written: list[list[str]] = []

    async def write(self, contents: Sequence[Content], *, again: bool) -> Sequence[str]:
        self.written.append([lead_id(each) for each in contents])
        return [each for each in map(lead_id, contents) if each in self.fenced]

    async def close(self) -> None:
        pass


@pytest.mark.parametrize("epochs", [(1, 5), (5, 1)])
async def test_of_two_logs_of_a_club_a_commit_has_the_log_of_the_newer_epoch(epochs: tuple[int, int]) -> None:
    group = module.GroupCommit(writer := OneForEach("go@1"), lambda: None)
    logs = {each: ClubLog(group, "go", last=0, numbers=FactCounter(0), epoch=each) for each in epochs}
    group.attach(asyncio.get_running_loop())
    for each in logs.values():
        each.append(joined(1))
    await logs[5].wait(1)
    assert [logs[each].is_fenced for each in (1, 5)] == [True, False]
    assert [logs[each].durable for each in (1, 5)] == [0, 1]
    assert writer.written == [["go@5"]]
    await group.close()


# --- records of what is over ---


def committed(database: Database) -> tuple[bool, bool]:
    """Return true for each that is on disk: the end of the tournament, its record."""
    return database.rows("SELECT over FROM tournaments") == [(1,)], database.rows(
        "SELECT replace(id, 'main/', '') FROM ended"
    ) == [("friday",)]


async def test_a_record_is_in_the_same_commit_as_the_end_of_its_tournament(database: Database) -> None:
    async with opened(database) as log:
        await write(log, CREATED)
        seen = []
        log.on_durable.append(lambda _: seen.append(committed(database)))
        log.append(joined(2))
        begin_write(log)
        for number in range(3, 10):
            log.append(joined(number))
        log.append(ENDED)
        log.add_record(RECORD)
        log.append(joined(11))
        await group_of(log).wait_all()
        await write(log, joined(12))
        assert seen == [(False, False), (True, True), (True, True)]


@pytest.mark.usefixtures("impatient")
async def test_a_repeated_write_has_the_record_and_the_end_in_one_commit(database: Database) -> None:
    async with opened(database) as log:
        await write(log, CREATED)
        listener = Listener(log)
        with database.locked():
            log.append(joined(2))
            begin_write(log)
            log.append(ENDED)
            log.add_record(RECORD)
            assert await listener.trouble.get() is not None
            assert committed(database) == (False, False)
        await log.wait(log.last)
        assert committed(database) == (True, True)


async def test_a_record_without_facts_is_written_and_nobody_is_told_of_it(database: Database) -> None:
    async with opened(database) as log:
        await write(log, CREATED, ENDED)
        listener = Listener(log)
        log.add_record(RECORD)
        await group_of(log).wait_all()
        assert committed(database) == (True, True)
        assert (listener.batches, log.durable) == ([], 2)
    async with opened(database) as log:
        assert log.last == 2


async def test_closing_writes_a_record_and_leaves_a_later_record(database: Database) -> None:
    async with opened(database) as log:
        await write(log, CREATED, ENDED)
        log.add_record(RECORD)
    log.add_record(RECORD)
    await asyncio.sleep(2 * module.BATCH_S)
    assert committed(database) == (True, True)


# --- trouble ---


@pytest.mark.usefixtures("impatient")
async def test_while_the_disk_takes_nothing_facts_are_kept_and_none_is_announced(database: Database) -> None:
    async with opened(database) as log:
        listener = Listener(log)
        with database.locked():
            log.append(joined(1))
            assert database.refusal in str(await listener.trouble.get())
            log.append(joined(2))
            log.flush_soon()
            await group_of(log).wait_all()
            assert (listener.batches, log.durable, log.last, database.rows()) == ([], 0, 2, [])
            assert database.refusal in str(log.trouble)
        await log.wait(2)
        assert listener.facts == [(1, joined(1)), (2, joined(2))]
        assert (await listener.trouble.get(), log.trouble) == (None, None)


async def test_a_caller_that_waits_does_not_hurry_the_repetition_of_a_failed_commit(database: Database) -> None:
    async with opened(database) as log:
        listener = Listener(log)
        with database.locked():
            log.append(joined(1))
            assert await listener.trouble.get() is not None
        log.append(joined(2))
        log.flush_soon()
        await asyncio.sleep(20 * module.HURRIED_S)
        assert log.durable == 0


@pytest.mark.usefixtures("impatient")
async def test_facts_that_come_during_a_write_that_fails_keep_their_place(database: Database) -> None:
    async with opened(database) as log:
        listener = Listener(log)
        with database.locked():
            log.append(joined(1))
            begin_write(log)
            log.append(joined(2))
            assert await listener.trouble.get() is not None
        await log.wait(2)
        assert [fact for _, fact in listener.facts] == [joined(1), joined(2)]


@pytest.mark.usefixtures("impatient")
async def test_the_same_trouble_is_told_once(database: Database) -> None:
    async with opened(database) as log:
        listener = Listener(log)
        attempts = HeldCommits(group_of(log))
        attempts.go_on.set()
        with database.locked():
            log.append(joined(1))
            assert await listener.trouble.get() is not None
            await until(lambda: len(attempts.commits) > 4)
        await log.wait(1)
        assert await listener.trouble.get() is None
        assert listener.trouble.empty()


@pytest.mark.usefixtures("impatient")
async def test_a_batch_that_fails_half_way_is_written_whole_later(database: Database) -> None:
    async with opened(database) as log:
        listener = Listener(log)
        database.execute("ALTER TABLE tournaments RENAME TO hidden")
        log.append(CREATED)
        assert await listener.trouble.get() is not None
        assert database.rows() == [], "half a batch is on disk"
        database.execute("ALTER TABLE hidden RENAME TO tournaments")
        await log.wait(1)
        assert len(database.rows()) == 1


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


async def test_the_end_of_trouble_is_told_after_the_facts_that_it_held_up(database: Database) -> None:
    async with opened(database) as log:
        order: list[object] = []
        log.on_durable.append(lambda _: order.append("facts"))
        log.on_trouble.append(order.append)
        with database.locked():
            log.append(joined(1))
            begin_write(log)
            await group_of(log).wait_all()
        await log.wait(1)
        assert order[1:] == ["facts", None]


async def test_the_database_is_checked_again_after_a_check_that_fails(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WATCH_S", 0.01)
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
        listener, group = Listener(log), group_of(log)
        write_all, under_way, most = group.writer.write, 0, 0
        begun: asyncio.Queue[None] = asyncio.Queue()

        async def counted(contents: Any, *, again: bool) -> Any:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            begun.put_nowait(None)
            try:
                await asyncio.sleep(4 * module.RETRY_S)
                return await write_all(contents, again=again)
            finally:
                under_way -= 1

        group.writer.write = counted  # type: ignore[method-assign]
        log.on_trouble.append(lambda _: waiting.append(asyncio.ensure_future(log.wait(log.append(joined(9))))))
        log.on_trouble.append(lambda _: log.flush_soon())
        waiting: list[asyncio.Future[None]] = []
        with database.locked():
            log.append(joined(1))
            assert await listener.trouble.get() is not None
            for _ in range(3):
                await begun.get()
        await log.wait(1)
        await asyncio.gather(*waiting)
        assert most == 1
        assert [number for number, _ in listener.facts] == list(range(1, log.last + 1))


async def test_a_commit_that_is_not_answered_is_trouble(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STUCK_S", 0.05)
    monkeypatch.setattr(module, "WATCH_S", 0.01)
    async with opened(database) as log:
        listener, held = Listener(log), HeldCommits(group_of(log))
        log.append(joined(1))
        assert await listener.trouble.get() == "it has not answered for 0.05 s"
        assert listener.facts == []
        held.go_on.set()
        assert await listener.trouble.get() is None
        await log.wait(1)
