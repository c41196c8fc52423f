"""The loading of clubs in a process that leads every club."""

import asyncio
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from rumble_protocol.clubs import MAIN
from rumble_server.arena.arena import Arena
from rumble_server.arena.commands.administrator import Administrator
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.arena.recovery import restore_arena
from rumble_server.limits.quotas import NO_QUOTAS
from rumble_server.store.errors import StoreError
from rumble_server.store.log.club_log import ClubLog
from rumble_server.store.log.reader import LogReader
from rumble_server.tournament.club_facts import NameUsed
from rumble_server.tournament.config import TournamentConfig
from websockets.exceptions import InvalidStatus

from tests.server.clubs.test_registry import Bot, Houses, club_of, create, loaded, rest, running
from tests.server.failing import fail_if
from tests.server.gateway.served import until

pytestmark = pytest.mark.e2e


async def test_a_club_is_loaded_once_on_a_thread_and_there_is_none_of_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path / "x.db") as server:
        await create(server, "chess")
    async with running(tmp_path / "x.db") as server:
        threads: list[threading.Thread] = []
        facts = LogReader.club_facts

        def noted(self: LogReader) -> Any:
            threads.append(threading.current_thread())
            return facts(self)

        monkeypatch.setattr(LogReader, "club_facts", noted)
        assert server.clubs.get_loaded("chess") is None
        found = await asyncio.gather(*(server.clubs.load("chess") for _ in range(20)))
        assert len(set(map(id, found))) == 1
        assert found[0] is server.clubs.get_loaded("chess")
        assert [each is threading.current_thread() for each in threads] == [False]
        assert await server.clubs.load("nowhere") is None
        with pytest.raises(InvalidStatus) as refused:
            await Bot.of(server, "nowhere", name="ada")
        assert refused.value.response.status_code == 404


@pytest.fixture
def arenas(monkeypatch: pytest.MonkeyPatch) -> list[Arena]:
    """Let the construction of each club with a tournament fail at the end of its recovery. Return the clubs' arenas."""
    arenas: list[Arena] = []

    def failing(arena: Arena, *given: Any, **named: Any) -> None:
        restore_arena(arena, *given, **named)
        if arena.tournaments:
            arenas.append(arena)
            raise RuntimeError("a bug at the end of the recovery")

    monkeypatch.setattr("rumble_server.clubs.club.restore_arena", failing)
    return arenas


async def with_cups(path: Path, *names: str) -> None:
    """Create a database with clubs; each of these clubs has a tournament that is not over."""
    async with running(path) as server:
        await create(server, *(name for name in names if name != MAIN))
        for name in names:
            Organiser(club_of(server, name).arena).create(TournamentConfig(name="Cup", game="tictactoe"))


async def test_a_database_that_fails_for_a_moment_damages_no_tournament(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await with_cups(tmp_path / "x.db", "chess")
    lost = StoreError("the connection is lost")
    fail_if(monkeypatch, LogReader, "facts_after", lambda *_: True, times=1, error=lost)
    async with running(tmp_path / "x.db") as server:
        assert loaded(server) == [MAIN]
        await server.clubs.load("chess")
        assert list(club_of(server, "chess").arena.tournaments) == ["cup"]


async def test_a_club_that_fails_stops_no_other_and_leaves_nothing_that_acts(
    tmp_path: Path, arenas: list[Arena], caplog: pytest.LogCaptureFixture
) -> None:
    await with_cups(tmp_path / "x.db", "chess")
    async with running(tmp_path / "x.db") as server:
        assert loaded(server) == [MAIN]
        assert "club chess cannot be loaded" in caplog.text
        with pytest.raises(RuntimeError, match="a bug"):
            await server.clubs.load("chess")
        assert len(arenas) == 2
        assert all(arena.recorder.is_stopped for arena in arenas)
        assert [cast(ClubLog, arena.log).on_durable for arena in arenas] == [[], []]
        async with httpx.AsyncClient(base_url=server.url) as browser:
            assert (await browser.get("/api/tournaments")).status_code == 200


async def test_the_next_loading_of_a_club_that_failed_finds_the_facts_that_the_club_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors, read_facts = [RuntimeError("a bug after a fact")], LogReader.club_facts

    def recording(arena: Arena, *given: Any, **named: Any) -> None:
        restore_arena(arena, *given, **named)
        if arena.names.get("anna") is None:
            arena.recorder.record(NameUsed("anna", None, None, 0))
        if errors:
            raise errors.pop()

    def reading_slowly(self: LogReader) -> Any:
        found = read_facts(self)
        time.sleep(0.1)
        return found

    async with running(tmp_path / "x.db") as server:
        await create(server, "chess")
    async with running(tmp_path / "x.db") as server:
        monkeypatch.setattr("rumble_server.clubs.club.restore_arena", recording)
        monkeypatch.setattr(LogReader, "club_facts", reading_slowly)
        with pytest.raises(RuntimeError, match="a bug after a fact"):
            await server.clubs.load("chess")
        club = await server.clubs.load("chess")
        assert club is not None
        await club.log.wait(club.log.last)
        with closing(server.store.reader("chess")) as reader:
            assert sum(isinstance(fact, NameUsed) for fact in read_facts(reader)[0]) == 1


async def test_a_club_that_is_removed_while_it_is_read_leaves_no_open_log(tmp_path: Path) -> None:
    async with running(tmp_path / "x.db") as server:
        Administrator(server.arena).create("chess", "", NO_QUOTAS)
        await server.log.wait(server.log.last)
        loading = asyncio.create_task(server.clubs.load("chess"))
        await asyncio.sleep(0)
        Administrator(server.arena).remove("chess")
        assert await loading is None
        assert list(server.store.group.logs) == [MAIN]


async def test_without_main_a_server_does_not_start(tmp_path: Path, arenas: list[Arena]) -> None:
    await with_cups(tmp_path / "x.db", MAIN)
    with pytest.raises(RuntimeError, match="a bug"):
        async with running(tmp_path / "x.db"):
            pytest.fail("it runs without main")
    assert [arena.recorder.is_stopped for arena in arenas] == [True]


async def test_clubs_in_which_residents_wait_are_loaded_and_stay_so(tmp_path: Path) -> None:
    async with running(tmp_path / "x.db", Houses(), house=("random",)) as server:
        await create(server, "chess", "go")
        rest(server)
        assert loaded(server) == [MAIN]
        Administrator(server.arena).change("chess", house=True)
        await until(lambda: loaded(server) == [MAIN, "chess"])
        rest(server)
        assert loaded(server) == [MAIN, "chess"]
    async with running(tmp_path / "x.db", Houses(), house=("random",)) as server:
        assert loaded(server) == [MAIN, "chess"]
    async with running(tmp_path / "x.db", Houses()) as server:
        assert loaded(server) == [MAIN]
