"""All clubs are in one database, and each sees itself only, whatever their names have in common."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from rumble_server.match.facts import MatchStarted
from rumble_server.store.codec import write_facts
from rumble_server.store.damage import verify
from rumble_server.store.errors import Pruned, StoreError
from rumble_server.store.keys import prefix_of, split
from rumble_server.store.match_index import bytes_of
from rumble_server.store.pruning import prune
from rumble_server.store.repair import SERVER_ROWS_LOST, repair
from rumble_server.store.schema import open_database
from rumble_server.store.sqlite import SqliteStore
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import NameUsed, TournamentEnded
from rumble_server.tournament.rebuild import rebuild_tournament

from tests.server.store.disk import Told, joined, opened_store, rows, shut, write
from tests.server.store.played import change, cut, facts_of, played

CLUBS = ["main", "a", "a-b", "ab", "a0", "friday"]
"""Names that begin with others, and that of a tournament."""
FACTS = played("Friday", "Monday")
MATCH = next(fact.match for fact in FACTS if isinstance(fact, MatchStarted) and fact.tournament == "friday")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rumble.db"


def name_of(club: str) -> NameUsed:
    return NameUsed(f"bot-of-{club}", None, None, 0)


@asynccontextmanager
async def filled(path: Path, clubs: Sequence[str] = CLUBS) -> AsyncIterator[SqliteStore]:
    """A database in which each of these clubs has played the same, under the same ids."""
    async with opened_store(path) as store:
        logs = [store.log(club) for club in clubs]
        for log in logs:
            log.append(name_of(log.club))
        for at, fact in enumerate(FACTS):
            for log in logs:
                log.append(fact)
                if isinstance(fact, TournamentEnded):
                    rebuilt = rebuild_tournament(facts_of(FACTS, fact.tournament))
                    assert rebuilt is not None
                    log.file(EndedTournament.of(rebuilt))
            if at % 40 == 0:
                await store.wait_all()
        await store.wait_all()
        yield store


def test_main_has_no_prefix_and_the_others_their_name() -> None:
    assert [prefix_of(club) for club in ("main", "a-b")] == ["", "a-b/"]
    assert [split(key) for key in ("friday", "", "a-b/friday", "a-b/")] == [
        ("main", "friday"),
        ("main", ""),
        ("a-b", "friday"),
        ("a-b", ""),
    ]


@pytest.mark.parametrize("club", CLUBS)
async def test_a_club_reads_what_is_its_own(path: Path, club: str) -> None:
    others = [each for each in CLUBS if each != club]
    alone = path.with_name("alone.db")
    async with filled(path, others), filled(alone, [club]) as expected:
        pass
    async with opened_store(path) as store:
        with closing(store.reader(club)) as reader:
            assert reader.tournament_ids() == reader.listed_ids(9) == reader.tournament_ids(over=False) == []
            assert reader.only_listed(["friday"]) == []
            assert reader.ended(["friday"]) == {}
            assert reader.server_facts() == ([], [])
            assert reader.tournament_facts("friday") == reader.outline("friday") == reader.match_facts(MATCH) == []
            assert reader.facts_of_matches("friday", [MATCH]) == {}
            assert reader.neighbours(MATCH) == (None, None, None)
        log = store.log(club)
        log.append(name_of(club))
        for fact in FACTS:
            log.append(fact)
            if isinstance(fact, TournamentEnded):
                rebuilt = rebuild_tournament(facts_of(FACTS, fact.tournament))
                assert rebuilt is not None
                log.file(EndedTournament.of(rebuilt))
        await store.wait_all()
        with closing(store.reader(club)) as reader, closing(expected.reader(club)) as one:
            assert reader.tournament_ids() == one.tournament_ids() == ["friday", "monday"]
            assert reader.tournament_ids(over=True) == ["friday", "monday"]
            assert reader.listed_ids(1) == one.listed_ids(1) == ["monday"]
            assert reader.only_listed(["monday", "friday"]) == ["friday", "monday"]
            assert reader.ended(["friday"]) == one.ended(["friday"]) != {}
            assert reader.server_facts() == one.server_facts()
            assert reader.server_facts()[0][0] == name_of(club)
            assert reader.tournament_facts("friday") == one.tournament_facts("friday") != []
            assert reader.outline("friday") == one.outline("friday") != []
            assert reader.match_facts(MATCH) == one.match_facts(MATCH) != []
            assert reader.facts_of_matches("friday", [MATCH]) == one.facts_of_matches("friday", [MATCH]) != {}
            assert reader.neighbours(MATCH) == one.neighbours(MATCH) != (None, None, None)


async def test_the_rows_of_a_club_have_its_name_and_those_of_main_have_none(path: Path) -> None:
    async with opened_store(path) as store:
        for club in ("main", "go"):
            store.log(club).append(name_of(club))
            store.log(club).append(joined(1))
        await store.wait_all()
    assert sorted(str(row[1]) for row in rows(path)) == ["", "friday", "go/", "go/friday"]
    assert b"go/" not in b"".join(str(row[0]).encode() for row in rows(path, "SELECT facts FROM log"))


async def test_one_commit_gathers_all_clubs_and_each_hears_of_its_own(path: Path) -> None:
    async with opened_store(path) as store:
        commits: list[int] = []
        write_all = store.group.writer.write

        async def counted(contents, *, again):  # type: ignore[no-untyped-def]
            commits.append(len(contents))
            return await write_all(contents, again=again)

        store.group.writer.write = counted  # type: ignore[method-assign]
        logs = [store.log(club) for club in CLUBS]
        told = [Told(log) for log in logs]
        numbers = [log.append(joined(at)) for at, log in enumerate(logs)]
        assert numbers == list(range(1, len(CLUBS) + 1)), "one sequence of all"
        await asyncio.gather(*(log.wait(number) for log, number in zip(logs, numbers, strict=True)))
        assert commits == [len(CLUBS)]
        assert [each.facts for each in told] == [[(number, joined(number - 1))] for number in numbers]
        assert [(log.last, log.durable) for log in logs] == [(number, number) for number in numbers]


async def test_a_club_that_is_opened_later_counts_on_from_all(path: Path) -> None:
    async with opened_store(path) as store:
        await write(store.log("go"), joined(1), joined(2))
    async with opened_store(path) as store:
        await write(store.log(), joined(3))
        log = store.log("go")
        assert log is store.log("go")
        assert log.last == log.durable == 2
        assert log.append(joined(4)) == 4


def test_small_values_are_kept_by_club(path: Path) -> None:
    store = SqliteStore(str(path))
    for club in ("main", "a", "ab"):
        store.put("identity", club, club)
    store.purge("identity", "a")
    assert [store.get("identity", club) for club in ("main", "a", "ab")] == ["main", None, "ab"]
    shut(store)


async def test_a_record_that_is_missing_is_made_and_filed_in_its_own_club(path: Path) -> None:
    async with opened_store(path) as store:
        for club in ("main", "go"):
            for fact in FACTS:
                store.log(club).append(fact)
        await store.wait_all()
        archive = store.archive("go")
        made = await archive.ended("friday")
        assert made is not None
        assert made.id == "friday"
        await asyncio.sleep(0)
        await store.wait_all()
        assert await store.archive("nobody").ended("friday") is None
    assert rows(path, "SELECT id FROM ended") == [("go/friday",)]


# --- bytes ---


async def test_a_sum_of_bytes_is_kept_for_each_club(path: Path) -> None:
    async with filled(path, ["main", "a", "ab"]) as store:
        sums = {club: store.log(club).bytes for club in ("a", "ab")}
    for club, known in sums.items():
        found = rows(path, f"SELECT sum(length(facts)) FROM log WHERE tournament LIKE '{club}/%'")
        assert found == [(known,)]
    store = SqliteStore(str(path))
    assert {club: store.log(club).bytes for club in sums} == sums
    assert store.log("new").bytes == 0
    assert store.log().bytes > sum(sums.values())
    shut(store)


async def test_pruning_one_club_leaves_the_others_and_lowers_its_sum(path: Path) -> None:
    async with filled(path, ["main", "a", "ab"]) as store:
        before = {club: store.log(club).bytes for club in ("a", "ab")}
    SqliteStore(str(path))._lock.release()
    tournaments, deleted = prune(str(path), 1 << 60, "a")
    assert tournaments == 2
    assert deleted > 0
    with closing(open_database(str(path))) as database:
        assert bytes_of(database, "ab") == before["ab"]
        left = database.execute("SELECT sum(length(facts)) FROM log WHERE tournament LIKE 'a/%'").fetchone()[0]
        assert bytes_of(database, "a") == left < before["a"]
    async with opened_store(path) as store:
        with closing(store.reader("a")) as reader, pytest.raises(Pruned):
            reader.match_facts(MATCH)
        for club in ("main", "ab"):
            with closing(store.reader(club)) as reader:
                assert reader.match_facts(MATCH) != []
    assert prune(str(path), 1 << 60)[0] == 4
    with pytest.raises(StoreError, match="there is no club nobody in"):
        prune(str(path), 1 << 60, "nobody")


# --- damage ---


async def test_damage_is_told_with_its_club_and_mended_there(path: Path) -> None:
    async with filled(path, ["main", "a", "ab"]):
        pass
    assert verify(str(path)).problems == []
    for (number,) in rows(path, "SELECT number FROM log WHERE tournament = 'a/'"):
        change(path, cut, int(str(number)))
    problems = verify(str(path)).problems
    assert [each for each in problems if "names, hosts and bans of the club a)" in each] == problems != []
    done = repair(str(path), str(path.with_name("backup.db")), 7)
    assert {f"club a: {line}" for line in SERVER_ROWS_LOST} <= set(done)
    assert not set(SERVER_ROWS_LOST) & set(done), "the doors of other clubs stay as they are"
    assert "club a: the claim to ann is lost: `rumble tournament reset-key ann` frees it" in done
    assert verify(str(path)).problems == []
    async with opened_store(path) as store:
        with closing(store.reader("a")) as reader:
            assert {fact.name for fact in reader.server_facts()[0] if isinstance(fact, NameUsed)} == {"ann", "ben"}
            assert reader.match_facts(MATCH) != []
        of_ab = rows(path, "SELECT sum(length(facts)) FROM log WHERE tournament LIKE 'ab/%'")
        assert of_ab == [(store.log("ab").bytes,)]


def test_a_fact_in_the_row_of_another_tournament_is_damage_in_a_club_too(path: Path) -> None:
    with closing(open_database(str(path))) as database:
        for number, tournament in ((1, "go/sunday"), (2, "go/friday")):
            row = (number, tournament, write_facts([(number, joined(number, "friday"))]))
            database.execute("INSERT INTO log VALUES (?, ?, 0, ?, NULL)", row)
    of_sunday = "row 1 of the log (tournament go/sunday) is damaged: its facts belong elsewhere"
    assert verify(str(path)).problems == [of_sunday]


def test_a_database_of_one_club_is_as_it_was(path: Path) -> None:
    """Nothing but the rows that main always had: no sums, no keys."""

    async def run() -> None:
        async with filled(path, ["main"]):
            pass

    asyncio.run(run())
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT key FROM meta").fetchall() == [("indexed",)]
        assert database.execute("SELECT count(*) FROM matches WHERE instr(id, '/')").fetchone() == (0,)
