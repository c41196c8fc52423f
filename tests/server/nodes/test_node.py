"""Nodes with a real PostgreSQL and a lease of a second: leading, standing by and taking over."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rumble_protocol.limits import Limits
from rumble_server.store.errors import StoreError

from tests.needs import need_module
from tests.postgres.cluster import run, through
from tests.postgres.proxy import proxy
from tests.server.failing import failing_once
from tests.waiting import until_true

need_module("psycopg", "postgres")
from rumble_server.nodes.lease import Lease  # noqa: E402
from rumble_server.nodes.node import Node, setup_of  # noqa: E402
from rumble_server.nodes.node_clubs import NodeClubs  # noqa: E402
from rumble_server.store.postgres.leases import Leases, OtherSetup  # noqa: E402

from tests.server.nodes.command_log import CommandLog  # noqa: E402
from tests.server.nodes.memory_nodes import MemoryLeases, memory_nodes  # noqa: E402
from tests.server.nodes.tables import make_tables  # noqa: E402

pytestmark = pytest.mark.e2e
LEASE_MS = 1000
PATIENCE_S = 20


@dataclass
class Use:
    """The use of resources by a club."""

    told: str = "something"


class Clubs(CommandLog, NodeClubs):
    """The fake of a node's clubs, which logs the commands of the lease."""

    def __init__(self, node: Node) -> None:
        self.log: list[str] = []
        self.epochs: dict[str, int] = {}
        self.failures, self.unreadable = 0, False
        self.use = Use()
        registry = SimpleNamespace(
            shared=SimpleNamespace(store=None), on_unloaded=[], local_uses=lambda: dict.fromkeys(self.epochs, self.use)
        )
        super().__init__(cast(Any, registry), node)

    async def _load(self, club: str, epoch: int) -> None:
        if self.failures:
            self.failures -= 1
            raise StoreError("not yet")
        self.epochs[club] = epoch
        self.log.append(f"lead {club}")

    async def _rebuild(self, club: str) -> None:
        if self.unreadable:
            raise StoreError("not now")
        self.log.append(f"read {club}")

    async def _hand_over(self, club: str) -> None:
        self.log.append(f"stop {club}")
        self._node.call_lease(partial(self._lease.hand_overs.on_stopped, club))


@pytest.fixture
def url(postgres_url: str) -> str:
    make_tables(postgres_url)
    return postgres_url


@asynccontextmanager
async def node(
    url: str, address: str = "http://a:1", setup: str = "s", *, stands_by: bool = True
) -> AsyncIterator[tuple[Node, Clubs]]:
    made = Node(url, LEASE_MS, address, setup, stands_by=stands_by)
    await made.start()
    try:
        yield made, Clubs(made)
    finally:
        await made.stop()


@asynccontextmanager
async def pair(url: str) -> AsyncIterator[tuple[tuple[Node, Clubs], tuple[Node, Clubs]]]:
    """Run two nodes, and yield them when both know both."""
    async with node(url, stands_by=False) as first, node(url, "http://b:1", stands_by=False) as second:
        await until_true(lambda: all(len(each.lease.rows.nodes) == 2 for each, _ in (first, second)))
        yield first, second


@pytest.mark.slow
async def test_a_node_leads_and_the_other_stands_by_until_it_ends(url: str) -> None:
    async with node(url, "http://b:1") as (second, seconds):
        async with node(url) as (first, firsts):
            of_first = {club: await first.acquire(club) for club in ("main", "one")}
            await until_true(lambda: firsts.epochs == of_first)
            assert first.leads == ["main", "one"]
            waiting = asyncio.create_task(second.acquire("main"))
            first.call_lease = lambda call: None  # type: ignore[method-assign]  # the node does nothing from now on
            await until_true(lambda: not first.has_valid_lease())
            assert second.leads == []
        assert await waiting > of_first["main"]
        await until_true(lambda: len(seconds.epochs) == 2)
        assert seconds.epochs["one"] > of_first["one"]
        assert second.leads == ["main", "one"]
        assert run(url, "SELECT club, node, epoch FROM clubs ORDER BY club") == [
            (club, second.id, seconds.epochs[club]) for club in ("main", "one")
        ]


@pytest.mark.slow
async def test_without_the_database_a_node_is_suspended_and_then_goes_on(url: str) -> None:
    port = int(url.rpartition(":")[2].partition("/")[0])
    with proxy(port) as between:
        async with node(through(url, between.port)) as (only, clubs):
            epoch = await only.acquire("main")
            await until_true(lambda: clubs.epochs)
            between.refuse()
            between.cut()
            await until_true(lambda: clubs.log[-1] == "suspend")
            assert not only.has_valid_lease()
            assert only.leads == []
            between.accept()
            await until_true(lambda: clubs.log[-1] == "go on")
            assert only.leads == ["main"]
            assert clubs.epochs == {"main": epoch}


@pytest.mark.slow
async def test_a_node_that_was_away_while_another_took_over_discards_its_club(url: str) -> None:
    port = int(url.rpartition(":")[2].partition("/")[0])
    with proxy(port) as between:
        async with node(through(url, between.port)) as (first, firsts), node(url, "http://b:1") as (second, _):
            epoch = await first.acquire("main")
            between.refuse()
            between.cut()
            assert await second.acquire("main") > epoch
            assert not first.has_valid_lease()
            between.accept()
            await until_true(lambda: "discard main" in firsts.log)
            assert first.leads == []


async def test_a_node_whose_row_is_gone_has_its_process_end(url: str) -> None:
    async with node(url) as (made, clubs):
        await made.acquire("main")
        run(url, "DELETE FROM nodes")
        await until_true(lambda: clubs.log[-1:] == ["expelled"])
        assert made.leads == []


async def test_a_club_moves_when_the_table_says_so(url: str) -> None:
    leases = Leases(url, LEASE_MS)
    async with pair(url) as ((first, firsts), (second, seconds)):
        epoch = await first.acquire("main")
        await until_true(lambda: firsts.epochs)
        assert await leases.move("main", second.id)
        await until_true(lambda: firsts.log[-1] == "close main" and seconds.log[-1] == "lead main")
        assert firsts.log[-2:] == ["stop main", "close main"]
        assert seconds.log[-2:] == ["read main", "lead main"]
        assert seconds.epochs["main"] > epoch
        assert await leases.drain(second.id)
        await until_true(lambda: firsts.epochs["main"] > seconds.epochs["main"] and seconds.log[-1] == "close main")
    await leases.close()


async def test_a_node_hands_all_over_before_it_stops(url: str) -> None:
    async with pair(url) as ((first, firsts), (second, seconds)):
        await first.acquire("main")
        await until_true(lambda: firsts.epochs)
        await first.hand_all_over()
        assert (first.leads, firsts.log[-1]) == ([], "close main")
        assert second.leads == ["main"]
        await first.stop()
        await second.hand_all_over()
        assert second.leads == ["main"], "there is no other"
        assert seconds.log[-1] == "lead main"


@pytest.mark.slow
async def test_a_node_that_cannot_read_a_club_does_not_get_it(url: str) -> None:
    async with pair(url) as ((first, firsts), (_, seconds)):
        await first.acquire("main")
        await until_true(lambda: firsts.epochs)
        seconds.unreadable = True
        await first.hand_all_over()
        assert first.leads == ["main"]
        assert "stop main" not in firsts.log


@pytest.mark.slow
async def test_the_other_nodes_are_told_the_activity_in_the_clubs_of_a_node(url: str) -> None:
    async with pair(url) as ((first, firsts), (second, _)):
        await first.acquire("main")
        query = "SELECT uses -> 'main' ->> 'told' FROM nodes WHERE id = %s"
        await until_true(lambda: run(url, query, [first.id]) == [("something",)])
        firsts.use = Use("more")
        async with asyncio.timeout(PATIENCE_S):
            more = {"main": {"told": "more"}}
            while await second.uses_connection.read_remote_uses(second.id) != more:  # noqa: ASYNC110  # written after a second
                await asyncio.sleep(0.05)


async def test_a_club_that_cannot_be_loaded_is_loaded_again(url: str) -> None:
    async with node(url) as (only, clubs):
        clubs.failures = 2
        epoch = await only.acquire("main")
        await until_true(lambda: clubs.epochs == {"main": epoch})


async def test_a_club_that_is_led_before_there_are_clubs_lets_no_bot_in(url: str) -> None:
    def listening() -> Any:
        return run(url, "SELECT listens = epoch FROM clubs WHERE club = 'main'")

    made = Node(url, LEASE_MS, "http://a:1", "s")
    await made.start()
    try:
        for club in ("main", "one", "two"):  # statements run in order, so one about main would have come before "two"
            await made.acquire(club)
        assert listening() == [(False,)]
        clubs = Clubs(made)
        await until_true(lambda: listening() == [(True,)])
        assert sorted(clubs.epochs) == ["main", "one", "two"]
    finally:
        await made.stop()


def test_a_setup_is_of_games_limits_and_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    first = setup_of(Limits())
    assert setup_of(Limits()) == first
    assert setup_of(Limits(frame_bytes=5000)) != first
    monkeypatch.setattr("rumble_server.nodes.node.game_names", lambda: ["chess"])
    assert setup_of(Limits()) != first


async def test_a_node_with_another_setup_does_not_start(url: str) -> None:
    async with node(url):
        with pytest.raises(OtherSetup):
            async with node(url, "http://b:1", "other"):
                pass


async def test_a_batch_written_under_an_older_epoch_ends_no_newer_leadership(url: str) -> None:
    """A batch of an earlier leadership may be tried again, and refused, when the node leads the club once more."""
    async with node(url) as (only, clubs):
        epoch = await only.acquire("main")
        await until_true(lambda: clubs.epochs == {"main": epoch})
        run(url, "UPDATE clubs SET epoch = epoch + 1")
        await until_true(lambda: clubs.epochs == {"main": epoch + 1})
        before = list(clubs.log)
        only.lease.on_lead_lost("main", epoch)
        assert clubs.log == before
        only.lease.on_lead_lost("main", epoch + 1)
        assert clubs.log == [*before, "discard main"]


# --- errors other than the database's ---


async def test_a_task_that_fails_is_logged_even_if_the_task_is_kept(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise RuntimeError("a bug of the test")

    kept = Node("postgresql://", LEASE_MS, "", "setup").begin(fail())
    await asyncio.wait([kept])
    await asyncio.sleep(0)
    (record,) = caplog.records
    assert record.message == "a task of the node failed"
    assert "a bug of the test" in str(record.exc_text)


async def test_a_node_listens_again_after_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("rumble_server.nodes.node.AGAIN_S", 0.01)
    monkeypatch.setattr(MemoryLeases, "report_changes", failing_once(MemoryLeases.report_changes))
    async with memory_nodes(tmp_path, 1) as cluster:
        await until_true(lambda: cluster.leases.looks)
    assert "a bug of the test" in caplog.text


async def test_a_lease_is_woken_again_after_an_error_in_its_timer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("rumble_server.nodes.node.AGAIN_S", 0.01)
    async with memory_nodes(tmp_path, 1) as cluster:
        node, woken, wake = cluster.nodes[0].node, [], Lease.wake

        def noted(lease: Lease, now_ms: int) -> None:
            wake(lease, now_ms)
            woken.append(now_ms)

        await until_true(lambda: node.lease._running is None)  # an answer would set the timer again
        monkeypatch.setattr(Lease, "wake", failing_once(noted))
        node.lease._renew_at_ms = 0
        node.call_lease(lambda _now_ms: None)
        await until_true(lambda: woken)
    assert "a bug of the test" in caplog.text


async def test_a_statement_that_fails_by_an_error_of_its_own_is_logged_and_the_lease_is_renewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("tests.server.nodes.memory_nodes.LEASE_MS", 10 * LEASE_MS)
    async with memory_nodes(tmp_path, 1) as cluster:
        monkeypatch.setattr(MemoryLeases, "run", failing_once(MemoryLeases.run))
        node = cluster.nodes[0].node
        node.call_lease(node.lease.look)
        await until_true(lambda: "a bug of the test" in caplog.text)
        until_ms = node.lease.until_ms
        await until_true(lambda: node.lease.until_ms > until_ms)
    assert "a statement of the lease failed" in caplog.text
