"""A batch is written whole or not at all."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from rumble_server.store.log.batch import Batch
from rumble_server.store.sqlite.schema import open_database
from rumble_server.store.sqlite.writer import write

from tests.server.store.disk import joined, rows


def test_a_batch_that_fails_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "rumble.db"
    batch = Batch()
    batch.add(1, joined(1))
    with closing(open_database(str(path))) as database:
        database.execute("DROP TABLE matches")
        with pytest.raises(sqlite3.OperationalError, match="no such table"):
            write(database, [batch.content()], index=True)
        assert rows(path) == []
        write(database, [batch.content()], index=False)
        assert rows(path) == [(1, "friday", 0)]
