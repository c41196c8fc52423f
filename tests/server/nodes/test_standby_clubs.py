"""The clubs of a server on PostgreSQL that leads every club."""

import asyncio
from typing import Any

import pytest
from rumble_protocol.clubs import MAIN
from rumble_server.app import Server
from rumble_server.arena.commands.administrator import Administrator
from rumble_server.clubs.club import read_club
from rumble_server.config import ServerConfig
from rumble_server.limits.quotas import NO_QUOTAS
from rumble_server.store.errors import StoreError
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import LogFact, TournamentCreated, TournamentEnded

from tests.server.clubs.test_registry import Bot, club_of, create, loaded, rest, running
from tests.server.failing import failing_once
from tests.server.gateway.served import until
from tests.server.store.played import record

pytestmark = pytest.mark.e2e


async def test_on_postgresql_an_idle_club_has_no_leader_and_is_led_again(
    postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "rumble_server.nodes.led_clubs")
    async with running(postgres_url) as server:
        (chess,) = await create(server, "chess")
        await (bot := await Bot.of(server, "chess", name="ada", key="the whole key of ada")).hears("session")
        await bot.close()
        await until(lambda: not chess.gateway.has_sessions)
        await chess.log.wait(chess.log.last)
        rest(server)
        assert loaded(server) == [MAIN]
        wrong = await Bot.of(server, "chess", name="ada", key="the key of another bot")
        assert (await wrong.hears("error"))["code"] == "bad_key"
        assert club_of(server, "chess").log.epoch > chess.log.epoch
        assert sum(text.startswith("leading chess") for text in caplog.messages) == 2, "it was given up once"


async def test_on_postgresql_a_leader_goes_on_from_the_newest_fact(postgres_url: str) -> None:
    config = TournamentConfig(name="challenge", game="tictactoe", listed=False)
    async with running(postgres_url) as server:
        ahead_ms = server.arena.clock.now_ms() + 3_600_000  # as if by the clock of another node
        facts: list[LogFact] = [
            TournamentCreated("challenge", config, ahead_ms, "ada"),
            TournamentEnded("challenge", "cancelled", "", ahead_ms),
        ]
        for fact in facts:
            server.log.append(fact)
        server.log.add_record(record(facts))
        await server.log.wait(server.log.last)
    async with running(postgres_url) as server:
        assert server.arena.clock.now_ms() >= ahead_ms


async def test_a_server_that_lost_main_leads_no_club_and_ends(postgres_url: str) -> None:
    async with running(postgres_url) as server:
        (chess,) = await create(server, "chess")
        node = server._node
        assert node is not None
        node.lease.on_lead_lost("chess", chess.log.epoch - 1)
        assert not server.clubs.must_end.is_set()
        node.lease.on_lead_lost(MAIN, server.log.epoch)
        assert loaded(server) == ["chess"]
        assert chess.is_suspended
        assert server.clubs.must_end.is_set()
        with pytest.raises(StoreError, match="another node leads main"):  # nobody waits forever, not even the start
            await asyncio.wait_for(node.acquire("go"), 5)


def lose_lead_while_reading(monkeypatch: pytest.MonkeyPatch, server: Server, club: str) -> None:
    """Let the server lose the lead of a club while a thread reads the club for the first time."""
    loop, lost = asyncio.get_running_loop(), list[str]()

    def read(store: Any, name: str, *given: Any) -> Any:
        stored = read_club(store, name, *given)
        if name == club and not lost:
            lost.append(name)
            assert server._node is not None
            loop.call_soon_threadsafe(server._node.lease.on_lead_lost, name, stored.log.epoch)
        return stored

    monkeypatch.setattr("rumble_server.nodes.led_clubs.read_club", read)


async def test_a_server_that_loses_main_while_it_reads_main_does_not_start(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(ServerConfig(port=0, db=postgres_url, drain_ms=0))
    lose_lead_while_reading(monkeypatch, server, MAIN)
    with pytest.raises(StoreError, match="another node leads the club main"):
        await server.start()


async def test_a_club_lost_while_it_is_read_is_loaded_by_the_next_request(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(postgres_url) as server:
        Administrator(server.arena).create("chess", "", NO_QUOTAS)
        await server.log.wait(server.log.last)
        lose_lead_while_reading(monkeypatch, server, "chess")
        with pytest.raises(StoreError, match="another node leads the club chess"):
            await server.clubs.load("chess")
        assert loaded(server) == list(server.store.group.logs) == [MAIN]
        assert await server.clubs.load("chess") is server.clubs.get_loaded("chess") is not None


async def test_a_club_whose_loading_fails_is_loaded_by_the_next_request(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(postgres_url) as server:
        Administrator(server.arena).create("chess", "", NO_QUOTAS)
        await server.log.wait(server.log.last)
        monkeypatch.setattr("rumble_server.nodes.led_clubs.read_club", failing_once(read_club))
        with pytest.raises(RuntimeError, match="a bug of the test"):
            await server.clubs.load("chess")
        await until(lambda: "club chess cannot be loaded here" in caplog.text)
        assert await server.clubs.load("chess") is server.clubs.get_loaded("chess") is not None
