"""Reading the log: whatever the batches, a reader returns exactly the requested facts, in order."""

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from random import Random
from sqlite3 import OperationalError, connect

import pytest
from rumble_server.match.facts import FrameSeen, FrameShared, MatchOver, MatchStarted, with_shared_frames
from rumble_server.match.match_id import neighbours, tournament_id_of
from rumble_server.store.errors import StoreError
from rumble_server.store.sqlite.rows import SqliteReader, read_sqlite
from rumble_server.store.sqlite.store import SqliteStore
from rumble_server.tournament.club_facts import NameFact
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import (
    BotJoined,
    ConfigChanged,
    LogFact,
    TournamentCreated,
    TournamentEnded,
    TournamentFact,
    TournamentStarted,
    tournament_of,
)

from tests.server.store.databases import Commit, Database, opened
from tests.server.store.disk import batch_of, joined, write
from tests.server.world import World


def created(tournament: str, *, listed: bool = True) -> TournamentCreated:
    return TournamentCreated(tournament, TournamentConfig(name=tournament, game="tictactoe", listed=listed), 0)


def ended(tournament: str) -> TournamentEnded:
    return TournamentEnded(tournament, "finished", "done", 1)


@cache
def busy_world(seed: int) -> list[LogFact]:
    """Return the log of two simultaneous tournaments, with drops, void matches and strays."""
    random = Random(seed)
    world = World(seed=seed)
    for name in ("friday", "monday"):
        world.create(name=name, start_at_bots=4)
    bots = []
    for name in ("ann", "ben", "cid", "dan"):
        bots.append(world.player(name, lambda turn: random.choice(turn["legal"]), join="friday", max_matches=2))
        bots[-1].say(type="join", tournament="monday")
    while world.clock.step():
        chance = random.random()
        if chance < 0.02 and world.arena.matches.live:
            world.organiser.play_again(random.choice(list(world.arena.matches.live)))
        elif chance < 0.04:
            random.choice(bots).say_text("nonsense")
    return world.log.facts


def found_in(facts: Sequence[LogFact]) -> Callable[[FrameShared], FrameSeen]:
    """Return a function that finds shared frames, as the reader must."""

    def find(shared: FrameShared) -> FrameSeen:
        found = facts[shared.other_number - 1]
        assert isinstance(found, FrameSeen)
        return found

    return find


def write_batch(commit: Commit, facts: Sequence[LogFact], done: int, size: int, index: bool) -> int:
    """Write up to `size` facts after the first `done`, and return their number."""
    batch = batch_of(done + 1, *facts[done : done + size])
    commit(batch.content("main", done, epoch=1), index)
    return len(batch.facts)


def write_all(commit: Commit, facts: Sequence[LogFact], sizes: Sequence[int], indexed: float, random: Random) -> None:
    """Write facts in batches of any of these sizes, and the index of matches with this share of the batches."""
    done = 0
    while done < len(facts):
        done += write_batch(commit, facts, done, random.choice(sizes), random.random() < indexed)


@pytest.mark.parametrize("indexed", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_whatever_the_batches_every_fact_is_found_under_its_match_tournament_or_name(
    database: Database, seed: int, indexed: float
) -> None:
    facts = busy_world(seed)
    with database.writing() as commit:
        write_all(commit, facts, [1, 5, 40, 300], indexed, Random(seed))
    with closing(database.reader()) as reader:
        names = [fact for fact in facts if isinstance(fact, NameFact)]
        assert reader.club_facts() == (names, {})
        numbered, _ = reader.club_facts_after(0)
        assert [fact for _, fact in numbered] == names
        assert reader.club_facts_after(numbered[-1][0]) == ([], {})
        for tournament in ("friday", "monday"):
            own = [fact for fact in facts if tournament_of(fact) == tournament]
            assert reader.tournament_facts(tournament) == [fact for fact in own if isinstance(fact, TournamentFact)]
            matches = {fact.match for fact in own if isinstance(fact, MatchStarted)}
            assert len(matches) == 12
            for match in matches:
                expected = [fact for fact in own if getattr(fact, "match", None) == match]
                assert reader.match_facts(match) == list(with_shared_frames(expected, found_in(facts)))
                assert reader.facts_of_matches(tournament_id_of(match), [match]) == {match: expected}


@pytest.mark.parametrize("indexed", [0.0, 0.1, 1.0])
def test_neighbours_are_those_of_the_whole_schedule(database: Database, indexed: float) -> None:
    facts = busy_world(2)
    with database.writing() as commit:
        write_all(commit, facts, [40], indexed, Random(2))
    with closing(database.reader()) as reader:
        for tournament in ("friday", "monday"):
            matches = {fact.match for fact in facts if isinstance(fact, MatchStarted) and fact.tournament == tournament}
            found = [reader.neighbours(match) for match in matches]
            assert found == [neighbours(match, matches) for match in matches]
            assert sum(each.previous is None for each in found) == sum(each.next is None for each in found) == 1
        assert reader.neighbours("sunday.1.1.1.1") == (None, None, None)


def test_facts_without_an_index_are_looked_for_behind_the_index_alone(database: Database) -> None:
    facts = busy_world(1)
    with database.writing() as commit:
        indexed = write_batch(commit, facts, 0, len(facts) // 2, True)
        write_batch(commit, facts, indexed, len(facts) - indexed, False)
    with closing(database.reader()) as reader:
        started = [fact.match for fact in facts[:indexed] if isinstance(fact, MatchStarted)]
        assert reader.first_of(["not.1.1.1.1"]) == indexed + 1
        assert reader.first_of([*started, "not.1.1.1.1"]) <= indexed


def test_a_match_is_found_whole_at_every_moment(database: Database) -> None:
    facts = busy_world(1)
    match = next(fact.match for fact in facts if isinstance(fact, MatchOver) and fact.attempt == 1)
    with database.writing() as commit, closing(database.reader()) as reader:
        done = 0
        while done < len(facts):
            done += write_batch(commit, facts, done, 7, index=done % 5 == 0)
            expected = [fact for fact in facts[:done] if getattr(fact, "match", None) == match]
            assert reader.match_facts(match) == list(with_shared_frames(expected, found_in(facts)))


async def test_lists_are_oldest_first_and_the_newest_of_what_is_over_newest_first(
    database: Database,
) -> None:
    async with opened(database) as log:
        for name, listed in (("one", True), ("two", True), ("three", False), ("four", True), ("five", True)):
            await write(log, created(name, listed=listed), joined(1, name))
        for name in ("one", "three", "four", "five"):
            await write(log, TournamentStarted(name, ("a", "b"), (), 1), joined(2, name), ended(name))
    with closing(database.reader()) as reader:
        assert reader.ended_ids(2, listed=True) == ["five", "four"]
        assert reader.tournament_ids() == ["one", "two", "three", "four", "five"]
        assert reader.tournament_ids(over=True) == ["one", "three", "four", "five"]
        assert reader.tournament_ids(over=False) == ["two"]
        assert [type(fact) for fact in reader.first_facts("five")] == [TournamentCreated, BotJoined]


async def test_a_changed_configuration_lists_or_hides_a_tournament(database: Database) -> None:
    hidden = ConfigChanged("cup", created("cup", listed=False).config, 1)
    shown = ConfigChanged("cup", created("cup").config, 2)
    async with opened(database) as log:
        await write(log, created("cup"), hidden)
        with closing(database.reader()) as reader:
            assert reader.only_listed(["cup"]) == []
        await write(log, shown)
        await write(log, hidden, ended("cup"))
    with closing(database.reader()) as reader:
        assert (reader.ended_ids(9, listed=True), reader.ended_ids(9, listed=False)) == ([], ["cup"])


async def test_the_newest_fact_tells_the_time_of_the_club(database: Database) -> None:
    async with opened(database) as log:
        with closing(database.reader()) as reader:
            assert reader.newest_ms() == 0
            await write(log, created("one"), created("two"), joined(7000, "one"), joined(6000, "two"))
            assert reader.newest_ms() == 7000
            await write(log, joined(9000, "two"))
            assert reader.newest_ms() == 9000


async def test_an_error_of_the_database_is_a_store_error(path: Path) -> None:
    async with opened(path):
        pass
    with closing(read_sqlite(str(path))) as reader:
        with closing(connect(path)) as database:
            database.execute("DROP TABLE tournaments")
        with pytest.raises(StoreError, match="cannot read the database"):
            reader.tournament_ids()


def test_a_reader_never_writes(path: Path) -> None:
    SqliteStore(str(path)).database.close()
    with closing(read_sqlite(str(path))) as reader:
        assert isinstance(reader, SqliteReader)
        with pytest.raises(OperationalError, match="readonly"):
            reader.database.execute("DELETE FROM main.log")
