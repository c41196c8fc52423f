"""Rebuilt tournaments follow the log, and only as many are kept as fit."""

from contextlib import closing

import pytest
from rumble_server.store.errors import DamagedLog
from rumble_server.store.reader import LogReader
from rumble_server.store.shelf import Shelf
from rumble_server.tournament.facts import BotJoined, LogFact, TournamentStarted

from tests.server.store.databases import Database, opened
from tests.server.store.disk import write
from tests.server.store.test_archive import tournament


async def test_only_what_is_new_is_read(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    read = LogReader.facts_after

    def counted(self: LogReader, tournament_id: str, number: int):  # type: ignore[no-untyped-def]
        asked.append(number)
        return read(self, tournament_id, number)

    monkeypatch.setattr(LogReader, "facts_after", counted)
    facts = tournament("first", over=False, started=False)
    async with opened(database) as log:
        await write(log, *facts)
        with closing(Shelf(database.reader, 100)) as shelf:
            before = shelf.rebuilt("main", "first")
            assert before is not None
            assert list(before.tournament.field) == ["alice", "bob"]
            await write(log, BotJoined("first", "carol", 3))
            after = shelf.rebuilt("main", "first")
            assert after is before
            assert list(after.tournament.field) == ["alice", "bob", "carol"]
            assert after.facts() == [*facts, BotJoined("first", "carol", 3)]
            assert shelf.rebuilt("main", "nope") is None
    assert asked[:2] == [0, len(facts)]


async def test_what_was_asked_for_longest_ago_goes(database: Database) -> None:
    async with opened(database) as log:
        for name in ("one", "two", "three"):
            await write(log, *tournament(name))
        with closing(Shelf(database.reader, 4)) as shelf:
            one = shelf.rebuilt("main", "one")
            two = shelf.rebuilt("main", "two")
            assert shelf.rebuilt("main", "one") is one
            shelf.rebuilt("main", "three")
            assert shelf.rebuilt("main", "one") is one
            assert shelf.rebuilt("main", "two") is not two
        with closing(Shelf(database.reader, 1)) as shelf:
            assert shelf.rebuilt("main", "one") is shelf.rebuilt("main", "one"), "the last one stays, whatever its size"


async def test_facts_that_contradict_each_other_are_damage(database: Database) -> None:
    facts: list[LogFact] = [*tournament("first", over=False)[:1], TournamentStarted("first", ("alice",), (), 3)]
    async with opened(database) as log:
        await write(log, *facts)
        with closing(Shelf(database.reader, 4)) as shelf, pytest.raises(DamagedLog, match="bad facts"):
            shelf.rebuilt("main", "first")
