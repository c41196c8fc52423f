"""Rebuilt tournaments follow the log, and only as many are kept as fit."""

from contextlib import closing

import pytest
from rumble_server.store.log.reader import LogReader
from rumble_server.store.log.rebuilt_tournaments import RebuiltTournaments
from rumble_server.tournament.facts import BotJoined

from tests.server.failing import note_calls
from tests.server.store.databases import Database, opened
from tests.server.store.disk import write
from tests.server.store.log.test_async_reader import tournament


async def test_only_new_facts_are_read(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = note_calls(monkeypatch, LogReader, "facts_after")
    facts = tournament("first", over=False, started=False)
    async with opened(database) as log:
        await write(log, *facts)
        with closing(RebuiltTournaments(database.reader, 100)) as kept:
            before = kept.rebuilt("main", "first")
            assert before is not None
            assert list(before.tournament.field) == ["alice", "bob"]
            await write(log, BotJoined("first", "carol", 3))
            after = kept.rebuilt("main", "first")
            assert after is before
            assert list(after.tournament.field) == ["alice", "bob", "carol"]
            assert after.facts() == [*facts, BotJoined("first", "carol", 3)]
            assert kept.rebuilt("main", "nope") is None
    assert [number for _, _, number in asked[:2]] == [0, len(facts)]


async def test_the_tournament_asked_for_longest_ago_goes(database: Database) -> None:
    async with opened(database) as log:
        for name in ("one", "two", "three"):
            await write(log, *tournament(name))
        with closing(RebuiltTournaments(database.reader, 4)) as kept:
            one = kept.rebuilt("main", "one")
            two = kept.rebuilt("main", "two")
            assert kept.rebuilt("main", "one") is one
            kept.rebuilt("main", "three")
            assert kept.rebuilt("main", "one") is one
            assert kept.rebuilt("main", "two") is not two
        with closing(RebuiltTournaments(database.reader, 1)) as kept:
            assert kept.rebuilt("main", "one") is kept.rebuilt("main", "one"), "the last one stays, whatever its size"
