"""The index of matches follows the log and misses no match, after changes of leader and in older databases."""

from collections.abc import Callable, Sequence

import pytest
from rumble_server.store.log.content import Content
from rumble_server.tournament.facts import LogFact

from tests.needs import need_module
from tests.postgres.cluster import run
from tests.server.store.disk import batch_of, joined
from tests.server.store.sqlite.test_match_index import over, started

need_module("psycopg", "postgres")
from rumble_server.store.postgres.connection import PostgresConnection  # noqa: E402
from rumble_server.store.postgres.writer import Commits  # noqa: E402

pytestmark = pytest.mark.e2e
INDEX_S = 0.25
LATER_S = 0.3

Row = tuple[object, ...]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Return a function that advances the writer's clock."""
    now_s = [100.0]
    monkeypatch.setattr("rumble_server.store.postgres.unindexed.monotonic", lambda: now_s[0])

    def move_on(seconds: float) -> None:
        now_s[0] += seconds

    return move_on


def content(first: int, *facts: LogFact, club: str = "main", epoch: int = 1) -> Content:
    return batch_of(first, *facts).content(club, first - 1, epoch)


def write(commits: Commits, *contents: Content, again: bool = False) -> Sequence[str]:
    return commits.commit(contents, again)


def index(url: str) -> list[Row]:
    """Return the rows of the index, and the last indexed fact of each club."""
    matches = run(url, "SELECT club, id, first, last FROM matches ORDER BY club, id")
    return [*matches, *run(url, "SELECT club, indexed FROM clubs ORDER BY club")]


def test_the_index_is_written_in_time_with_the_first_start_and_the_last_end(
    connection: PostgresConnection, postgres_url: str, clock: Callable[[float], None]
) -> None:
    commits = Commits(connection, INDEX_S)
    write(commits, content(1, started("b"), started("a"), over("b")))
    clock(LATER_S / 2)
    write(commits, content(4, started("b", 2)))
    assert index(postgres_url) == [("go", 0), ("main", 0)]
    clock(LATER_S)
    write(commits, content(5, over("a")))
    assert index(postgres_url) == [("main", "a", 2, 5), ("main", "b", 1, None), ("go", 0), ("main", 5)]
    write(commits, content(6, over("b")))
    clock(LATER_S)
    write(commits, content(7, joined(7)))
    assert index(postgres_url) == [("main", "a", 2, 5), ("main", "b", 1, 6), ("go", 0), ("main", 7)]


def test_each_club_has_its_own_time(
    connection: PostgresConnection, postgres_url: str, clock: Callable[[float], None]
) -> None:
    commits = Commits(connection, INDEX_S)
    write(commits, content(1, started("a")))
    clock(LATER_S)
    write(commits, content(2, over("a")), content(1, started("a"), club="go"))
    assert index(postgres_url) == [("main", "a", 1, 2), ("go", 0), ("main", 2)]
    clock(LATER_S)
    write(commits, content(3, joined(3)), content(2, over("a"), club="go"))
    assert index(postgres_url) == [("go", "a", 1, 2), ("main", "a", 1, 2), ("go", 2), ("main", 3)]


def test_the_next_leader_indexes_rows_that_the_former_leader_left(
    connection: PostgresConnection, postgres_url: str, clock: Callable[[float], None]
) -> None:
    first, second = Commits(connection, INDEX_S), Commits(connection, INDEX_S)
    write(first, content(1, started("a"), started("b")))
    run(postgres_url, "UPDATE clubs SET epoch = 2")
    write(second, content(3, over("a"), epoch=2))
    clock(LATER_S)
    assert write(first, content(3, over("b"))) == ["main@1"], "it leads no more, and indexes nothing"
    assert index(postgres_url) == [("go", 0), ("main", 0)]
    write(second, content(4, joined(4), epoch=2))
    assert index(postgres_url) == [("main", "a", 1, 3), ("main", "b", 2, None), ("go", 0), ("main", 4)]
    run(postgres_url, "UPDATE clubs SET epoch = 3")
    write(first, content(5, over("b"), epoch=3))
    clock(LATER_S)
    write(first, content(6, joined(6), epoch=3))
    assert index(postgres_url) == [("main", "a", 1, 3), ("main", "b", 2, 5), ("go", 0), ("main", 6)]


@pytest.mark.parametrize("was_written", [False, True])
def test_a_commit_of_unknown_fate_is_indexed_once(
    connection: PostgresConnection, postgres_url: str, clock: Callable[[float], None], was_written: bool
) -> None:
    commits, other = Commits(connection, INDEX_S), Commits(connection, INDEX_S)
    write(commits, content(1, started("a")))
    unknown = content(2, over("a"), started("b"))
    if was_written:
        write(other, unknown)
    assert write(commits, unknown, again=True) == []
    clock(LATER_S)
    write(commits, content(4, over("b")))
    assert index(postgres_url) == [("main", "a", 1, 2), ("main", "b", 3, 4), ("go", 0), ("main", 4)]
