"""Clubs of nodes in one process: leaders, answers of the other nodes, and hand-overs."""

import asyncio
from pathlib import Path

import pytest
from rumble_protocol.clubs import MAIN
from rumble_protocol.codes import CloseCode
from rumble_server.arena.commands.administrator import Administrator
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.clubs.club import Club
from rumble_server.clubs.registry import ClubRegistry
from rumble_server.limits.quotas import NO_QUOTAS
from rumble_server.store.errors import StoreError
from rumble_server.store.log.reader import LogReader
from rumble_server.tournament.club_facts import NameUsed
from rumble_server.tournament.config import TournamentConfig

from tests.needs import need_module
from tests.server.failing import fail_if, failing_once, note_calls
from tests.server.gateway.served import until
from tests.server.store.disk import HeldCommits
from tests.server.world import Bot

need_module("psycopg", "postgres")
from rumble_server.nodes import node, node_clubs  # noqa: E402

from tests.server.nodes.memory_nodes import MemoryCluster, MemoryNode, memory_nodes  # noqa: E402


def play(bot: Bot) -> Bot:
    bot.play(lambda turn: str(turn["legal"][0]))
    return bot


def playing(cluster: MemoryCluster, club: Club, cycles: int = 100) -> list[Bot]:
    """Begin a tournament of two bots in a club, at the club's leader."""
    Organiser(club.arena).create(TournamentConfig(name="Friday", game="tictactoe", cycles=cycles, start_at_bots=2))
    leader = cluster.leader(club.name)
    return [play(leader.bot(club.name, name, key=name * 4, join="friday")) for name in ("anna", "bert")]


async def never(_club: str) -> None:
    await asyncio.Event().wait()


def other_than(cluster: MemoryCluster, leader: MemoryNode) -> MemoryNode:
    return next(each for each in cluster.nodes if each is not leader)


async def test_one_node_leads_a_club_and_the_others_say_that_another_does(tmp_path: Path) -> None:
    async with memory_nodes(tmp_path, 3) as cluster:
        club = await cluster.led("one")
        bots = playing(cluster, club, cycles=2)
        await until(lambda: all(bot.inbox.all("tournament_over") for bot in bots))
        leader = cluster.leader("one")
        assert [each.clubs.must_redirect("one") for each in cluster.nodes] == [
            each is not leader for each in cluster.nodes
        ]
        main = cluster.leader(MAIN)
        for each in cluster.nodes:
            assert each.clubs.must_redirect("nobody") is (each is not main), (
                "the leader of main knows that there is none"
            )
            assert await each.clubs.load("nobody") is None


@pytest.mark.slow
async def test_a_club_that_moves_goes_on_from_facts_read_ahead_when_its_bots_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with memory_nodes(tmp_path, 2) as cluster:
        club = await cluster.led("one")
        leader = cluster.leader("one")
        other = other_than(cluster, leader)
        bots = playing(cluster, club)
        await until(lambda: all(bot.inbox.all("match_over") for bot in bots))
        read = note_calls(monkeypatch, LogReader, "facts_after")
        cluster.leases.move("one", other.id)
        await until(lambda: all(bot.link.closed is not None for bot in bots))
        assert "one" in other.leads(), "bots are closed when they can come back"
        assert [bot.link.closed for bot in bots] == [CloseCode.NO_LEADER] * 2
        assert len(read) == 2, "ahead, and when it was led"
        assert 0 == read[0][2] < read[1][2]
        assert other.led._ahead == {}
        back = [play(other.bot("one", name, key=name * 4)) for name in ("anna", "bert")]
        await until(lambda: all(bot.inbox.all("match_over") for bot in back))
        assert all(bot.inbox.all("session") for bot in back)


async def test_a_club_that_cannot_be_read_ahead_for_a_moment_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with memory_nodes(tmp_path, 2) as cluster:
        await cluster.led("one")
        other = other_than(cluster, cluster.leader("one"))
        failed = fail_if(monkeypatch, other.led, "_rebuild", lambda *_: True, times=2)
        cluster.leases.move("one", other.id)
        await until(lambda: len(failed) == 1)
        cluster.leases.look()
        await until(lambda: len(failed) == 2)
        cluster.leases.look()
        await until(lambda: "one" in other.leads())
    assert caplog.text.count("club one cannot be read ahead") == 2


async def test_a_node_that_stops_waits_only_for_a_while_for_clubs_that_do_not_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node, "HAND_OVER_S", 0.05)
    async with memory_nodes(tmp_path, 2) as cluster:
        leader = cluster.leader(MAIN)

        other_than(cluster, leader).led._rebuild = never  # type: ignore[method-assign,assignment]
        async with asyncio.timeout(10):
            await leader.node.hand_all_over()
        assert leader.leads() == [MAIN]


async def test_a_club_that_is_read_ahead_and_not_handed_over_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_clubs, "AHEAD_S", 0.0)
    async with memory_nodes(tmp_path, 2) as cluster:
        await cluster.led("one")
        other = other_than(cluster, cluster.leader("one"))
        await other.led._rebuild("one")
        await until(lambda: not other.led._ahead)
        fail_if(monkeypatch, cluster.store, "reader", lambda *_: True, error=StoreError("no database"))
        with pytest.raises(StoreError, match="no database"):
            await other.led._rebuild("one")


async def test_changes_of_clubs_and_bans_in_main_are_followed_on_every_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_clubs, "READ_MAIN_S", 0.01)
    async with memory_nodes(tmp_path, 2) as cluster:
        main = cluster.leader(MAIN)
        other = other_than(cluster, main)
        await cluster.led("one", by=other)
        bot = other.bot("one", "anna")
        Organiser(cluster.main.arena).ban("192.0.2.0/24", by_name=False, until_ms=None, reason="")
        bans = other.clubs.main.arena.bans if MAIN in other.leads() else other.clubs.shared.admission.bans
        await until(lambda: bans.of_address("192.0.2.1", 1) is not None)
        await cluster.remove("one")
        await until(lambda: other.clubs.get_loaded("one") is None)
        assert bot.link.closed == CloseCode.CLUB_REMOVED
        await until(lambda: cluster.leases.table.clubs["one"].node is None)
        assert other.clubs.was_removed("one")


async def test_main_is_followed_after_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(node_clubs, "READ_MAIN_S", 0.01)
    async with memory_nodes(tmp_path, 2) as cluster:
        monkeypatch.setattr(LogReader, "club_facts_after", failing_once(LogReader.club_facts_after))
        await until(lambda: "main could not be followed" in caplog.text)
        Administrator(cluster.main.arena).create("one", "", NO_QUOTAS)
        await until(lambda: all(each.clubs.knows("one") for each in cluster.nodes))
    assert "a bug of the test" in caplog.text


async def test_every_node_tells_the_uses_of_all_clubs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_clubs, "WRITE_USES_S", 0.01)
    async with memory_nodes(tmp_path, 2) as cluster:
        for number, each in enumerate(cluster.nodes):
            await cluster.led(f"club-{number}", by=each)
            each.bot(f"club-{number}", "anna")
        written = cluster.leases.uses
        await until(lambda: sum(use["connected"] for uses in written.values() for use in uses.values()) == 2)
        for each in cluster.nodes:
            uses = await each.clubs.read_uses(stored=False)
            assert {club: use.connected for club, use in uses.items() if use.connected} == {"club-0": 1, "club-1": 1}


async def test_uses_are_told_after_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(node_clubs, "WRITE_USES_S", 0.01)
    monkeypatch.setattr(ClubRegistry, "local_uses", failing_once(ClubRegistry.local_uses))
    async with memory_nodes(tmp_path, 1) as cluster:
        await until(lambda: bool(cluster.leases.uses))
    assert "a bug of the test" in caplog.text


async def test_a_club_in_which_nothing_runs_is_given_up_and_led_again(tmp_path: Path) -> None:
    async with memory_nodes(tmp_path, 2) as cluster:
        await cluster.led("one")
        leader = cluster.leader("one")
        for look in (1, 2):
            leader.clubs.unload_idle(leader.clock.now_ms() + look * 10**9)
        await until(lambda: cluster.leases.table.clubs["one"].node is None)
        assert all(each.clubs.must_redirect("one") for each in cluster.nodes)
        await until(lambda: any("one" in each.leads() for each in cluster.nodes))


async def test_a_club_that_is_lost_while_it_is_read_leaves_no_open_log(tmp_path: Path) -> None:
    async with memory_nodes(tmp_path, 1) as cluster:
        await cluster.create("go")
        with pytest.raises(StoreError, match="another node leads the club go"):
            await cluster.nodes[0].led._load("go", 7)
        assert list(cluster.store.group.logs) == [MAIN]


@pytest.mark.parametrize("is_led_again", [False, True])
async def test_a_node_that_lost_main_forgets_clubs_and_bans_that_did_not_reach_the_disk(
    tmp_path: Path, is_led_again: bool
) -> None:
    async with memory_nodes(tmp_path, 2) as cluster:
        await cluster.create("go")
        second = cluster.leader(MAIN)
        first = other_than(cluster, second)
        cluster.leases.move(MAIN, first.id)
        await until(lambda: MAIN in first.leads())
        main = first.clubs.main
        held = HeldCommits(cluster.store.group)
        main.log.append(NameUsed("anna", None, None, 0))
        cluster.store.group.write()
        Administrator(main.arena).create("chess", "", NO_QUOTAS)
        Organiser(main.arena).ban("192.0.2.1", by_name=False, until_ms=None, reason="")
        row = cluster.leases.table.clubs[MAIN]
        row.node, row.epoch = second.id, row.epoch + 2
        cluster.leases.look()
        await until(lambda: MAIN in second.leads() and first.clubs.get_loaded(MAIN) is None)
        if is_led_again:
            cluster.leases.move(MAIN, first.id)
            await until(lambda: MAIN in first.leads())
        else:
            await first.led._main.read()
        assert [each.name for each in first.clubs.directory] == [MAIN, "go"]
        assert list(first.clubs.shared.admission.bans) == []
        held.go_on.set()
