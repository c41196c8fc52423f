"""Versions of a bot's source, on a database of each kind."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from typing import Any

from rumble_server.store.log.reader import LogReader
from rumble_server.tournament.club_facts import VersionSaved
from rumble_server.tournament.versions import MOST_VERSIONS, next_version, visible

from tests.server.store.databases import Database, opened_store
from tests.server.store.test_clubs import fill, problems

COUNT = "SELECT count(*), sum(length(facts)) FROM log WHERE tournament LIKE '%@anna'"


@asynccontextmanager
async def opened_clubs(database: Database) -> AsyncIterator[Any]:
    """Yield the store of a running server with the open logs of two clubs."""
    async with opened_store(database) as store:
        for club in ("main", "a"):
            store.open_log(club)
        yield store


async def save(
    store: Any, source: str, bot: str = "Anna", club: str = "main", at_ms: int = 5, since_ms: int = 0
) -> None:
    with closing(store.reader(club)) as reader:
        store.log(club).append(next_version(reader.versions(bot), since_ms, bot, "python", source, at_ms))
    await store.wait_all()


def sources(reader: LogReader, bot: str = "anna", since_ms: int = 0) -> list[tuple[int, str]]:
    return [(each.number, each.source) for each in visible(reader.versions(bot), since_ms)]


async def test_the_newest_versions_of_each_bot_are_kept(database: Database) -> None:
    async with opened_clubs(database) as store:
        for number in range(1, MOST_VERSIONS + 4):
            await save(store, f"# {number}")
        await save(store, "# of berta", "berta")
        await save(store, "# of another club", club="a")
        with closing(store.reader()) as reader:
            assert sources(reader) == [(number, f"# {number}") for number in range(4, MOST_VERSIONS + 4)]
            assert sources(reader, "BERTA") == [(1, "# of berta")]
            assert reader.club_facts() == ([], {})
            assert reader.tournament_ids() == []
        with closing(store.reader("a")) as reader:
            assert sources(reader) == [(1, "# of another club")]


async def test_a_deleted_version_no_longer_counts_in_the_bytes_of_the_club(database: Database) -> None:
    async with opened_clubs(database) as store:
        for number in range(100, 105 + MOST_VERSIONS):
            await save(store, f"# {number}", club="a")
        kept, size = database.rows(COUNT)[0]
        with closing(store.reader("a")) as reader:
            assert (kept, reader.bytes(), store.log("a").bytes) == (MOST_VERSIONS, size, size)


async def test_a_new_owner_of_the_name_neither_sees_nor_keeps_older_versions(database: Database) -> None:
    async with opened_clubs(database) as store:
        await save(store, "# secret of the first", at_ms=5)
        with closing(store.reader()) as reader:
            assert sources(reader, since_ms=6) == []
        await save(store, "# of the second", at_ms=7, since_ms=6)
        with closing(store.reader()) as reader:
            assert sources(reader) == [(1, "# of the second")]
        assert database.rows(COUNT)[0][0] == 1


async def test_a_damaged_version_is_left_out(database: Database) -> None:
    async with opened_clubs(database) as store:
        for number in range(1, 4):
            await save(store, f"# {number}")
        database.execute("UPDATE log SET facts = replace(facts, '# 2', '# 9')")
        with closing(store.reader()) as reader:
            assert sources(reader) == [(1, "# 1"), (3, "# 3")]


async def test_verification_knows_versions(database: Database) -> None:
    async with opened_clubs(database) as store:
        await save(store, "# 1")
        await save(store, "# of another club", club="a")
    assert problems(database) == []
    database.execute("UPDATE log SET facts = replace(facts, '# 1', '# 9')")
    assert [each for each in problems(database) if "(versions of the bot anna) is damaged" in each]


async def test_a_start_reads_no_source(database: Database) -> None:
    async with opened_clubs(database) as store:
        await fill(store, ["main"])
        await save(store, "# 1")
    async with opened_clubs(database) as store:
        with closing(store.reader()) as reader:
            of_club = reader.club_facts()[0]
            rebuilding = [fact for each in reader.tournament_ids() for fact in reader.tournament_facts(each)]
            assert not any(isinstance(fact, VersionSaved) for fact in [*of_club, *rebuilding])
            assert sources(reader) == [(1, "# 1")]
