"""`rumble node` against a real PostgreSQL."""

import pytest

from tests.needs import need_module
from tests.postgres.cluster import run
from tests.server.cli.run_here import Captured, printed, printed_json, refused


def test_commands_about_nodes_say_that_they_need_postgresql(capsys: Captured) -> None:
    line = refused(capsys, 1, "node", "list", "--db", "rumble.db")
    assert line == "rumble: nodes share a database in PostgreSQL: --db postgresql://USER@HOST/NAME, or RUMBLE_DB\n"


@pytest.mark.e2e
@pytest.mark.slow
def test_nodes_are_listed_and_drained(postgres_url: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    need_module("psycopg", "postgres")
    from tests.server.nodes.tables import make_tables

    make_tables(postgres_url)
    monkeypatch.setenv("RUMBLE_DB", postgres_url)
    assert printed(capsys, "node", "list") == "no node has a lease\n"
    for node, left in (("aa1", 60), ("aa2", 60), ("b", -1)):
        until = "clock_timestamp() + %s * interval '1 s'"
        insert = f"INSERT INTO nodes (id, address, until, setup) VALUES (%s, %s, {until}, '')"
        run(postgres_url, insert, [node, f"http://{node}:1", left])
    run(postgres_url, "INSERT INTO clubs (club, node, epoch) VALUES ('main', 'aa1', 1), ('one', 'aa1', 1)")
    assert printed(capsys, "node", "list") == "aa1  http://aa1:1  leads main, one\naa2  http://aa2:1  leads nothing\n"
    (first, _) = printed_json(capsys, "node", "list")
    assert (first["id"], first["clubs"], first["draining"]) == ("aa1", ["main", "one"], False)
    assert refused(capsys, 1, "node", "drain", "aa") == "rumble: 2 nodes are called aa; rumble node list shows them\n"
    assert "hands its clubs over" in printed(capsys, "node", "drain", "http://aa1:1/")
    assert run(postgres_url, "SELECT id FROM nodes WHERE draining") == [("aa1",)]
    assert printed(capsys, "club", "move", "one", "aa2") == "one goes to the node at http://aa2:1\n"
    assert run(postgres_url, "SELECT club, wanted FROM clubs ORDER BY club") == [("main", None), ("one", "aa2")]
    assert printed(capsys, "club", "move", "one", "http://aa2:1/") == "one goes to the node at http://aa2:1\n"
    assert run(postgres_url, "SELECT wanted FROM clubs WHERE club = 'one'") == [("http://aa2:1",)]
    line = refused(capsys, 1, "club", "move", "one", "http://b:1")
    assert line == "rumble: 0 nodes are called http://b:1; rumble node list shows them\n"
    assert refused(capsys, 1, "club", "move", "two", "aa2") == "rumble: no node leads a club two\n"
