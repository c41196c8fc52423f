"""All clubs share a database of each kind, and each sees only itself, even where names overlap."""

import asyncio
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from rumble_server.match.facts import FrameSeen, FrameShared, MatchStarted
from rumble_server.store.care import damage
from rumble_server.store.errors import Pruned, StoreError
from rumble_server.store.log.content import DETAIL
from rumble_server.store.open import is_postgres, open_store
from rumble_server.store.sqlite import pruning
from rumble_server.tournament.club_facts import NameUsed
from rumble_server.tournament.facts import LogFact, TournamentCreated, TournamentEnded

from tests.server.store.databases import Database, opened_store
from tests.server.store.disk import HeldCommits, Listener, joined
from tests.server.store.played import FACTS, as_challenges, facts_of, record

CLUBS = ["main", "a", "a-b", "ab", "a0", "friday"]
"""Names of clubs, some of which begin with other names; one is a tournament's, too."""
MATCH = next(fact.match for fact in FACTS if isinstance(fact, MatchStarted) and fact.tournament == "friday")
OF_MATCH = [fact for fact in FACTS if getattr(fact, "match", None) == MATCH]


def name_of(club: str) -> NameUsed:
    return NameUsed(f"bot-of-{club}", None, None, 0)


async def fill(store: Any, clubs: Sequence[str], facts: Sequence[LogFact] = FACTS) -> None:
    """Have each club play the same matches under the same ids."""
    for club in clubs:
        store.open_log(club)
    for fact in facts:
        for club in clubs:
            store.log(club).append(fact)
            if isinstance(fact, TournamentEnded):
                store.log(club).add_record(record(facts_of(facts, fact.tournament)))
    for club in clubs:
        store.log(club).append(name_of(club))
    await store.wait_all()


def problems(database: Database) -> list[str]:
    if not is_postgres(database.url):
        return damage.verify(database.url).problems
    from rumble_server.store.care import postgres_damage

    return postgres_damage.verify(database.url).problems


def prune(database: Database, ended_before_ms: int, club: str | None = None) -> tuple[int, int]:
    if not is_postgres(database.url):
        return pruning.prune(database.url, ended_before_ms, club)
    from rumble_server.store.postgres.pruning import prune

    return prune(database.url, ended_before_ms, club)


def own(facts: Sequence[LogFact]) -> list[LogFact]:
    """Return the facts of a match without frames, since frames may be shared with other matches."""
    return [fact for fact in facts if not isinstance(fact, FrameSeen | FrameShared)]


@pytest.mark.parametrize("club", CLUBS)
async def test_a_club_reads_only_its_own_rows(database: Database, club: str) -> None:
    async with opened_store(database) as store:
        await fill(store, [each for each in CLUBS if each != club])
        with closing(store.reader(club)) as reader:
            assert (
                reader.tournament_ids() == reader.ended_ids(9, listed=True) == reader.tournament_ids(over=False) == []
            )
            assert reader.only_listed(["friday"]) == []
            assert reader.ended(["friday"]) == {}
            assert club not in reader.ended_by_club()
            assert reader.club_facts() == ([], {})
            assert reader.tournament_facts("friday") == reader.first_facts("friday") == reader.match_facts(MATCH) == []
            assert reader.facts_of_matches("friday", [MATCH]) == {}
            assert reader.neighbours(MATCH) == (None, None, None)
        await fill(store, [club])
        with closing(store.reader(club)) as reader:
            assert reader.tournament_ids() == reader.tournament_ids(over=True) == ["friday", "monday"]
            assert reader.tournament_ids(over=False) == []
            assert reader.ended_ids(1, listed=True) == ["monday"]
            assert reader.only_listed(["monday", "friday"]) == ["friday", "monday"]
            assert reader.ended(["friday"])["friday"].status == "finished"
            counted, by_status = reader.ended_by_club()[club]
            assert (counted >= store.log(club).durable, by_status) == (True, {"finished": 2})
            assert reader.club_facts()[0][-1] == name_of(club)
            assert reader.tournament_facts("friday") == facts_of(FACTS, "friday")
            assert isinstance(reader.first_facts("friday")[0], TournamentCreated)
            assert own(reader.match_facts(MATCH)) == own(OF_MATCH)
            assert own(reader.facts_of_matches("friday", [MATCH])[MATCH]) == own(OF_MATCH)
            assert reader.neighbours(MATCH).next is not None


async def test_clubs_in_play_are_those_with_a_tournament_that_is_not_over(database: Database) -> None:
    async with opened_store(database) as store:
        await fill(store, ["main", "a"])
        created = next(fact for fact in FACTS if isinstance(fact, TournamentCreated))
        for log in (store.open_log("ab"), store.log()):
            log.append(replace(created, tournament="sunday"))
        await store.wait_all()
        assert store.clubs_in_play() == ["ab", "main"]


async def test_one_commit_gathers_all_clubs_and_each_hears_of_its_own(database: Database) -> None:
    async with opened_store(database) as store:
        held = HeldCommits(store.group)
        held.go_on.set()
        logs = [store.open_log(club) for club in CLUBS]
        listeners = [Listener(log) for log in logs]
        numbers = [log.append(joined(at)) for at, log in enumerate(logs)]
        await asyncio.gather(*(log.wait(number) for log, number in zip(logs, numbers, strict=True)))
        assert [len(each) for each in held.commits] == [len(CLUBS)]
        assert [each.facts for each in listeners] == [[(number, joined(at))] for at, number in enumerate(numbers)]
        assert [(log.last, log.durable) for log in logs] == [(number, number) for number in numbers]


@pytest.mark.slow
async def test_a_record_is_found_in_its_own_club(database: Database) -> None:
    async with opened_store(database) as store:
        await fill(store, ["go"])
        assert await store.async_reader("main").ended("friday") is None
        assert await store.async_reader("nobody").ended("friday") is None
        assert await store.async_reader("go").ended("friday") == record(facts_of(FACTS, "friday"))


async def test_small_values_are_kept_by_club(database: Database) -> None:
    async with opened_store(database) as store:
        for club in ("main", "a", "ab"):
            store.put("identity", "old", club)
            store.put("identity", club, club)
        assert [store.get("identity", club) for club in ("main", "a", "ab", "b")] == ["main", "a", "ab", None]


async def test_a_value_that_is_made_once_is_the_same_for_all_servers_that_start(database: Database) -> None:
    async with opened_store(database) as store:
        assert store.get_or_put("identity", "first") == "first"
        assert store.get_or_put("identity", "second") == "first"
        assert store.get("identity") == "first"


async def test_a_sum_of_bytes_is_kept_for_each_club(database: Database) -> None:
    async with opened_store(database) as store:
        await fill(store, ["a", "ab"])
        sums = {club: store.log(club).bytes for club in ("a", "ab")}
        assert min(sums.values()) > 1000
    again = open_store(database.url)
    assert {club: again.open_log(club).bytes for club in sums} == sums
    assert again.open_log("new").bytes == 0
    with closing(again.reader()) as reader:
        assert {club: reader.of(club).bytes() for club in sums} == sums
        assert reader.of("another").bytes() == 0
    await again.close()


async def test_plies_of_old_tournaments_go_in_one_club_or_in_all(database: Database) -> None:
    """In SQLite, no match is in the index of matches before the second start."""

    def where(club: str) -> str:
        return f"club = '{club}'" if is_postgres(database.url) else f"tournament LIKE '{club}/%'"

    async with opened_store(database) as store:
        await fill(store, ["main", "a", "ab"])
    plies = f"SELECT count(*) FROM log WHERE {where('a')} AND kind = {DETAIL} AND tournament NOT IN ('', 'a/')"
    ((count,),) = database.rows(plies)
    assert prune(database, 0) == (0, 0)
    assert prune(database, 1 << 60, "a") == (2, count)
    with closing(database.reader()) as reader:
        with pytest.raises(Pruned, match=f"the moves of {MATCH} were deleted to save space; its result is kept"):
            reader.of("a").match_facts(MATCH)
        assert reader.of("a").match_facts("friday.9.9.9.9") == []
        assert reader.of("a").tournament_facts("friday") == facts_of(FACTS, "friday")
        assert reader.of("a").ended(["friday"]) == reader.ended(["friday"]) != {}
        assert reader.of("a").club_facts() != ([], {})
        for club in ("main", "ab"):
            assert reader.of(club).match_facts(MATCH) != []
    async with opened_store(database):
        pass
    assert prune(database, 1 << 60)[0] == 4
    assert prune(database, 1 << 60) == (0, 0)
    with closing(database.reader()) as reader:
        for club in ("a", "ab"):
            sizes = f"SELECT sum(length(facts)) FROM log WHERE {where(club)}"
            assert database.rows(sizes) == [(reader.of(club).bytes(),)]
    assert problems(database) == []
    with pytest.raises(StoreError, match="there is no club nobody in"):
        prune(database, 1 << 60, "nobody")


async def test_a_server_prunes_the_challenges_of_all_clubs_and_counts_their_bytes_anew(database: Database) -> None:
    async with opened_store(database) as store:
        await fill(store, ["main"])
        await fill(store, ["a"], as_challenges(FACTS))
        before = store.log("a").bytes
        await asyncio.to_thread(store.prune_challenges, 1 << 60, lambda: False)
        sizes = await asyncio.to_thread(store.count_bytes, ["a", "main"])
        with closing(store.reader("a")) as reader:
            assert reader.tournament_facts("friday") != []
            assert 0 < sizes["a"] == reader.bytes() < before
        with closing(store.reader()) as reader:
            assert reader.match_facts(MATCH) != []
            assert sizes.keys() == {"a", "main"}
