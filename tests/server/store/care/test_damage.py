"""Verification finds damage, and reports no undamaged part."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from rumble_server.store.care import damage
from rumble_server.store.care.damage import RawRow, read_rows, verify
from rumble_server.store.care.repair import repair
from rumble_server.store.errors import StoreError
from rumble_server.store.row_keys import readable
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.store.sqlite.schema import open_database, open_existing
from rumble_server.store.sqlite.store import SqliteStore
from rumble_server.store.sqlite.tournament_index import LOST_VALUES
from rumble_server.store.sqlite.writer import write
from rumble_server.tournament.facts import TournamentEnded

from tests.server.store.disk import batch_of, rows, shut
from tests.server.store.played import FACTS, bit, change, cut, digit, execute, overwrite, played, save, tear

pytestmark = pytest.mark.usefixtures("saved")
NAMES = ("Friday", "Monday", "Sunday", "Tuesday")


def test_a_whole_database_has_no_damage(path: Path) -> None:
    found = verify(str(path))
    assert (found.rows, found.lost, found.problems) == (len(rows(path)), 0, [])


@pytest.mark.parametrize("how", [digit, bit, cut])
@pytest.mark.parametrize("of", [("friday", 0), ("friday", 1), ("", 1)])
def test_a_damaged_row_is_named(path: Path, how: Callable[[bytes], bytes], of: tuple[str, int]) -> None:
    number = next(int(str(row[0])) for row in rows(path) if row[1:] == of)
    change(path, how, number)
    kind = "tournament friday" if of[0] else "names, hosts and bans"
    assert verify(str(path)).problems == [f"row {number} of the log ({kind}) is damaged: it is not what was written"]


def test_a_damaged_record_is_named(path: Path) -> None:
    assert execute(path, "UPDATE ended SET record = replace(record, 'ann', 'amm') WHERE id = 'main/monday'") == 1
    assert verify(str(path)).problems == ["the record of monday is damaged"]


def test_facts_that_contradict_each_other_are_told(path: Path) -> None:
    other = path.with_name("other.db")
    save(other, played("Friday"), size=1)
    assert execute(other, """DELETE FROM log WHERE facts LIKE '%"tournament_started"%'""") == 1
    (problem,) = verify(str(other)).problems
    assert problem.startswith("tournament friday cannot be rebuilt: ")


def test_torn_pages_are_found_and_their_rows_are_named(path: Path) -> None:
    path.unlink()
    save(path, played(*NAMES))
    every = rows(path)
    tear(path, b'"tournament_started"')
    with closing(open_existing(str(path))) as database:
        read = list(read_rows(database))
    lost = [each for each in read if not each.content]
    assert sorted((each.number, readable(each.tournament), each.kind) for each in read) == every
    assert 0 < len(lost) < len(every) // 2
    problems = verify(str(path)).problems
    assert any(problem.startswith("the file: ") for problem in problems)
    for each in lost:
        tournament = readable(each.tournament)
        what = f"tournament {tournament}" if tournament else "names, hosts and bans"
        assert f"row {each.number} of the log ({what}) is damaged: it cannot be read" in problems


def test_where_the_index_of_the_log_is_torn_too_every_club_has_lost_something(path: Path) -> None:
    tear(path, b'"tournament_started"')
    overwrite(path, "log_by_tournament", lambda page: b"\xaa" * len(page))
    with closing(open_existing(str(path))) as database:
        *others, last = read_rows(database)
    assert (last.tournament, last.kind, last.content) == ("main/", 1, b"")
    assert last.number > max(each.number for each in others)


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("DELETE FROM tournaments WHERE id = 'main/friday'", "tournament friday is not in the index of tournaments"),
        (
            "UPDATE tournaments SET over = 0 WHERE id = 'main/friday'",
            "tournament friday is in the index of tournaments with another status than in the log",
        ),
        (
            "UPDATE tournaments SET listed = 0 WHERE id = 'main/friday'",
            "tournament friday is in the index of tournaments with another status than in the log",
        ),
        (
            "DELETE FROM matches WHERE id = 'main/friday.1.1.1.1'",
            "the index of matches is wrong for 1 matches, as friday.1.1.1.1",
        ),
        (
            "UPDATE matches SET last = first WHERE id = 'main/friday.1.1.1.1'",
            "the index of matches is wrong for 1 matches, as friday.1.1.1.1",
        ),
        ("DELETE FROM meta", LOST_VALUES),
    ],
)
def test_an_index_that_differs_from_the_log_is_told_and_mended(path: Path, statement: str, problem: str) -> None:
    tables = ("SELECT id, listed, over FROM tournaments ORDER BY id", "SELECT * FROM matches")
    before = [rows(path, query) for query in tables]
    execute(path, statement)
    assert verify(str(path)).problems == [problem]
    repair(str(path), f"{path}.before", 0)
    assert verify(str(path)).problems == []
    assert [rows(path, query) for query in tables] == before


@pytest.mark.parametrize("table", ["tournaments", "tournaments_by_over", "meta"])
def test_damaged_index_is_reported_and_keeps_the_server_from_starting(path: Path, table: str) -> None:
    """The page itself is sound, as a page of an earlier copy would be."""
    # An empty page after the byte of its kind: no free block, no entry, and the entries' texts begin at the page's end.
    overwrite(path, table, lambda page: page[:1] + bytes(4) + len(page).to_bytes(2) + bytes(len(page) - 7))
    assert verify(str(path)).problems
    with pytest.raises(StoreError, match=r"is damaged: .*`rumble db repair`"):
        SqliteStore(str(path))
    repair(str(path), f"{path}.before", 0)
    shut(SqliteStore(str(path)))
    with closing(read_sqlite(str(path))) as reader:
        assert reader.ended_ids(9, listed=True) == ["monday", "friday"]


def test_a_refused_start_leaves_the_sign_that_values_are_lost(path: Path) -> None:
    """A server that started would number its runs from 1 again."""
    execute(path, "DELETE FROM meta")
    for _ in range(2):
        with pytest.raises(StoreError, match=LOST_VALUES):
            SqliteStore(str(path))


def test_rows_that_a_server_writes_meanwhile_are_no_damage(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    half = next(number for number, fact in enumerate(FACTS) if isinstance(fact, TournamentEnded))
    path.unlink()
    save(path, FACTS[:half])

    def play_and_read(database: sqlite3.Connection) -> Iterator[RawRow]:
        batch = batch_of(half + 1, *FACTS[half:])
        with closing(open_database(str(path))) as other:
            write(other, [batch.content()], index=True)
        return read_rows(database)

    monkeypatch.setattr(damage, "read_rows", play_and_read)
    assert verify(str(path)).problems == []


def test_a_file_that_is_no_database_of_ours_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no database"):
        verify(str(tmp_path / "nowhere.db"))
    file = tmp_path / "x.db"
    file.write_text("not a database, and long enough to be read as one" * 100)
    with pytest.raises(StoreError, match="not a database"):
        verify(str(file))
