"""Pruning deletes the plies of old tournaments, and changes no result, standing or record."""

import asyncio
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from rumble_server.match.facts import MatchOver
from rumble_server.store.care.damage import verify
from rumble_server.store.errors import Pruned, StoreError
from rumble_server.store.log.content import DETAIL
from rumble_server.store.sqlite import pruning
from rumble_server.store.sqlite.lock import DatabaseLock
from rumble_server.store.sqlite.pruning import prune, prune_challenges, vacuum
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.tournament.facts import TournamentCreated, TournamentEnded

from tests.server.failing import raising
from tests.server.store.databases import opened
from tests.server.store.disk import joined, rows, write
from tests.server.store.played import FACTS, as_challenges, execute, facts_of, save

pytestmark = pytest.mark.usefixtures("saved")
ENDED = {fact.tournament: fact.at_ms for fact in FACTS if isinstance(fact, TournamentEnded)}
(MONDAY,) = (fact for fact in FACTS if isinstance(fact, TournamentCreated) and fact.tournament == "monday")
LATER_MS = max(ENDED.values()) + 1
MATCHES = [fact.match for fact in FACTS if isinstance(fact, MatchOver)]


def plies(path: Path) -> list[tuple[object, ...]]:
    return rows(path, f"SELECT number FROM log WHERE kind = {DETAIL} AND tournament != 'main/'")


def test_young_and_running_tournaments_are_left(path: Path) -> None:
    before = plies(path)
    assert prune(str(path), min(ENDED.values())) == (0, 0)
    execute(path, "UPDATE tournaments SET over = 0")
    assert prune(str(path), LATER_MS) == (0, 0)
    assert plies(path) == before
    with closing(read_sqlite(str(path))) as reader:
        assert reader.match_facts(MATCHES[0]) != []


def test_a_tournament_with_a_damaged_record_is_left(path: Path) -> None:
    execute(path, "UPDATE ended SET record = 'x' WHERE id = 'main/friday'")
    assert prune(str(path), LATER_MS)[0] == 1


def test_a_server_prunes_challenges_alone(path: Path) -> None:
    """A host's unlisted tournament stays under any name."""
    path.unlink()
    of_friday = {id(fact): made for fact, made in zip(FACTS, as_challenges(FACTS), strict=True) if fact is not MONDAY}
    unlisted = replace(MONDAY, config=MONDAY.config.model_copy(update={"listed": False}))
    save(path, [of_friday.get(id(fact), unlisted) for fact in FACTS])
    before = len(plies(path))
    prune_challenges(str(path), ENDED["friday"], lambda: False)
    prune_challenges(str(path), LATER_MS, lambda: True)
    assert len(plies(path)) == before
    prune_challenges(str(path), LATER_MS, lambda: False)
    assert {
        row[0] for row in rows(path, f"SELECT replace(tournament, 'main/', '') FROM log WHERE kind = {DETAIL}")
    } == {
        "",
        "monday",
    }
    with closing(read_sqlite(str(path))) as reader:
        assert len(reader.tournament_facts("friday")) == len(facts_of(FACTS, "friday"))
    assert verify(str(path)).problems == []


async def test_a_server_goes_on_writing_while_its_database_is_pruned(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruning, "BATCH_ROWS", 1)
    async with opened(path) as log:
        pruned = asyncio.create_task(asyncio.to_thread(prune, str(path), LATER_MS))
        number = 0
        while not pruned.done():
            number += 1
            await write(log, joined(number, "sunday"))
        assert (await pruned)[0] == 2
        assert (log.trouble, number > 0) == (None, True)
    assert plies(path) == []


def test_a_portion_that_failed_is_done_by_the_next_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "BATCH_ROWS", 1)
    with monkeypatch.context() as patch:
        patch.setattr(time, "sleep", raising(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            prune(str(path), LATER_MS)
    with closing(read_sqlite(str(path))) as reader, pytest.raises(Pruned):
        reader.match_facts(next(match for match in MATCHES if match.startswith("friday")))
    assert prune(str(path), LATER_MS)[0] == 2
    assert plies(path) == []


def test_vacuum_gives_space_back_and_is_refused_on_a_running_server(path: Path) -> None:
    path.unlink()
    save(path, FACTS, size=1)
    prune(str(path), LATER_MS)
    before, after = vacuum(str(path))
    assert (path.stat().st_size, after < before) == (after, True)
    assert verify(str(path)).problems == []
    lock = DatabaseLock(str(path))
    with pytest.raises(StoreError, match="another server is running on the database"):
        vacuum(str(path))
    lock.release()
