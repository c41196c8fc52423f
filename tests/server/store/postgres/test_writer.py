"""A commit in PostgreSQL: written under the epoch or not at all, and once, even over a broken connection."""

import asyncio
import os
import sys
import threading
import time

import pytest
from rumble_server.store.errors import StoreError
from rumble_server.store.log.content import Content

from tests.needs import need_module
from tests.postgres.cluster import run, through
from tests.postgres.proxy import Fate, Proxy
from tests.server.store.databases import PostgresDatabase, opened_store
from tests.server.store.disk import Listener, batch_of, joined, pid, write
from tests.waiting import until_true

need_module("psycopg", "postgres")
from rumble_server.store.postgres.connection import PostgresConnection  # noqa: E402
from rumble_server.store.postgres.writer import Commits  # noqa: E402

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("impatient")]


def content(club: str, *numbers: int, epoch: int = 1) -> Content:
    return batch_of(numbers[0], *map(joined, numbers)).content(club, numbers[0] - 1, epoch)


def logged(url: str) -> list[tuple[object, ...]]:
    return run(url, "SELECT club, number FROM log ORDER BY club, number")


def test_a_club_that_somebody_else_leads_is_fenced_and_the_others_are_written(
    connection: PostgresConnection, postgres_url: str
) -> None:
    assert Commits(connection).commit([content("main", 1), content("go", 1)], again=False) == []
    run(postgres_url, "UPDATE clubs SET epoch = 2 WHERE club = 'go'")
    for again in (False, True):
        assert Commits(connection).commit([content("main", 2 + again), content("go", 2)], again) == ["go@1"]
    assert Commits(connection).commit([content("nobody", 1)], again=False) == ["nobody@1"]
    assert logged(postgres_url) == [("go", 1), ("main", 1), ("main", 2), ("main", 3)]
    assert run(postgres_url, "SELECT club, last FROM clubs ORDER BY club") == [("go", 1), ("main", 3)]


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("number", [1, 2])
def test_of_two_contents_of_a_club_only_the_content_under_its_epoch_is_written(
    connection: PostgresConnection, postgres_url: str, number: int, again: bool
) -> None:
    stale, new = content("go", number, number + 1, epoch=1), content("go", 1, epoch=5)
    stale["created"], stale["over"], stale["ended"] = [("old", True)], ["friday"], [("old", "{}")]
    run(postgres_url, "UPDATE clubs SET epoch = 5 WHERE club = 'go'")
    assert Commits(connection, index_s=0).commit([stale, new], again) == ["go@1"]
    assert run(postgres_url, "SELECT club, number, facts FROM log") == [("go", 1, new["log"][0][3])]
    assert run(postgres_url, "SELECT id FROM tournaments UNION SELECT id FROM ended") == []
    assert run(postgres_url, "SELECT last, epoch FROM clubs WHERE club = 'go'") == [(1, 5)]


@pytest.mark.parametrize("again", [False, True])
def test_a_batch_that_is_written_already_is_not_written_twice(
    connection: PostgresConnection, postgres_url: str, again: bool
) -> None:
    both = [content("main", 1, 2), content("go", 1)]
    assert Commits(connection).commit(both, again=False) == []
    before = run(postgres_url, "SELECT * FROM clubs ORDER BY club")
    assert Commits(connection).commit(both, again) == []
    assert Commits(connection).commit([content("go", 2), both[0]], again) == []
    assert run(postgres_url, "SELECT * FROM clubs WHERE club = 'main'") == before[1:]
    assert logged(postgres_url) == [("go", 1), ("go", 2), ("main", 1)]


def test_a_log_that_somebody_wrote_under_the_same_epoch_is_an_error(
    connection: PostgresConnection, postgres_url: str
) -> None:
    assert Commits(connection).commit([content("main", 1, 2)], again=False) == []
    with pytest.raises(StoreError, match="the log of main does not go on where it ended"):
        Commits(connection).commit([content("main", 2, 3)], again=False)
    assert logged(postgres_url) == [("main", 1)]


@pytest.mark.parametrize("lost", ["last = 1", "last = 3, epoch = 0", "last = 1, epoch = 2"])
def test_a_database_that_has_gone_back_has_every_node_start_again(
    connection: PostgresConnection, postgres_url: str, lost: str
) -> None:
    """This happens when a standby without the newest commits has taken the database's place."""
    run(postgres_url, "INSERT INTO nodes VALUES ('a', 'http://a', now() + interval '1 day', false, '')")
    run(postgres_url, "UPDATE clubs SET node = 'a'")
    commits = Commits(connection)
    assert commits.commit([content("main", 1, 2), content("go", 1)], again=False) == []
    run(postgres_url, f"UPDATE clubs SET {lost} WHERE club = 'main'")
    before_ms = time.time() * 1000
    assert commits.commit([content("main", 3), content("go", 2)], again=False) == ["main@1"]
    assert run(postgres_url, "SELECT * FROM nodes") == []
    assert all(node is None and epoch > before_ms for node, epoch in run(postgres_url, "SELECT node, epoch FROM clubs"))
    assert commits.commit([content("go", 3)], again=False) == ["go@1"]
    assert logged(postgres_url) == [("go", 1), ("go", 2), ("main", 1)]


def test_the_late_statement_of_an_old_leader_writes_nothing(connection: PostgresConnection, postgres_url: str) -> None:
    """The old leader's statement waits for the row that its successor updates, and then finds the new epoch there."""
    import psycopg

    with psycopg.connect(postgres_url) as successor:
        successor.execute("UPDATE clubs SET epoch = epoch + 1 WHERE club = 'main'")
        fenced: list[list[str]] = []
        thread = threading.Thread(target=lambda: fenced.append(Commits(connection).commit([content("main", 1)], False)))
        thread.start()
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ '^WITH led'"
        while run(postgres_url, waiting) == [(0,)]:
            assert thread.is_alive()
        successor.commit()
        thread.join()
    assert fenced == [["main@1"]]
    assert logged(postgres_url) == []


# --- a connection that is lost in a commit ---


@pytest.mark.parametrize("fate", list(Fate))
async def test_a_commit_whose_connection_is_lost_is_written_and_told_once(
    postgres_url: str, between: Proxy, fate: Fate
) -> None:
    async with opened_store(PostgresDatabase(through(postgres_url, between.port))) as store:
        log = store.open_log()
        listener = Listener(log)
        await write(log, joined(1))
        cut = between.cut_by(lambda sent: b"bot-2" in sent, fate)
        log.append(joined(2))
        log.append(joined(3))
        waiting = asyncio.create_task(log.wait(3))
        assert await listener.trouble.get() is not None
        log.append(joined(4))
        if fate is Fate.LATE:
            await waiting
            cut.release()
        await log.wait(4)
        assert listener.facts == [(number, joined(number)) for number in (1, 2, 3, 4)]
        batches = [[number for number, _ in batch] for batch in listener.batches]
        assert batches == [[1], [2, 3], [4]], "nothing is merged into what may be written"
    assert logged(postgres_url) == [("main", 1), ("main", 2), ("main", 4)]


async def test_a_batch_of_unknown_fate_whose_club_was_taken_over_is_fenced(postgres_url: str, between: Proxy) -> None:
    async with opened_store(PostgresDatabase(through(postgres_url, between.port))) as store:
        log = store.open_log()
        listener, fenced = Listener(log), []
        log.on_fenced.append(lambda: fenced.append(log.durable))
        await write(log, joined(1))
        between.cut_by(lambda sent: b"bot-2" in sent, Fate.DONE)
        log.append(joined(2))
        waiting = asyncio.create_task(log.wait(2))
        assert await listener.trouble.get() is not None
        run(postgres_url, "UPDATE clubs SET epoch = epoch + 1")
        with pytest.raises(StoreError, match="another node leads the club main"):
            await waiting
        assert (fenced, log.is_fenced, log.durable) == ([1], True, 1)
        log.append(joined(3))
        log.flush_soon()
        with pytest.raises(StoreError, match="another node leads"):
            await log.wait(3)
        await store.wait_all()
        assert listener.facts == [(1, joined(1))]
        again = store.open_led_log("main", log.epoch + 1)
        assert (again.last, again.epoch) == (2, log.epoch + 1), (
            "what was written nevertheless is what the next leader goes on from"
        )
        await write(again, joined(3))
    assert [number for _, number in logged(postgres_url)] == [1, 2, 3]


# --- the program ---


async def test_the_program_writes_and_its_command_line_has_no_password(postgres_url: str) -> None:
    async with opened_store(PostgresDatabase(postgres_url), in_process=False) as store:
        log = store.open_log()
        listener = Listener(log)
        await write(log, joined(1))
        words = _command_of(pid(store.writer))
        assert words[0] == sys.executable
        assert not any("postgresql://" in word for word in words)
        store.writer.child.kill()
        await write(log, joined(2))
        assert listener.facts == [(1, joined(1)), (2, joined(2))]
    assert logged(postgres_url) == [("main", 1), ("main", 2)]


async def test_the_program_is_there_and_connected_before_the_first_commit(postgres_url: str) -> None:
    connected = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query = 'SELECT'"
    async with opened_store(PostgresDatabase(postgres_url), in_process=False) as store:
        command, store.writer.command = store.writer.command, ["/nowhere"]
        with pytest.raises(StoreError, match=r"what writes postgresql://.* cannot be started: .*nowhere"):
            await store.start_writer()
        store.writer.command = command
        await asyncio.gather(store.start_writer(), store.start_writer())
        writer = pid(store.writer)
        await until_true(lambda: run(postgres_url, connected) == [(1,)])
        await write(store.open_log(), joined(1))
        assert pid(store.writer) == writer


def _command_of(pid: int) -> list[str]:
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return [os.fsdecode(word) for word in file.read().split(b"\0")]


async def test_a_writer_without_an_answer_is_killed_and_the_next_goes_on(
    postgres_url: str, between: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened_store(PostgresDatabase(through(postgres_url, between.port)), in_process=False) as store:
        log = store.open_log()
        listener = Listener(log)
        await write(log, joined(1))
        monkeypatch.setattr(store.group.writer, "patience_s", 0.05)
        between.hold("to_client")
        log.append(joined(2))
        assert "the database has not answered for 0.05 s" in str(await listener.trouble.get())
        monkeypatch.setattr(store.group.writer, "patience_s", 10.0)
        between.flow()
        await log.wait(2)
        assert listener.facts == [(1, joined(1)), (2, joined(2))]
    assert logged(postgres_url) == [("main", 1), ("main", 2)]
