"""`rumble db copy`: everything or nothing goes to the other kind of database, and no turn id comes twice."""

import asyncio
import time
from contextlib import AbstractAsyncContextManager, closing
from pathlib import Path
from typing import Any

import pytest
from rumble_server.app import Server
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.limits.bounds import Bounds
from rumble_server.store.care.copying import copy_database
from rumble_server.store.errors import StoreError
from rumble_server.store.log.copied import last_fact
from rumble_server.store.open import open_store
from rumble_server.store.sqlite.lock import DatabaseLock
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.store.sqlite.store import SqliteStore
from rumble_server.tournament.club_facts import VersionSaved
from rumble_server.tournament.config import TournamentConfig

from tests.needs import need_module
from tests.postgres.cluster import run
from tests.server import whole_server
from tests.server.store.databases import SqliteDatabase, opened_store
from tests.server.store.disk import rows, shut
from tests.server.store.played import execute
from tests.server.store.test_clubs import MATCH, fill
from tests.server.whole_server import Bot

need_module("psycopg", "postgres")
from rumble_server.store.care.postgres_damage import verify  # noqa: E402
from rumble_server.store.postgres.copying import PostgresContents  # noqa: E402

pytestmark = pytest.mark.e2e
NOW_MS = 1_000_000
LEASE_MS = 1_000
CLUBS = ["main", "a", "ab"]


async def played(path: Path, clubs: list[str]) -> None:
    async with opened_store(SqliteDatabase(path.parent)) as store:
        await fill(store, clubs)
        for club in clubs:
            store.put("identity", f"of {club}", club)
            store.log(club).append(VersionSaved("anna", 1, "python", f"# of {club}", NOW_MS))
        await store.wait_all()
        store.run_number_of()


def is_empty(url: str) -> bool:
    there = run(url, "SELECT to_regclass('log') IS NOT NULL")[0][0]
    return not there or run(url, "SELECT count(*) FROM log UNION SELECT count(*) FROM clubs") == [(0,)]


async def test_all_clubs_go_to_postgresql(path: Path, postgres_url: str) -> None:
    await played(path, CLUBS)
    count = len(rows(path))
    assert copy_database(f"sqlite:///{path}", postgres_url, NOW_MS) == (3, count)
    assert verify(postgres_url).problems == []
    old, new = SqliteStore(str(path)), open_store(postgres_url)
    for club in CLUBS:
        with closing(old.reader(club)) as before, closing(new.reader(club)) as after:
            for ask in ("tournament_facts", "first_facts"):
                assert getattr(after, ask)("friday") == getattr(before, ask)("friday") != []
            assert after.match_facts(MATCH) == before.match_facts(MATCH) != []
            assert after.club_facts() == before.club_facts()
            assert after.ended(["friday", "monday"]) == before.ended(["friday", "monday"]) != {}
            assert after.ended_ids(9, listed=True) == before.ended_ids(9, listed=True) == ["monday", "friday"]
            assert after.neighbours(MATCH) == before.neighbours(MATCH)
            assert after.versions("anna") == before.versions("anna") != []
        assert (new.get("identity", club), new.get("runs", club)) == (f"of {club}", None)
        assert new.open_log(club).epoch > NOW_MS
        texts = [str(text) for (text,) in rows(path, f"SELECT facts FROM log WHERE tournament LIKE '{club}/%'")]
        assert new.log(club).last == max(map(last_fact, texts))
        assert new.log(club).bytes == old.open_log(club).bytes
    await new.close()
    shut(old)


async def test_a_copy_begins_above_every_run_and_epoch(path: Path, postgres_url: str) -> None:
    await played(path, ["main"])
    store = SqliteStore(str(path))
    store.put("runs", "2000000")
    shut(store)
    copy_database(str(path), postgres_url, NOW_MS)
    assert run(postgres_url, "SELECT club, epoch, node FROM clubs") == [("main", 2_000_000, None)]
    run(postgres_url, "UPDATE clubs SET epoch = 3000000")
    back = path.with_name("back.db")
    copy_database(postgres_url, str(back), NOW_MS)
    store = SqliteStore(str(back))
    assert store.run_number_of() == 3_000_001
    shut(store)


async def test_main_alone_goes_back_to_a_file(path: Path, postgres_url: str) -> None:
    await played(path, ["main"])
    copy_database(str(path), postgres_url, NOW_MS)
    back = path.with_name("back.db")
    assert copy_database(postgres_url, str(back), NOW_MS) == (1, len(rows(path)))
    for query in ("SELECT * FROM log", "SELECT * FROM ended ORDER BY id", "SELECT * FROM tournaments"):
        assert rows(back, query) == rows(path, query) != []
    with closing(read_sqlite(str(path))) as one, closing(read_sqlite(str(back))) as other:
        assert one.match_facts(MATCH) == other.match_facts(MATCH) != []
    with pytest.raises(StoreError, match=r"back.db exists; choose another name"):
        copy_database(postgres_url, str(back))
    run(postgres_url, "INSERT INTO clubs (club) VALUES ('go')")
    with pytest.raises(StoreError, match="only a database with no club but main can be copied to a file"):
        copy_database(postgres_url, str(path.with_name("other.db")))
    assert not path.with_name("other.db").exists()


async def test_a_database_that_has_one_of_the_clubs_is_left_as_it_is(path: Path, postgres_url: str) -> None:
    await played(path, ["main", "a"])
    store = open_store(postgres_url)
    store.put("identity", "another", "a")
    await store.close()
    with pytest.raises(StoreError, match="has the club a already; nothing is copied"):
        copy_database(str(path), postgres_url)
    assert is_empty(postgres_url)


@pytest.mark.parametrize("harm", ["facts = substr(facts, 1, 20)", "tournament = replace(tournament, '/', '.')"])
async def test_a_damaged_database_is_not_copied(path: Path, postgres_url: str, harm: str) -> None:
    await played(path, ["main", "a"])
    execute(path, f"UPDATE log SET {harm} WHERE number = ?", rows(path)[-1][0])
    with pytest.raises(StoreError, match="of the log is damaged; `rumble db repair` first"):
        copy_database(str(path), postgres_url)
    assert is_empty(postgres_url)


@pytest.mark.parametrize("what", ["log", "tournaments", "records", "values"])
async def test_a_copy_that_differs_is_undone(
    path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    await played(path, ["main"])
    read = getattr(PostgresContents, what)
    monkeypatch.setattr(PostgresContents, what, lambda self, club: list(read(self, club))[:-1])
    with pytest.raises(StoreError, match="is not the same in the copy; nothing is copied"):
        copy_database(str(path), postgres_url)
    assert is_empty(postgres_url)


async def test_a_database_in_use_is_not_copied(path: Path, postgres_url: str) -> None:
    await played(path, ["main"])
    held = DatabaseLock(str(path))
    with pytest.raises(StoreError, match="another server is running on the database"):
        copy_database(str(path), postgres_url)
    held.release()
    copy_database(str(path), postgres_url)
    run(postgres_url, "INSERT INTO nodes (id, address, until, setup) VALUES ('1', 'http://b', now() + '1 day', '')")
    with pytest.raises(StoreError, match=r"a node is running on postgresql://.*: http://b"):
        copy_database(postgres_url, str(path.with_name("back.db")))


def test_a_copy_to_the_same_kind_is_refused_with_the_right_command(path: Path, postgres_url: str) -> None:
    with pytest.raises(StoreError, match="`rumble db backup` copies one"):
        copy_database(str(path), "other.db")
    with pytest.raises(StoreError, match="pg_dump copies one"):
        copy_database(postgres_url, postgres_url)
    with pytest.raises(StoreError, match="is not a database of Rumble"):
        copy_database(postgres_url, str(path))


# --- a tournament that runs ---


def running(url: str) -> AbstractAsyncContextManager[Server]:
    return whole_server.running(url, bounds=Bounds(lease_ms=LEASE_MS))


def begun(server: Server) -> list[Bot]:
    """Begin a tournament of two bots, and return the bots."""
    Organiser(server.arena).create(TournamentConfig(name="Friday", game="tictactoe", legs=1, start_at_bots=2))
    bots = come(server)
    for bot in bots:
        bot.say(type="join", tournament="friday")
    return bots


def come(server: Server) -> list[Bot]:
    return [Bot(server, name) for name in ("ann", "ben")]


async def play_to_the_end(server: Server, *old: dict[str, Any]) -> None:
    """Assert that the match goes on from the turn of the last of the old turns, which are all stale."""
    bots = come(server)
    bot, turn = await turn_of(bots)
    assert (turn["match"], turn["ply"]) == (old[-1]["match"], old[-1]["ply"])
    for each in old:
        assert turn["turn_id"] != each["turn_id"]
        bot.say(**move(each))
        assert (await bot.hears("rejected"))[0]["code"] == "stale_turn"
    bot.say(**move(turn))
    await asyncio.gather(*(play_on(each) for each in bots))


async def turn_of(bots: list[Bot]) -> tuple[Bot, dict[str, Any]]:
    """Wait until it is the turn of one of the bots; return the bot and the turn."""
    waiting = {asyncio.create_task(bot.hears("turn")): bot for bot in bots}
    done, others = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for each in others:
        each.cancel()
    task = done.pop()
    return waiting[task], dict(task.result()[0])


def move(turn: dict[str, Any]) -> dict[str, str]:
    return {"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": turn["legal"][0]}


async def play_on(bot: Bot) -> None:
    """Answer every turn until the tournament is over."""
    while (frame := await bot.frames.get())["type"] != "tournament_over":
        if frame["type"] == "turn":
            bot.say(**move(dict(frame)))


@pytest.mark.slow
async def test_a_running_tournament_goes_on_and_an_old_turn_is_stale(path: Path, postgres_url: str) -> None:
    async with running(str(path)) as server:
        bots = begun(server)
        for _ in range(3):
            bot, old = await turn_of(bots)
            bot.say(**move(old))
        bot, old = await turn_of(bots)
        await server.store.wait_all()
    before = int(1000 * time.time())
    copy_database(str(path), postgres_url)
    async with running(postgres_url) as server:
        assert server.store.run_number_of() > before
        await play_to_the_end(server, old)
        reader = server.store.reader()
    with closing(reader):
        assert reader.ended(["friday"])["friday"].status == "finished"
