"""The index of matches follows from the log, whatever was indexed before."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from sqlite3 import Connection, OperationalError

import pytest
from rumble_engine import Termination
from rumble_protocol.fields import TimeControl
from rumble_server.match.facts import FrameSeen, MatchOver, MatchStarted
from rumble_server.store.sqlite.match_index import index_matches, indexed, last_number
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.store.sqlite.schema import open_database
from rumble_server.store.sqlite.writer import write
from rumble_server.tournament.facts import LogFact

from tests.server.store.disk import batch_of, joined

CONTROL = TimeControl(move_ms=1, bank_ms=1, increment_ms=1)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Connection]:
    with closing(open_database(str(tmp_path / "rumble.db"))) as database:
        yield database


def started(match: str, attempt: int = 1) -> LogFact:
    return MatchStarted(match, attempt, "tictactoe", {}, 0, ("ann", "ben"), (), CONTROL, 0, 0, 0, "stands")


def over(match: str, reason: str = "") -> LogFact:
    return MatchOver(match, 1, ("ann", "ben"), None, Termination.NORMAL, reason, (), (), 0)


def put(database: Connection, first: int, *facts: LogFact, index: bool = False) -> None:
    """Write facts as a batch."""
    write(database, [batch_of(first, *facts).content()], index=index)


def matches(database: Connection) -> list[tuple[str, int, int | None]]:
    return database.execute("SELECT replace(id, 'main/', ''), first, last FROM matches ORDER BY id").fetchall()


def test_the_index_has_the_first_start_and_the_last_end_of_each_match(database: Connection) -> None:
    put(database, 1, started("b"), started("a"), started("c"), over("b"), over("c"), started("c", 2), index=True)
    assert matches(database) == [("a", 2, None), ("b", 1, 4), ("c", 3, None)]
    put(database, 7, over("a"), started("b", 2), over("c"), index=True)
    assert matches(database) == [("a", 2, 7), ("b", 1, None), ("c", 3, 9)]


def test_rows_left_out_of_the_index_follow_with_the_next_batch(database: Connection) -> None:
    put(database, 1, started("a"), started("b"))
    put(database, 3, over("a"))
    assert (matches(database), indexed(database)) == ([], 0)
    put(database, 4, over("b"), index=True)
    assert (matches(database), indexed(database)) == ([("a", 1, 3), ("b", 2, 4)], 4)


def test_writing_a_batch_again_changes_nothing(database: Connection) -> None:
    facts = (started("a"), over("a"), joined(3))
    for _ in range(2):
        put(database, 1, *facts, index=True)
        assert (matches(database), indexed(database), last_number(database)) == ([("a", 1, 2)], 3, 3)


def test_a_batch_whose_index_cannot_be_written_leaves_nothing(database: Connection) -> None:
    database.execute("DROP TABLE matches")
    with pytest.raises(OperationalError, match="no such table"):
        put(database, 1, joined(1), index=True)
    assert database.execute("SELECT count(*) FROM log").fetchone() == (0,)


def test_the_last_number_is_that_of_the_last_fact_not_of_the_last_row(database: Connection) -> None:
    assert last_number(database) == 0
    put(database, 1, joined(1), joined(2, "monday"), joined(3))
    assert last_number(database) == 3
    index_matches(database, 3)
    assert last_number(database) == 3
    put(database, 4, joined(4, "monday"), joined(5), joined(6, "monday"))
    assert last_number(database) == 6


def test_a_damaged_row_behind_the_index_does_not_count_as_bytes(database: Connection, tmp_path: Path) -> None:
    put(database, 1, joined(1))
    put(database, 2, joined(2))
    with closing(read_sqlite(str(tmp_path / "rumble.db"))) as reader:
        size = reader.bytes()
        database.execute("UPDATE log SET facts = 'damaged' WHERE number = 2")
        assert reader.bytes() == size / 2


def test_text_that_somebody_chose_is_no_start(database: Connection) -> None:
    text = '[7,"match_started","x"'
    put(database, 1, started("a"), over("a", text), FrameSeen("a", 1, 0, "bot", text, 0), index=True)
    assert matches(database) == [("a", 1, 2)]
