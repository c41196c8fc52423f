"""`rumble node` against a real PostgreSQL."""

import json

import pytest
from rumble_server.cli.main import run as rumble

from tests.needs import need_module
from tests.postgres.cluster import run


def test_commands_about_nodes_say_that_they_need_postgresql(capsys: pytest.CaptureFixture[str]) -> None:
    assert rumble(["node", "list", "--db", "rumble.db"]) == 1
    assert capsys.readouterr().err == (
        "rumble: nodes share a database in PostgreSQL: --db postgresql://USER@HOST/NAME, or RUMBLE_DB\n"
    )


@pytest.mark.e2e
@pytest.mark.slow
def test_nodes_are_listed_and_drained(
    postgres_url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    need_module("psycopg", "postgres")
    from tests.server.nodes.tables import make_tables

    make_tables(postgres_url)
    monkeypatch.setenv("RUMBLE_DB", postgres_url)
    assert rumble(["node", "list"]) == 0
    assert capsys.readouterr().out == "no node has a lease\n"
    for node, left in (("aa1", 60), ("aa2", 60), ("b", -1)):
        until = "clock_timestamp() + %s * interval '1 s'"
        insert = f"INSERT INTO nodes (id, address, until, setup) VALUES (%s, %s, {until}, '')"
        run(postgres_url, insert, [node, f"http://{node}:1", left])
    run(postgres_url, "INSERT INTO clubs (club, node, epoch) VALUES ('main', 'aa1', 1), ('one', 'aa1', 1)")
    assert rumble(["node", "list"]) == 0
    assert capsys.readouterr().out == ("aa1  http://aa1:1  leads main, one\naa2  http://aa2:1  leads nothing\n")
    assert rumble(["node", "list", "--json"]) == 0
    (first, _) = json.loads(capsys.readouterr().out)
    assert (first["id"], first["clubs"], first["draining"]) == ("aa1", ["main", "one"], False)
    assert rumble(["node", "drain", "aa"]) == 1
    assert capsys.readouterr().err == "rumble: 2 nodes are called aa; rumble node list shows them\n"
    assert rumble(["node", "drain", "http://aa1:1/"]) == 0
    assert "hands its clubs over" in capsys.readouterr().out
    assert run(postgres_url, "SELECT id FROM nodes WHERE draining") == [("aa1",)]
    assert rumble(["club", "move", "one", "aa2"]) == 0
    assert capsys.readouterr().out == "one goes to the node at http://aa2:1\n"
    assert run(postgres_url, "SELECT club, wanted FROM clubs ORDER BY club") == [("main", None), ("one", "aa2")]
    assert rumble(["club", "move", "one", "http://aa2:1/"]) == 0
    assert capsys.readouterr().out == "one goes to the node at http://aa2:1\n"
    assert run(postgres_url, "SELECT wanted FROM clubs WHERE club = 'one'") == [("http://aa2:1",)]
    assert rumble(["club", "move", "one", "http://b:1"]) == 1
    assert capsys.readouterr().err == "rumble: 0 nodes are called http://b:1; rumble node list shows them\n"
    assert rumble(["club", "move", "two", "aa2"]) == 1
    assert capsys.readouterr().err == "rumble: no node leads a club two\n"
