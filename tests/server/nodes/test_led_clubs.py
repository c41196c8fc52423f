"""The commands of a node for its clubs."""

import asyncio
from math import inf
from pathlib import Path

import pytest
from rumble_protocol.clubs import MAIN
from rumble_protocol.codes import CloseCode
from rumble_server.clubs.club import Club
from rumble_server.store.errors import StoreError

from tests.needs import need_module
from tests.server.failing import fail, fail_if, note_calls
from tests.server.gateway.served import until

need_module("psycopg", "postgres")

from rumble_server.nodes import led_clubs, node_clubs  # noqa: E402

from tests.server.nodes.memory_nodes import MemoryNode, memory_nodes  # noqa: E402


async def test_a_node_that_drains_gives_all_away_one_club_at_a_time(tmp_path: Path) -> None:
    names = [f"club-{number}" for number in range(6)]
    standing: list[int] = []
    async with memory_nodes(tmp_path, 3) as cluster:
        first = cluster.nodes[0]
        for name in names:
            await cluster.led(name, by=first)
        hand_over = first.led.hand_over

        def counted(name: str) -> None:
            standing.append(len(first.clubs.stopped_clubs))
            hand_over(name)

        first.led.hand_over = counted  # type: ignore[method-assign]
        async with asyncio.timeout(10):
            await first.node.hand_all_over()
        assert first.leads() == []
        assert standing
        assert set(standing) == {0}
        rest = [name for each in cluster.nodes[1:] for name in each.leads()]
        assert sorted(rest) == sorted([*names, MAIN])


async def test_a_club_that_cannot_be_stopped_is_handed_over_nevertheless_and_so_is_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with memory_nodes(tmp_path, 2) as cluster, asyncio.timeout(10):
        first, second = cluster.nodes
        names = ["one", "two"]
        arenas = [(await cluster.led(name, by=first)).arena for name in names]
        monkeypatch.setattr(arenas[0], "stop", fail)
        for name in names:
            cluster.leases.move(name, second.id)
        await until(lambda: set(names) <= set(second.leads()))
        assert not set(names) & {club.name for club in first.clubs}
    assert "club one could not be stopped in order" in caplog.text


async def test_a_club_that_cannot_be_abandoned_after_its_hand_over_holds_up_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with memory_nodes(tmp_path, 2) as cluster, asyncio.timeout(10):
        first = cluster.nodes[0]
        club = await cluster.led("one", by=first)
        club.disconnect_all = fail  # type: ignore[method-assign]
        first.clubs.stopped_clubs["one"] = club
        first.led.close_handed_over("one")
    assert "club one could not be abandoned" in caplog.text


async def test_a_command_to_discard_a_club_does_not_call_the_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with memory_nodes(tmp_path, 1) as cluster, asyncio.timeout(10):
        (only,) = cluster.nodes
        chess = await cluster.led("chess")
        with monkeypatch.context() as patched:
            calls = note_calls(patched, only.node, "call_lease")
            only.node.lease.on_lead_lost("chess", chess.log.epoch)
            assert calls == []
        await until(lambda: chess.log.is_fenced)


def cannot_open(monkeypatch: pytest.MonkeyPatch, *nodes: MemoryNode, times: float = inf) -> list[tuple[str, int]]:
    """Have the next loadings of clubs fail at the end, on the given nodes; return the list of these loadings."""
    failed: list[tuple[str, int]] = []

    def open_house(club: Club) -> None:
        for node in nodes:
            if node.clubs.shared is club._shared and len(failed) < times:
                failed.append((node.id, club.log.epoch))
                raise RuntimeError("a bug of the test")

    monkeypatch.setattr(Club, "open_house", open_house)
    for node in nodes:
        node.clubs._is_house_open = True
    return failed


async def test_a_club_that_no_node_can_load_is_tried_by_all_in_turn_and_after_pauses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(node_clubs, "GIVE_UP_S", 0.01)
    async with memory_nodes(tmp_path, 3) as cluster:
        await cluster.create("one")
        failed = cannot_open(monkeypatch, *cluster.nodes, times=7)
        for node in cluster.nodes:
            node.clubs.must_redirect("one")
        await until(lambda: any("one" in node.leads() for node in cluster.nodes))
        nodes = [node for node, _ in failed]
        assert set(nodes[:3]) == {node.id for node in cluster.nodes}
        assert nodes == (nodes[:3] * 3)[:7]
        epochs = [epoch for _, epoch in failed]
        assert epochs == sorted(set(epochs))
        assert caplog.text.count("club one cannot be loaded here") == 7
        assert [node.clubs.get_loaded("one") is None for node in cluster.nodes].count(True) == 2, "half loaded"
        playing = cluster.leader("one").bot("one", "anna")
        await until(lambda: playing.inbox.all("session"))
        monkeypatch.setattr(node_clubs, "GIVE_UP_S", 3600.0)
        failed = cannot_open(monkeypatch, *cluster.nodes)
        (leader,) = [node for node in cluster.nodes if "one" in node.leads()]
        (other, _) = [node for node in cluster.nodes if node is not leader]
        cluster.leases.move("one", other.id)
        await until(lambda: bool(failed))
        for _ in range(200):
            await asyncio.sleep(0)
        assert len(failed) == 1
        cluster.leases.move("one", leader.id)
        await until(lambda: len(failed) == 2)


async def test_a_club_is_loaded_again_after_an_error_of_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(led_clubs, "AGAIN_S", 0.01)
    async with memory_nodes(tmp_path, 1) as cluster:
        failed = fail_if(monkeypatch, cluster.store, "open_led_log", lambda *_: True, 2, StoreError("not yet"))
        await cluster.led("one")
        assert len(failed) == 2


async def test_a_lone_node_tries_again_to_load_a_club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_clubs, "GIVE_UP_S", 0.01)
    async with memory_nodes(tmp_path, 1) as cluster:
        failed = cannot_open(monkeypatch, *cluster.nodes, times=2)
        await cluster.led("one")
        assert len(failed) == 2


@pytest.mark.parametrize("broken", ["gate.close", "feed.end_streams", "arena.resume"])
async def test_a_club_that_cannot_be_suspended_or_abandoned_or_go_on_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, broken: str
) -> None:
    async with memory_nodes(tmp_path, 1) as cluster:
        (only,) = cluster.nodes
        chess = await cluster.led("chess")
        bot = only.bot("chess", "anna")
        part, _, method = broken.partition(".")
        with monkeypatch.context() as patched:
            patched.setattr(getattr(only.clubs.main, part), method, fail)
            only.led.suspend()
            only.led.disconnect_all()
            suspended = [chess.is_suspended]
            assert bot.link.closed == CloseCode.NO_LEADER
            only.led.resume()
        assert [*suspended, chess.is_suspended] == [True, False]
        words = {"gate.close": "be suspended", "feed.end_streams": "be abandoned", "arena.resume": "go on"}
        assert f"club main could not {words[broken]}" in caplog.text


async def test_a_node_without_its_lease_for_long_closes_its_bots_and_lets_them_in_again_when_it_has_it(
    tmp_path: Path,
) -> None:
    async with memory_nodes(tmp_path, 1) as cluster:
        (only,) = cluster.nodes
        bot = only.bot(MAIN, "anna")
        only.led.suspend()
        only.led.disconnect_all()
        assert bot.link.closed == CloseCode.NO_LEADER
        abandoned = [only.clubs.refuses_bots]
        only.led.resume()
        assert [*abandoned, only.clubs.refuses_bots] == [True, False]
        again = only.bot(MAIN, "anna")
        await until(lambda: again.inbox.all("session"))
