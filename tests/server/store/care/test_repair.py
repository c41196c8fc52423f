"""Repair: the database is whole afterwards, and no readable row is lost; what is lost is marked and told."""

import stat
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import pytest
from rumble_server.store.care.damage import verify
from rumble_server.store.care.repair import CLUB_FACTS_LOST, repair
from rumble_server.store.errors import StoreError
from rumble_server.store.sqlite.lock import DatabaseLock
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.store.sqlite.store import SqliteStore
from rumble_server.tournament.club_facts import HostTokenSet, HostTokensRemoved
from rumble_server.tournament.facts import LogFact

from tests.server.store.disk import next_run, rows, shut
from tests.server.store.played import FACTS, bit, change, cut, digit, execute, facts_of, overwrite, save, tear, unlisted

pytestmark = pytest.mark.usefixtures("saved")
MATCH = "monday.1.1.1.1"


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    return tmp_path / "backup.db"


def numbers(found: Iterable[tuple[object, ...]], tournament: str, kind: int) -> list[int]:
    """Return the numbers of the rows of a tournament."""
    return [int(str(row[0])) for row in found if row[1:] == (tournament, kind)]


def test_a_whole_database_is_left_alone(path: Path, backup: Path) -> None:
    before = path.read_bytes()
    assert repair(str(path), str(backup), 0) == []
    assert path.read_bytes() == before
    assert not backup.exists()


@pytest.mark.parametrize("how", [digit, bit, cut])
def test_everything_but_damaged_moves_is_as_it_was(path: Path, backup: Path, how: Callable[[bytes], bytes]) -> None:
    number = max(numbers(rows(path), "friday", 1))
    others = [row for row in rows(path) if row[0] != number]
    index = rows(path, "SELECT * FROM matches ORDER BY id")
    change(path, how, number)
    damaged = path.read_bytes()
    execute(path, "DELETE FROM matches")
    assert repair(str(path), str(backup), 0) == [
        f"the database as it was is in {backup}",
        f"{len(others)} rows of the log are whole, 1 are lost",
    ]
    assert rows(path) == others
    assert rows(path, "SELECT * FROM matches ORDER BY id") == index
    assert rows(path, "SELECT replace(id, 'main/', ''), listed, over FROM tournaments") == [
        ("friday", 1, 1),
        ("monday", 1, 1),
    ]
    assert verify(str(path)).problems == []
    with closing(read_sqlite(str(path))) as reader:
        assert reader.tournament_facts("monday") == facts_of(FACTS, "monday")
        assert reader.match_facts(MATCH) == [fact for fact in FACTS if getattr(fact, "match", None) == MATCH]
        assert set(reader.ended(["friday", "monday"])) == {"friday", "monday"}
    assert len(backup.read_bytes()) == len(damaged)
    assert [stat.S_IMODE(each.stat().st_mode) for each in (path, backup)] == [0o600, 0o600]


def test_a_tournament_that_the_host_hid_stays_hidden(path: Path, backup: Path) -> None:
    save(path, [unlisted(FACTS, "friday")], start=len(FACTS) + 1)
    assert repair(str(path), str(backup), 0) == [], "the log and the index agree"
    execute(path, "UPDATE tournaments SET listed = 1")
    repair(str(path), str(backup), 0)
    assert rows(path, "SELECT replace(id, 'main/', ''), listed FROM tournaments") == [("friday", 0), ("monday", 1)]


def test_a_tournament_with_lost_facts_stays_and_is_damaged(path: Path, backup: Path) -> None:
    change(path, digit, numbers(rows(path), "friday", 0)[0])
    execute(path, "DELETE FROM ended")
    before = rows(path)
    assert repair(str(path), str(backup), 0)[1:] == [
        f"{len(before) - 1} rows of the log are whole, 1 are lost",
        "tournament friday: it stays damaged, since facts are lost",
    ]
    assert rows(path) == before
    found = verify(str(path))
    assert (found.rows, found.lost, found.problems) == (len(before), 1, [])
    assert repair(str(path), str(backup), 0) == []
    with closing(read_sqlite(str(path))) as reader:
        assert reader.tournament_ids() == reader.tournament_ids(over=True) == ["friday", "monday"]
        with pytest.raises(StoreError, match="row 1 of the log is damaged"):
            reader.tournament_facts("friday")
        assert list(reader.ended(["friday", "monday"])) == ["monday"]


def test_a_database_that_is_mended_twice_keeps_the_marks_of_the_first_time(path: Path, backup: Path) -> None:
    first, second = numbers(rows(path), "friday", 0)[:2]
    for number in (first, second):
        change(path, cut, number)
        repair(str(path), f"{backup}-{number}", 0)
    assert rows(path, "SELECT number FROM log WHERE facts = '' ORDER BY number") == [(first,), (second,)]


def test_torn_pages_cost_only_the_rows_on_them(path: Path, backup: Path) -> None:
    before = rows(path)
    tear(path, b'"tournament_ended"')
    with pytest.raises(StoreError, match=r"is damaged|malformed"):
        SqliteStore(str(path))
    torn = path.read_bytes()
    lines = repair(str(path), str(backup), 0)
    assert backup.read_bytes() == torn
    assert not [line for line in lines if line.startswith("not mended")]
    left, lost = rows(path), rows(path, "SELECT replace(tournament, 'main/', ''), kind FROM log WHERE facts = ''")
    assert set(left) < set(before)
    assert len(left) > len(before) // 3
    assert {kind for tournament, kind in lost if tournament} == {0}
    assert verify(str(path)).lost == len(lost) > 0
    store = SqliteStore(str(path))
    assert store.open_log().last == len(FACTS)
    shut(store)


def test_where_nobody_knows_whose_rows_are_lost_they_may_be_about_hosts(path: Path, backup: Path) -> None:
    tear(path, b'"tournament_ended"')
    overwrite(path, "log_by_tournament", lambda page: b"\xaa" * len(page))
    lines = repair(str(path), str(backup), 0)
    assert lines[2:4] == [f"names, hosts and bans: {line}" for line in CLUB_FACTS_LOST]
    with closing(read_sqlite(str(path))) as reader:
        assert len(reader.club_facts()[1]) == 1


def test_lost_facts_about_a_club_are_told_until_a_start_has_dealt_with_them(path: Path, backup: Path) -> None:
    number = numbers(rows(path), "", 1)[0]
    change(path, cut, number)
    assert repair(str(path), str(backup), 7)[2:] == [f"names, hosts and bans: {line}" for line in CLUB_FACTS_LOST]
    with closing(read_sqlite(str(path))) as reader:
        facts, problems = reader.club_facts()
    assert list(problems) == [number]
    later: list[LogFact] = [HostTokensRemoved((number,), 8), HostTokenSet("ben", "00", "22", 9)]
    save(path, later, start=len(FACTS) + 1)
    with closing(read_sqlite(str(path))) as reader:
        assert reader.club_facts() == ([*facts, *later], {})
    change(path, cut, len(FACTS) + 1)
    with closing(read_sqlite(str(path))) as reader:
        assert list(reader.club_facts()[1]) == [number, len(FACTS) + 1]


def test_where_the_count_of_runs_is_lost_the_next_run_is_above_all(path: Path, backup: Path) -> None:
    execute(path, "DELETE FROM meta WHERE key = 'main/runs'")
    change(path, cut, 1)
    repair(str(path), str(backup), 5_000_000)  # `restore` and `copy` count runs from the time in ms, too
    assert next_run(path) == 5_000_001


def test_no_fact_gets_the_number_of_a_lost_fact(path: Path, backup: Path) -> None:
    path.unlink()
    save(path, FACTS, size=50)
    last = int(str(rows(path)[-1][0]))
    execute(path, "UPDATE meta SET value = '1' WHERE key = 'main/indexed'")
    execute(path, "UPDATE log SET checksum = checksum + 1 WHERE number = ?", last)
    repair(str(path), str(backup), 0)
    store = SqliteStore(str(path))
    assert store.open_log().last >= len(FACTS) > last
    shut(store)


def test_a_missing_or_damaged_record_is_made_again(path: Path, backup: Path) -> None:
    before = rows(path, "SELECT * FROM ended ORDER BY id")
    execute(path, "UPDATE ended SET record = replace(record, 'ann', 'amm') WHERE id = 'main/monday'")
    execute(path, "DELETE FROM ended WHERE id = 'main/friday'")
    repair(str(path), str(backup), 0)
    assert rows(path, "SELECT * FROM ended ORDER BY id") == before


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
    assert not path.with_name("rumble.db.part").exists()
