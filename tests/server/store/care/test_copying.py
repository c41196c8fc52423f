"""`rumble db copy`: everything or nothing goes to the other kind of database, and no turn id comes twice."""

from contextlib import closing
from pathlib import Path

import pytest
from rumble_server.store.care.copying import copy_database
from rumble_server.store.errors import StoreError
from rumble_server.store.log.copied import last_fact
from rumble_server.store.open import open_store
from rumble_server.store.sqlite.lock import DatabaseLock
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.store.sqlite.store import SqliteStore
from rumble_server.tournament.club_facts import VersionSaved

from tests.needs import need_module
from tests.postgres.cluster import run
from tests.server.store.databases import opened_store
from tests.server.store.disk import next_run, rows, shut
from tests.server.store.played import execute
from tests.server.store.test_clubs import MATCH, fill

need_module("psycopg", "postgres")
from rumble_server.store.care.postgres_damage import verify  # noqa: E402
from rumble_server.store.postgres.copying import PostgresContents  # noqa: E402

pytestmark = pytest.mark.e2e
NOW_MS = 1_000_000
CLUBS = ["main", "a", "ab"]


async def played(path: Path, clubs: list[str]) -> None:
    async with opened_store(path) as store:
        await fill(store, clubs)
        for club in clubs:
            store.put("identity", f"of {club}", club)
            store.log(club).append(VersionSaved("anna", 1, "python", f"# of {club}", NOW_MS))
        await store.wait_all()
        store.run_number_of()


def is_empty(url: str) -> bool:
    there = run(url, "SELECT to_regclass('log') IS NOT NULL")[0][0]
    return not there or run(url, "SELECT count(*) FROM log UNION SELECT count(*) FROM clubs") == [(0,)]


async def test_all_clubs_go_to_postgresql(path: Path, postgres_url: str) -> None:
    await played(path, CLUBS)
    count = len(rows(path))
    assert copy_database(f"sqlite:///{path}", postgres_url, NOW_MS) == (3, count)
    assert verify(postgres_url).problems == []
    old, new = SqliteStore(str(path)), open_store(postgres_url)
    for club in CLUBS:
        with closing(old.reader(club)) as before, closing(new.reader(club)) as after:
            for ask in ("tournament_facts", "first_facts"):
                assert getattr(after, ask)("friday") == getattr(before, ask)("friday") != []
            assert after.match_facts(MATCH) == before.match_facts(MATCH) != []
            assert after.club_facts() == before.club_facts()
            assert after.ended(["friday", "monday"]) == before.ended(["friday", "monday"]) != {}
            assert after.ended_ids(9, listed=True) == before.ended_ids(9, listed=True) == ["monday", "friday"]
            assert after.neighbours(MATCH) == before.neighbours(MATCH)
            assert after.versions("anna") == before.versions("anna") != []
        assert (new.get("identity", club), new.get("runs", club)) == (f"of {club}", None)
        assert new.open_log(club).epoch > NOW_MS
        texts = [str(text) for (text,) in rows(path, f"SELECT facts FROM log WHERE tournament LIKE '{club}/%'")]
        assert new.log(club).last == max(map(last_fact, texts))
        assert new.log(club).bytes == old.open_log(club).bytes
    await new.close()
    shut(old)


async def test_a_copy_begins_above_every_run_and_epoch(path: Path, postgres_url: str) -> None:
    await played(path, ["main"])
    execute(path, "UPDATE meta SET value = '2000000' WHERE key = 'main/runs'")
    copy_database(str(path), postgres_url, NOW_MS)
    assert run(postgres_url, "SELECT club, epoch, node FROM clubs") == [("main", 2_000_000, None)]
    run(postgres_url, "UPDATE clubs SET epoch = 3000000")
    back = path.with_name("back.db")
    copy_database(postgres_url, str(back), NOW_MS)
    assert next_run(back) == 3_000_001


async def test_main_alone_goes_back_to_a_file(path: Path, postgres_url: str) -> None:
    await played(path, ["main"])
    copy_database(str(path), postgres_url, NOW_MS)
    back = path.with_name("back.db")
    assert copy_database(postgres_url, str(back), NOW_MS) == (1, len(rows(path)))
    for query in ("SELECT * FROM log", "SELECT * FROM ended ORDER BY id", "SELECT * FROM tournaments"):
        assert rows(back, query) == rows(path, query) != []
    with closing(read_sqlite(str(path))) as one, closing(read_sqlite(str(back))) as other:
        assert one.match_facts(MATCH) == other.match_facts(MATCH) != []
    with pytest.raises(StoreError, match=r"back.db exists; choose another name"):
        copy_database(postgres_url, str(back))
    run(postgres_url, "INSERT INTO clubs (club) VALUES ('go')")
    with pytest.raises(StoreError, match="only a database with no club but main can be copied to a file"):
        copy_database(postgres_url, str(path.with_name("other.db")))
    assert not path.with_name("other.db").exists()


async def test_a_database_that_has_one_of_the_clubs_is_left_as_it_is(path: Path, postgres_url: str) -> None:
    await played(path, ["main", "a"])
    store = open_store(postgres_url)
    store.put("identity", "another", "a")
    await store.close()
    with pytest.raises(StoreError, match="has the club a already; nothing is copied"):
        copy_database(str(path), postgres_url)
    assert is_empty(postgres_url)


@pytest.mark.parametrize("harm", ["facts = substr(facts, 1, 20)", "tournament = replace(tournament, '/', '.')"])
async def test_a_damaged_database_is_not_copied(path: Path, postgres_url: str, harm: str) -> None:
    await played(path, ["main", "a"])
    execute(path, f"UPDATE log SET {harm} WHERE number = ?", rows(path)[-1][0])
    with pytest.raises(StoreError, match="of the log is damaged; `rumble db repair` first"):
        copy_database(str(path), postgres_url)
    assert is_empty(postgres_url)


@pytest.mark.parametrize("what", ["log", "tournaments", "records", "values"])
async def test_a_copy_that_differs_is_undone(
    path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    await played(path, ["main"])
    read = getattr(PostgresContents, what)
    monkeypatch.setattr(PostgresContents, what, lambda self, club: list(read(self, club))[:-1])
    with pytest.raises(StoreError, match="is not the same in the copy; nothing is copied"):
        copy_database(str(path), postgres_url)
    assert is_empty(postgres_url)


async def test_a_database_in_use_is_not_copied(path: Path, postgres_url: str) -> None:
    await played(path, ["main"])
    held = DatabaseLock(str(path))
    with pytest.raises(StoreError, match="another server is running on the database"):
        copy_database(str(path), postgres_url)
    held.release()
    copy_database(str(path), postgres_url)
    run(postgres_url, "INSERT INTO nodes (id, address, until, setup) VALUES ('1', 'http://b', now() + '1 day', '')")
    with pytest.raises(StoreError, match=r"a node is running on postgresql://.*: http://b"):
        copy_database(postgres_url, str(path.with_name("back.db")))


def test_a_copy_to_the_same_kind_is_refused_with_the_right_command(path: Path, postgres_url: str) -> None:
    with pytest.raises(StoreError, match="`rumble db backup` copies one"):
        copy_database(str(path), "other.db")
    with pytest.raises(StoreError, match="pg_dump copies one"):
        copy_database(postgres_url, postgres_url)
    with pytest.raises(StoreError, match="is not a database of Rumble"):
        copy_database(postgres_url, str(path))
