"""Group commit on each kind of database: announced facts are on disk, in order and once."""

import asyncio
from collections.abc import Sequence
from contextlib import closing

import pytest
from rumble_server.store.errors import StoreError
from rumble_server.store.log import group_commit as module
from rumble_server.store.log.club_log import ClubLog, FactCounter
from rumble_server.store.log.content import Content, lead_id
from rumble_server.store.open import open_store
from rumble_server.tournament.club_facts import NameUsed
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import TournamentCreated, TournamentEnded

from tests.server.failing import fail
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
        await log.wait(1)


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


async def test_a_listener_that_fails_is_logged_and_keeps_nobody_else_from_being_told(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(database) as log:
        listener, heard = Listener(log), list[object]()
        log.on_durable.insert(0, fail)
        log.on_sizes += [fail, lambda _: heard.append("sizes")]
        log.on_fenced += [fail, lambda: heard.append("fenced")]
        for number in (1, 2):
            await log.wait(log.append(joined(number)))
        log.fence()
        assert [number for number, _ in listener.facts] == [1, 2]
        assert heard == ["sizes", "sizes", "fenced"]
    failures = [record.getMessage().removeprefix("club main: ") for record in caplog.records if record.exc_info]
    assert [failures[0], *failures[-2:]] == [
        "what follows from the facts up to 1 failed",
        "what follows from the sizes of rows failed",
        "what follows from the lead of another server failed",
    ]


async def test_a_batch_is_one_row_for_each_tournament_and_kind(database: Database) -> None:
    async with opened(database) as log:
        name = NameUsed("ann", None, None, 0)
        await write(log, joined(1, "friday"), joined(2, "monday"), name, joined(4, "friday"))
        assert database.rows() == [(1, "friday", 0), (2, "monday", 0), (3, "", 1)]


async def test_facts_are_written_though_nobody_waits_for_them(database: Database) -> None:
    async with opened(database) as log:
        held = HeldCommits(group_of(log))
        log.append(joined(1))
        await until(lambda: held.commits)
        log.append(joined(2))
        held.go_on.set()
        await until(lambda: log.durable == 2)
        assert len(database.rows()) == 2


async def test_a_caller_that_asks_during_a_commit_hurries_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_S", 60.0)
    writer = OneForEach()
    group = writer.group
    first, second = (ClubLog(group, club, last=0, numbers=FactCounter(0)) for club in ("chess", "go"))
    written = asyncio.Event()
    second.on_durable.append(lambda _: written.set())
    group.attach(asyncio.get_running_loop())
    first.append(joined(1))
    group.write()
    second.append(joined(1))
    second.flush_soon()
    async with asyncio.timeout(5):
        await written.wait()
    assert len(writer.written) == 2
    await group.close()


async def test_waiting_for_all_facts_begins_a_commit_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_S", 60.0)
    monkeypatch.setattr(module, "HURRIED_S", 60.0)
    group = OneForEach().group
    log = ClubLog(group, "main", last=0, numbers=FactCounter(0))
    group.attach(asyncio.get_running_loop())
    log.append(joined(1))
    async with asyncio.timeout(5):
        await group.wait_all()
    assert log.durable == 1
    await group.close()


async def test_a_fact_that_comes_during_a_write_goes_with_the_next(database: Database) -> None:
    async with opened(database) as log:
        listener = Listener(log)
        log.append(joined(1))
        begin_write(log)
        second = asyncio.create_task(log.wait(log.append(joined(2))))
        await log.wait(1)
        assert not second.done()
        await second
        assert [[number for number, _ in batch] for batch in listener.batches] == [[1], [2]]


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


async def test_closing_writes_facts_that_came_while_a_commit_seemed_stuck() -> None:
    writer = OneForEach()
    group = writer.group
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


class OneForEach:
    """A writer that takes every commit, and refuses what another server leads."""

    def __init__(self, *fenced: str) -> None:
        self.group = module.GroupCommit(self, lambda: None)  # type: ignore[arg-type]
        self.fenced = fenced
        self.written: list[list[str]] = []

    async def write(self, contents: Sequence[Content], *, again: bool) -> Sequence[str]:
        self.written.append([lead_id(each) for each in contents])
        return [each for each in map(lead_id, contents) if each in self.fenced]

    async def close(self) -> None:
        pass


@pytest.mark.parametrize("epochs", [(1, 5), (5, 1)])
async def test_of_two_logs_of_a_club_a_commit_has_the_log_of_the_newer_epoch(epochs: tuple[int, int]) -> None:
    writer = OneForEach("go@1")
    group = writer.group
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


async def test_closing_writes_a_record_without_facts_and_nobody_is_told_of_it(database: Database) -> None:
    async with opened(database) as log:
        await write(log, CREATED, ENDED)
        listener = Listener(log)
        log.add_record(RECORD)
    assert committed(database) == (True, True)
    assert (listener.batches, log.durable) == ([], 2)
    log.add_record(RECORD)
    assert group_of(log)._timer is None, "after the end nothing is written"
    async with opened(database) as log:
        assert log.last == 2
