"""The queries of a club's rows; tests/server/store/log/test_reader.py has tests of their answers."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from rumble_server.store.log.rows import Span
from rumble_server.store.sqlite.rows import SqliteReader
from rumble_server.store.sqlite.schema import open_database, open_reader


@pytest.mark.parametrize("club", ["main", "go"])
def test_no_query_reads_the_whole_log(tmp_path: Path, club: str) -> None:
    path = str(tmp_path / "rumble.db")
    open_database(path).close()
    plans: list[str] = []

    class Explained(SqliteReader):
        def select(self, query: str, **values: object) -> list[Any]:
            plans.extend(row[3] for row in super().select(f"EXPLAIN QUERY PLAN {query}", **values))
            return super().select(query, **values)

    with closing(open_reader(path)) as database:
        rows = Explained(database, path, club)
        found = [
            *(
                rows.ended_ids(5, listed=True),
                rows.ended_ids(5, listed=None),
                rows.tournament_ids(over=False),
                rows.only_listed(["friday"]),
            ),
            *(rows.about_club(1), rows.after("friday", 1, 3), rows.since("friday", 1, 3), rows.holding("friday", 1, 3)),
            *(rows.of_match("friday", 1, Span(4, 2, 9, False), 9, "x"), rows.not_indexed("friday", 0)),
            *(rows.matches("friday"), rows.records(["friday"])),
        ]
        assert not any(found)
        assert rows.first_of(["friday.1.1.1.1"]) == 1
        assert rows.span("friday", "friday.1.1.1.1") == Span(0, None, None, False)
    assert {plan for plan in plans if plan.startswith("SCAN") and "json_each" not in plan} == {
        "SCAN CONSTANT ROW",
        "SCAN one",
    }
