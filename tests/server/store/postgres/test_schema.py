"""The tables: made once, by the first server, and never by an older program.

`versions/vN.sql` is a dump of a database of version N in which two clubs have played, without comments and settings:
`pg_dump --rows-per-insert=50 --no-owner --no-privileges`.
"""

import threading
from contextlib import closing
from pathlib import Path

import pytest
from rumble_server.match.facts import MatchOver
from rumble_server.store.errors import StoreError

from tests.needs import need_module
from tests.postgres.cluster import Cluster, run

need_module("psycopg", "postgres")
from rumble_server.store.postgres import schema  # noqa: E402
from rumble_server.store.postgres.care import verify  # noqa: E402
from rumble_server.store.postgres.connection import Connection  # noqa: E402
from rumble_server.store.postgres.schema import MIGRATIONS, prepare, version_of  # noqa: E402
from rumble_server.store.postgres.store import PostgresStore  # noqa: E402

pytestmark = pytest.mark.e2e
VERSIONS = Path(__file__).with_name("versions")
COLUMNS = """SELECT table_name, column_name, data_type, collation_name, is_nullable, column_default, is_identity
             FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position"""
INDEXES = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"
NEXT = "ALTER TABLE clubs ADD COLUMN seen text NOT NULL DEFAULT 'no'"


def load(url: str, version: int) -> None:
    """Load the database of a version into an empty database."""
    run(url, (VERSIONS / f"v{version}.sql").read_text(encoding="utf-8"))


def begin(url: str) -> None:
    """Prepare the tables as a starting server does."""
    with closing(Connection(url)) as connection:
        prepare(connection)


def test_of_servers_that_start_at_once_one_makes_the_tables(postgres_url: str) -> None:
    assert begin_at_once(postgres_url) == []
    assert run(postgres_url, "SELECT version FROM rumble_version") == [(len(MIGRATIONS),)]


def begin_at_once(url: str) -> list[StoreError]:
    """Start four servers at once, and return their errors."""
    problems: list[StoreError] = []

    def start() -> None:
        try:
            begin(url)
        except StoreError as error:
            problems.append(error)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return problems


def test_an_old_release_of_postgresql_is_refused_in_one_line(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "OLDEST", 999)
    with pytest.raises(StoreError, match=r"test_\d+ is in PostgreSQL \d\d; Rumble needs 999 or later"):
        begin(postgres_url)
    assert run(postgres_url, "SELECT to_regclass('log')") == [(None,)]


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_of_another_encoding_is_refused_in_one_line(postgres: Cluster, encoding: str) -> None:
    name = f"in_{encoding.lower()}"
    postgres.run(f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0")
    with pytest.raises(StoreError, match=f"/{name} has the encoding {encoding}; Rumble needs UTF8$"):
        begin(postgres.url(name))


def test_a_newer_database_is_refused_in_one_line(postgres_url: str) -> None:
    with closing(Connection(postgres_url)) as connection:
        assert version_of(connection) == 0
        prepare(connection)
        run(postgres_url, "UPDATE rumble_version SET version = 99")
        with pytest.raises(StoreError, match="was written by a newer Rumble: its version is 99"):
            prepare(connection)


def test_a_database_with_tables_of_others_is_left_as_it_was(postgres_url: str) -> None:
    run(postgres_url, "CREATE TABLE log (what text)")
    with closing(Connection(postgres_url)) as connection:
        with pytest.raises(StoreError, match='"log" already exists'):
            prepare(connection)
        assert version_of(connection) == 0
    assert run(postgres_url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(1,)]


# --- databases of earlier versions ---


def test_there_is_one_of_each_version() -> None:
    assert sorted(each.stem for each in VERSIONS.iterdir()) == [f"v{n}" for n in range(1, len(MIGRATIONS) + 1)]


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS) + 1))
def test_one_of_each_version_becomes_what_a_new_one_is(postgres: Cluster, postgres_url: str, version: int) -> None:
    load(postgres_url, version)
    begin(postgres_url)
    begin(new := postgres.database())
    for query in (COLUMNS, INDEXES):
        assert run(postgres_url, query) == run(new, query) != []
    found = verify(postgres_url)
    assert (found.problems, found.rows) == ([], 10)
    store = PostgresStore(postgres_url)
    with closing(store.connection), closing(store.reader("a")) as reader:
        assert (store.get("identity"), store.log("a").last) == ("of v1", 81)
        assert reader.listed_ids(9) == ["monday", "friday"]
        assert reader.ended(["friday"])["friday"].status == "finished"
        assert type(reader.match_facts("friday.1.1.1.1")[-1]) is MatchOver


def test_a_migration_is_made_once_and_an_older_program_then_refuses(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(postgres_url, len(MIGRATIONS))
    before = run(postgres_url, "SELECT * FROM clubs ORDER BY club")
    with monkeypatch.context() as newer:
        newer.setattr(schema, "MIGRATIONS", (*MIGRATIONS, NEXT))
        assert begin_at_once(postgres_url) == []
    assert run(postgres_url, "SELECT * FROM clubs ORDER BY club") == [(*row, "no") for row in before]
    with pytest.raises(StoreError, match=f"its version is {len(MIGRATIONS) + 1}, this one knows {len(MIGRATIONS)}"):
        begin(postgres_url)


def test_a_migration_that_fails_leaves_all_as_it_was(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    load(postgres_url, len(MIGRATIONS))
    before = run(postgres_url, COLUMNS)
    with monkeypatch.context() as newer:
        newer.setattr(schema, "MIGRATIONS", (*MIGRATIONS, NEXT, "ALTER TABLE nowhere ADD COLUMN seen text"))
        with pytest.raises(StoreError, match='relation "nowhere" does not exist'):
            begin(postgres_url)
    assert run(postgres_url, COLUMNS) == before
    begin(postgres_url)


def test_no_tables_are_changed_under_a_node_of_an_earlier_version(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(postgres_url, len(MIGRATIONS))
    run(postgres_url, "INSERT INTO nodes VALUES ('1', 'http://b', now() + '1 day', false, '')")
    begin(postgres_url)
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, NEXT))
    with pytest.raises(StoreError, match=r"a node of an earlier version is running on .*: http://b; stop it first"):
        begin(postgres_url)
    run(postgres_url, "UPDATE nodes SET until = now()")
    begin(postgres_url)
