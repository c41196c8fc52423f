"""Repair: the database is whole afterwards, damaged rows are set aside, and no readable row is lost."""

import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from rumble_server.arena.clubs import ClubDirectory
from rumble_server.arena.host_tokens import HostTokens
from rumble_server.store.batch import Batch
from rumble_server.store.damage import verify
from rumble_server.store.errors import StoreError
from rumble_server.store.lock import DatabaseLock
from rumble_server.store.repair import SERVER_ROWS_LOST, repair
from rumble_server.store.schema import open_database, open_existing
from rumble_server.store.sqlite import SqliteStore
from rumble_server.store.sqlite_rows import read_sqlite
from rumble_server.store.writer import write
from rumble_server.tournament.facts import (
    AdministratorSet,
    HostTokenRemoved,
    HostTokenSet,
    LogFact,
    NameUsed,
    TournamentCreated,
)

from tests.server.store.disk import rows, shut
from tests.server.store.played import bit, change, cut, digit, execute, facts_of, played, save, tear

FACTS = played("Friday", "Monday")
MATCH = "monday.1.1.1.1"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "rumble.db"
    save(path, FACTS)
    return path


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    return tmp_path / "backup.db"


def test_a_whole_database_is_left_alone(path: Path, backup: Path) -> None:
    before = path.read_bytes()
    assert repair(str(path), str(backup), 0) == []
    assert path.read_bytes() == before
    assert not backup.exists()


@pytest.mark.parametrize("how", [digit, bit, cut])
def test_a_damaged_row_is_set_aside_and_everything_else_is_as_it_was(
    path: Path, backup: Path, how: Callable[[bytes], bytes]
) -> None:
    number = max(int(str(row[0])) for row in rows(path) if row[1:] == ("friday", 1))
    others = [row for row in rows(path) if row[0] != number]
    index = rows(path, "SELECT * FROM matches ORDER BY id")
    change(path, how, number)
    damaged = path.read_bytes()
    execute(path, "DELETE FROM matches")
    done = repair(str(path), str(backup), 0)
    assert done[0] == f"the database as it was is in {backup}"
    assert done[1] == f"{len(others)} rows of the log are whole, 1 are damaged and set aside, 0 ranges of rows are lost"
    assert rows(path) == others
    assert rows(path, "SELECT * FROM matches ORDER BY id") == index
    assert rows(path, "SELECT number, tournament, kind, problem FROM set_aside") == [
        (number, "friday", 1, "it is not what was written")
    ]
    assert rows(path, "SELECT id, listed, over FROM tournaments") == [("friday", 1, 1), ("monday", 1, 1)]
    assert verify(str(path)).problems == []
    with closing(read_sqlite(str(path))) as reader:
        assert reader.tournament_facts("monday") == facts_of(FACTS, "monday")
        assert reader.match_facts(MATCH) == [fact for fact in FACTS if getattr(fact, "match", None) == MATCH]
        assert set(reader.ended(["friday", "monday"])) == {"friday", "monday"}
    assert len(backup.read_bytes()) == len(damaged)
    assert [stat.S_IMODE(each.stat().st_mode) for each in (path, backup)] == [0o600, 0o600]


def test_mended_twice_it_keeps_what_was_set_aside_first(path: Path, backup: Path) -> None:
    first, second = [int(str(row[0])) for row in rows(path) if row[1:] == ("friday", 1)][-2:]
    for number in (first, second):
        change(path, cut, number)
        repair(str(path), f"{backup}-{number}", 0)
    assert rows(path, "SELECT number FROM set_aside ORDER BY number") == [(first,), (second,)]


def test_torn_pages_cost_only_what_was_on_them(path: Path, backup: Path) -> None:
    every = len(rows(path))
    with closing(open_existing(str(path))) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    tear(path, b'"tournament_ended"')
    with pytest.raises(StoreError, match=r"is damaged|malformed"):
        SqliteStore(str(path))
    torn = path.read_bytes()
    repair(str(path), str(backup), 0)
    assert backup.read_bytes() == torn
    assert every > len(rows(path)) > every // 3
    store = SqliteStore(str(path))
    assert store.log().last >= len(FACTS) - 50
    shut(store)


def test_a_tournament_that_lost_its_creation_stays_and_is_told(path: Path, backup: Path) -> None:
    number = next(n for n, fact in enumerate(FACTS, 1) if isinstance(fact, TournamentCreated))
    change(path, digit, next(int(str(row[0])) for row in rows(path) if row[1:] == ("friday", 0)))
    assert number == 1
    done = repair(str(path), str(backup), 0)
    assert done[-1].startswith("not mended: tournament friday cannot be rebuilt: ")
    with closing(read_sqlite(str(path))) as reader:
        assert set(reader.tournament_ids()) == {"friday", "monday"}


def test_names_that_are_lost_are_held(path: Path, backup: Path) -> None:
    change(path, cut, next(int(str(row[0])) for row in rows(path) if row[1] == ""))
    with closing(read_sqlite(str(path))) as reader:
        left = [fact.name for fact in reader.server_facts()[0] if isinstance(fact, NameUsed)]
    lost = sorted({"ann", "ben"} - set(left))
    assert lost
    done = repair(str(path), str(backup), 7)
    for name in lost:
        assert f"the claim to {name} is lost: `rumble tournament reset-key {name}` frees it" in done
    with closing(read_sqlite(str(path))) as reader:
        facts, problems = reader.server_facts()
    assert problems == []
    assert [fact for fact in facts if isinstance(fact, NameUsed) and fact.name in lost] == [
        NameUsed(name, "", "", 7) for name in lost
    ]
    assert verify(str(path)).problems == []


def test_where_the_count_of_runs_is_lost_the_next_run_is_above_all(path: Path, backup: Path) -> None:
    execute(path, "DELETE FROM meta WHERE key = 'runs'")
    change(path, cut, 1)
    repair(str(path), str(backup), 5_000_000)
    store = SqliteStore(str(path))
    assert store.run_of() == 5001
    shut(store)


def test_where_facts_about_hosts_are_lost_every_token_is_taken_back_and_bans_are_told_of(
    path: Path, backup: Path
) -> None:
    """A lost row may have taken back a token."""
    execute(path, "DELETE FROM log")
    given: list[LogFact] = [
        HostTokenSet("ann", "00", "11", 1),
        HostTokenSet("ben", "00", "22", 2),
        AdministratorSet("00", "33", 2),
    ]
    save(path, given, size=1)
    with closing(open_database(str(path))) as database:
        batch = Batch()
        batch.add(4, HostTokenRemoved("ann", 3))
        write(database, [batch.content()], index=True)
    change(path, cut, 4)
    done = repair(str(path), str(backup), 7)
    assert set(SERVER_ROWS_LOST) <= set(done)
    tokens, directory = HostTokens(), ClubDirectory()
    with closing(read_sqlite(str(path))) as reader:
        for fact in reader.server_facts()[0]:
            if isinstance(fact, AdministratorSet):
                directory.apply(fact)
            else:
                assert isinstance(fact, HostTokenSet | HostTokenRemoved)
                tokens.apply(fact)
    assert not directory.has_administrator
    assert len(tokens) == 0


def test_where_only_a_match_is_damaged_hosts_keep_their_tokens(path: Path, backup: Path) -> None:
    change(path, cut, max(int(str(row[0])) for row in rows(path) if row[1:] == ("friday", 1)))
    assert not set(SERVER_ROWS_LOST) & set(repair(str(path), str(backup), 7))


def test_a_database_in_use_and_a_backup_that_is_there_are_refused(path: Path, backup: Path) -> None:
    change(path, cut, 1)
    lock = DatabaseLock(str(path))
    with pytest.raises(StoreError, match="another server is running on the database"):
        repair(str(path), str(backup), 0)
    lock.release()
    backup.touch()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="exists; choose another name with --backup"):
        repair(str(path), str(backup), 0)
    assert path.read_bytes() == before
