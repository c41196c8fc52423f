"""All clubs share an SQLite file, and each sees only itself, even where names overlap."""

from contextlib import closing
from pathlib import Path

import pytest
from rumble_server.store.care.damage import verify
from rumble_server.store.care.repair import CLUB_FACTS_LOST, repair
from rumble_server.store.errors import Pruned, StoreError
from rumble_server.store.row_keys import prefix_of, readable, split
from rumble_server.store.sqlite.match_index import bytes_of
from rumble_server.store.sqlite.pruning import prune
from rumble_server.store.sqlite.schema import open_database
from rumble_server.tournament.club_facts import NameUsed

from tests.server.store.disk import joined, opened_store, rows, write
from tests.server.store.played import change, cut
from tests.server.store.test_clubs import MATCH, fill, name_of


def test_the_prefix_of_a_club_is_its_name_and_people_write_no_main() -> None:
    assert [prefix_of(club) for club in ("main", "a-b")] == ["main/", "a-b/"]
    assert [split(key) for key in ("main/friday", "a-b/friday", "a-b/")] == [
        ("main", "friday"),
        ("a-b", "friday"),
        ("a-b", ""),
    ]
    assert [readable(key) for key in ("main/friday", "a-b/friday")] == ["friday", "a-b/friday"]


async def test_the_rows_of_a_club_have_its_name(path: Path) -> None:
    async with opened_store(path) as store:
        for club in ("main", "go"):
            log = store.open_log(club)
            log.append(name_of(club))
            log.append(joined(1))
        await store.wait_all()
    keys = rows(path, "SELECT tournament FROM log ORDER BY tournament")
    assert keys == [("go/",), ("go/friday",), ("main/",), ("main/friday",)]
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


async def test_the_bytes_of_a_club_are_those_of_its_rows_at_a_start_too(path: Path) -> None:
    long = NameUsed("x" * 100_000, None, None, 0)
    async with opened_store(path) as store:
        await write(store.open_log("big"), *[long] * 10)
        await write(store.open_log(), long)
        known = [store.log(club).bytes for club in ("big", "main")]
    assert [known[0] // 1000, known[1] // 1000] == [1000, 100]
    async with opened_store(path) as store:
        assert [store.open_log(club).bytes for club in ("big", "main")] == known


async def test_pruning_one_club_leaves_the_others_and_lowers_its_sum(path: Path) -> None:
    async with opened_store(path) as store:
        await fill(store, ["main", "a", "ab"])
        before = {club: store.log(club).bytes for club in ("main", "a", "ab")}
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
