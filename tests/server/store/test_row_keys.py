"""All clubs share an SQLite file, and each sees only itself, even where names overlap."""

from contextlib import closing
from pathlib import Path

import pytest
from rumble_server.store.care.damage import verify
from rumble_server.store.care.repair import CLUB_FACTS_LOST, repair
from rumble_server.store.errors import Pruned, StoreError
from rumble_server.store.row_keys import prefix_of, split
from rumble_server.store.sqlite.match_index import bytes_of
from rumble_server.store.sqlite.pruning import prune
from rumble_server.store.sqlite.schema import open_database
from rumble_server.tournament.club_facts import NameUsed

from tests.server.store.disk import joined, opened_store, rows, write
from tests.server.store.played import change, cut, execute
from tests.server.store.test_clubs import MATCH, fill, name_of


def test_main_has_no_prefix_and_the_others_their_name() -> None:
    assert [prefix_of(club) for club in ("main", "a-b")] == ["", "a-b/"]
    assert [split(key) for key in ("friday", "", "a-b/friday", "a-b/")] == [
        ("main", "friday"),
        ("main", ""),
        ("a-b", "friday"),
        ("a-b", ""),
    ]


async def test_the_rows_of_a_club_have_its_name_and_those_of_main_have_none(path: Path) -> None:
    async with opened_store(path) as store:
        for club in ("main", "go"):
            log = store.open_log(club)
            log.append(name_of(club))
            log.append(joined(1))
        await store.wait_all()
    assert sorted(str(row[1]) for row in rows(path)) == ["", "friday", "go/", "go/friday"]
    assert b"go/" not in b"".join(str(row[0]).encode() for row in rows(path, "SELECT facts FROM log"))


async def test_a_club_that_is_opened_later_counts_on_from_all(path: Path) -> None:
    async with opened_store(path) as store:
        await write(store.open_log("go"), joined(1), joined(2))
    async with opened_store(path) as store:
        await write(store.open_log(), joined(3))
        log = store.open_log("go")
        assert log is store.log("go")
        assert log.last == log.durable == 3
        assert log.append(joined(4)) == 4


# --- bytes ---


async def test_bytes_of_other_clubs_and_free_bytes_do_not_count_for_main(path: Path) -> None:
    async def bytes_at_a_start() -> tuple[int, int]:
        async with opened_store(path) as store:
            return store.open_log().bytes, store.open_log("big").bytes

    long = "x" * 100_000
    empty, _ = await bytes_at_a_start()
    assert empty < 100_000
    async with opened_store(path) as store:
        log = store.open_log("big")
        for _ in range(10):
            await write(log, NameUsed(long, None, None, 0))
    alone, of_big = await bytes_at_a_start()
    assert of_big > 1_000_000
    assert abs(alone - empty) < 50_000
    async with opened_store(path) as store:
        log = store.open_log()
        for _ in range(10):
            await write(log, NameUsed(long, None, None, 0))
    assert 950_000 < (await bytes_at_a_start())[0] - alone < 1_100_000
    pages = rows(path, "PRAGMA page_count")
    execute(path, "DELETE FROM log WHERE instr(tournament, '/') = 0")
    assert rows(path, "PRAGMA page_count") == pages, "the file keeps its size"
    assert abs((await bytes_at_a_start())[0] - alone) < 50_000


async def test_pruning_one_club_leaves_the_others_and_lowers_its_sum(path: Path) -> None:
    async with opened_store(path) as store:
        await fill(store, ["main", "a", "ab"])
        before = {club: store.log(club).bytes for club in ("a", "ab")}
    for club, known in before.items():
        assert rows(path, f"SELECT sum(length(facts)) FROM log WHERE tournament LIKE '{club}/%'") == [(known,)]
    tournaments, deleted = prune(str(path), 1 << 60, "a")
    assert tournaments == 2
    assert deleted > 0
    with closing(open_database(str(path))) as database:
        assert bytes_of(database, "ab") == before["ab"]
        left = database.execute("SELECT sum(length(facts)) FROM log WHERE tournament LIKE 'a/%'").fetchone()[0]
        assert bytes_of(database, "a") == left < before["a"]
    async with opened_store(path) as store:
        with closing(store.reader("a")) as reader, pytest.raises(Pruned):
            reader.match_facts(MATCH)
        for club in ("main", "ab"):
            with closing(store.reader(club)) as reader:
                assert reader.match_facts(MATCH) != []
    assert prune(str(path), 1 << 60)[0] == 4
    with pytest.raises(StoreError, match="there is no club nobody in"):
        prune(str(path), 1 << 60, "nobody")


# --- damage ---


async def test_damage_is_told_with_its_club_and_mended_there(path: Path) -> None:
    async with opened_store(path) as store:
        await fill(store, ["main", "a", "ab"])
    assert verify(str(path)).problems == []
    for (number,) in rows(path, "SELECT number FROM log WHERE tournament = 'a/'"):
        change(path, cut, int(str(number)))
    problems = verify(str(path)).problems
    assert [each for each in problems if "names, hosts and bans of the club a)" in each] == problems != []
    done = repair(str(path), str(path.with_name("backup.db")), 7)
    assert done[2:] == [f"names, hosts and bans of the club a: {line}" for line in CLUB_FACTS_LOST]
    assert verify(str(path)).problems == []
    async with opened_store(path) as store:
        with closing(store.reader("a")) as reader:
            assert len(reader.club_facts()[1]) == len(problems)
            assert reader.match_facts(MATCH) != []
        of_ab = rows(path, "SELECT sum(length(facts)) FROM log WHERE tournament LIKE 'ab/%'")
        assert of_ab == [(store.open_log("ab").bytes,)]


async def test_a_database_of_one_club_is_as_it_was(path: Path) -> None:
    """The file has only the rows that main always had: no sums of bytes, no keys with a slash."""
    async with opened_store(path) as store:
        await fill(store, ["main"])
    assert rows(path, "SELECT key FROM meta") == [("indexed",)]
    assert rows(path, "SELECT count(*) FROM matches WHERE instr(id, '/')") == [(0,)]
