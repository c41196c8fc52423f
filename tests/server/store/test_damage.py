"""What is damaged is found, and nothing else."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from rumble_server.store.damage import read_rows, verify
from rumble_server.store.errors import StoreError
from rumble_server.store.schema import open_existing

from tests.server.store.disk import rows
from tests.server.store.played import bit, change, cut, digit, execute, played, save, tear

NAMES = ("Friday", "Monday", "Sunday", "Tuesday")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "rumble.db"
    save(path, played("Friday", "Monday"))
    return path


def test_a_whole_database_has_none(path: Path) -> None:
    found = verify(str(path))
    assert (found.rows, found.unchecked, found.problems) == (len(rows(path)), 0, [])


@pytest.mark.parametrize("how", [digit, bit, cut])
@pytest.mark.parametrize("of", [("friday", 0), ("friday", 1), ("", 1)])
def test_a_damaged_row_is_named(path: Path, how: Callable[[bytes], bytes], of: tuple[str, int]) -> None:
    number = next(int(str(row[0])) for row in rows(path) if row[1:] == of)
    change(path, how, number)
    kind = "tournament friday" if of[0] else "names, hosts and bans"
    assert verify(str(path)).problems == [
        f"row {number} of the log ({kind}) is damaged: it is not what was written",
    ]


def test_a_row_in_a_wrong_place_is_found_without_a_checksum(path: Path) -> None:
    number = next(int(str(row[0])) for row in rows(path) if row[1] == "friday")
    execute(path, "UPDATE log SET checksum = NULL")
    execute(path, "UPDATE log SET tournament = 'monday' WHERE number = ?", number)
    found = verify(str(path))
    assert f"row {number} of the log (tournament monday) is damaged: its facts belong elsewhere" in found.problems
    assert found.unchecked == found.rows


def test_a_damaged_record_is_named(path: Path) -> None:
    assert execute(path, "UPDATE ended SET record = replace(record, 'ann', 'amm') WHERE id = 'monday'") == 1
    assert verify(str(path)).problems == ["the record of monday is damaged"]


def test_facts_that_contradict_each_other_are_told(path: Path) -> None:
    other = path.with_name("other.db")
    save(other, played("Friday"), size=1)
    assert execute(other, """DELETE FROM log WHERE facts LIKE '%"tournament_started"%'""") == 1
    (problem,) = verify(str(other)).problems
    assert problem.startswith("tournament friday cannot be rebuilt: ")


def test_torn_pages_are_found_and_the_rows_beyond_them_read(path: Path) -> None:
    path.unlink()
    save(path, played(*NAMES))
    every = len(rows(path))
    with closing(open_existing(str(path))) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    tear(path, b'"tournament_started"')
    with closing(open_existing(str(path))) as database:
        read = list(read_rows(database))
    lost = [each for each in read if isinstance(each, range)]
    assert lost
    assert every > len(read) - len(lost) > every // 3
    problems = verify(str(path)).problems
    assert any(problem.startswith("the file: ") for problem in problems)
    assert f"the rows from {lost[0].start} to {lost[0].stop - 1} of the log cannot be read" in problems


def test_what_is_no_database_of_ours_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no database"):
        verify(str(tmp_path / "nowhere.db"))
    file = tmp_path / "x.db"
    file.write_text("not a database, and long enough to be read as one" * 100)
    with pytest.raises(StoreError, match="not a database"):
        verify(str(file))
