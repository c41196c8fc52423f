"""Nodes with a real PostgreSQL and a lease of a second: leading, standing by and taking over."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rumble_protocol.limits import Limits

from tests.needs import need_module
from tests.postgres.cluster import run
from tests.server.failing import failing_once
from tests.waiting import until_true

need_module("psycopg", "postgres")
from rumble_server.nodes.lease import Lease  # noqa: E402
from rumble_server.nodes.node import Node, setup_of  # noqa: E402
from rumble_server.nodes.node_clubs import NodeClubs  # noqa: E402
from rumble_server.store.postgres.leases import OtherSetup  # noqa: E402

from tests.server.nodes.command_log import CommandLog  # noqa: E402
from tests.server.nodes.memory_nodes import MemoryLeases, memory_nodes  # noqa: E402
from tests.server.nodes.tables import make_tables  # noqa: E402

pytestmark = pytest.mark.e2e
LEASE_MS = 1000


class Clubs(CommandLog, NodeClubs):
    """The fake of a node's clubs, which logs the commands of the lease."""

    def __init__(self, node: Node) -> None:
        self.log: list[str] = []
        self.epochs: dict[str, int] = {}
        registry = SimpleNamespace(shared=SimpleNamespace(store=None), on_unloaded=[], local_uses=dict)
        super().__init__(cast(Any, registry), node)

    async def _load(self, club: str, epoch: int) -> None:
        self.epochs[club] = epoch
        self.log.append(f"lead {club}")

    async def _rebuild(self, club: str) -> None:
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
            assert first.leads == second.leads == []
        assert await waiting > of_first["main"]
        await until_true(lambda: len(seconds.epochs) == 2)
        assert seconds.epochs["one"] > of_first["one"]
        assert second.leads == ["main", "one"]
        assert run(url, "SELECT club, node, epoch FROM clubs ORDER BY club") == [
            (club, second.id, seconds.epochs[club]) for club in ("main", "one")
        ]


async def test_a_node_hands_all_over_before_it_stops(url: str) -> None:
    async with (
        node(url, stands_by=False) as (first, firsts),
        node(url, "http://b:1", stands_by=False) as (second, seconds),
    ):
        await until_true(lambda: all(len(each.lease.rows.nodes) == 2 for each in (first, second)))
        await first.acquire("main")
        await until_true(lambda: firsts.epochs)
        await first.hand_all_over()
        assert (first.leads, firsts.log[-2:]) == ([], ["stop main", "close main"])
        assert (second.leads, seconds.log[-2:]) == (["main"], ["read main", "lead main"])
        await first.stop()
        await second.hand_all_over()
        assert second.leads == ["main"], "there is no other"
        assert seconds.log[-1] == "lead main"


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
        await until_true(lambda: "no lease: a bug of the test" in caplog.text)
        until_ms = node.lease.until_ms
        await until_true(lambda: node.lease.until_ms > until_ms)
    assert "a statement of the lease failed" in caplog.text
