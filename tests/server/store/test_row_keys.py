"""All clubs share an SQLite file, and each sees only itself, even where names overlap."""

from contextlib import closing
from pathlib import Path

from rumble_server.store.care.damage import verify
from rumble_server.store.care.repair import CLUB_FACTS_LOST, repair
from rumble_server.store.row_keys import prefix_of, readable, split

from tests.server.store.databases import opened_store
from tests.server.store.disk import joined, rows, write
from tests.server.store.played import change, cut
from tests.server.store.test_clubs import MATCH, fill


def test_the_prefix_of_a_club_is_its_name_and_people_write_no_main() -> None:
    assert [prefix_of(club) for club in ("main", "a-b")] == ["main/", "a-b/"]
    assert [split(key) for key in ("main/friday", "a-b/friday", "a-b/")] == [
        ("main", "friday"),
        ("a-b", "friday"),
        ("a-b", ""),
    ]
    assert [readable(key) for key in ("main/friday", "a-b/friday")] == ["friday", "a-b/friday"]


async def test_a_club_that_is_opened_later_counts_on_from_all(path: Path) -> None:
    async with opened_store(path) as store:
        await write(store.open_log("go"), joined(1), joined(2))
    async with opened_store(path) as store:
        await write(store.open_log(), joined(3))
        log = store.open_log("go")
        assert log is store.log("go")
        assert log.last == log.durable == 3
        assert log.append(joined(4)) == 4


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
