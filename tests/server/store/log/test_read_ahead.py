"""Reading ahead: tournaments read before this node leads the club continue with the facts written since."""

from contextlib import closing
from functools import partial

from rumble_server.arena.recovery import read
from rumble_server.store.log.read_ahead import RebuiltAhead
from rumble_server.tournament.facts import BotJoined, LogFact, TournamentStarted

from tests.server.store.databases import Database, opened
from tests.server.store.disk import write
from tests.server.store.log.test_async_reader import tournament


async def test_reading_ahead_goes_on_where_it_was(database: Database) -> None:
    ahead, facts = RebuiltAhead(), tournament("first", over=False, started=False)
    async with opened(database) as log:
        await write(log, *facts, *tournament("over"))
        with closing(database.reader()) as reader:
            ahead.read(reader)
            assert list(ahead.tournaments) == ["first"]
            assert list(ahead.facts(reader, "first")) == []
            begun, since = ahead.tournaments["first"], BotJoined("first", "carol", 3)
            await write(log, since, *tournament("second", over=False, started=False))
            assert list(ahead.facts(reader, "first")) == [since]
            of_first, of_second = (
                rebuilt
                for rebuilt, _ in read(
                    (),
                    reader.tournament_ids(over=False),
                    partial(ahead.facts, reader),
                    reader.facts_of_matches,
                    ahead.tournaments,
                ).tournaments
            )
    assert of_first is begun
    assert list(of_first.field) == ["alice", "bob", "carol"]
    assert list(of_second.field) == ["alice", "bob"]


async def test_a_tournament_that_cannot_be_rebuilt_is_left_to_its_leader(database: Database) -> None:
    bad: list[LogFact] = [*tournament("bad", over=False)[:1], TournamentStarted("bad", ("alice",), (), 3)]
    ahead = RebuiltAhead()
    async with opened(database) as log:
        await write(log, *bad, *tournament("good", over=False, started=False))
        with closing(database.reader()) as reader:
            ahead.read(reader)
            assert list(ahead.tournaments) == ["good"]
            found = read((), ["bad"], partial(ahead.facts, reader), reader.facts_of_matches, ahead.tournaments)
    assert list(found.damaged) == ["bad"]
