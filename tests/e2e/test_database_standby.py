"""The database's machine dies for good, and a standby without the newest commits takes its place."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.nodes import Nodes, nodes
from tests.e2e.raw_field import RawField
from tests.postgres.cluster import Cluster, standby, through
from tests.postgres.proxy import Proxy, proxy

pytestmark = [pytest.mark.e2e, pytest.mark.long]
ON_S = 30.0
"""Time in s within which each awaited event must happen."""
OPTIONS = ("--lease-ms", "2000", "--excused-ms", "60000")
BOTS, CYCLES = 4, 6
RESULTS = CYCLES * BOTS * (BOTS - 1)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two nodes on a database that has a standby."""

    nodes: Nodes
    stream: Proxy
    """Way by which the standby receives commits."""
    second: Cluster

    def fail_over(self) -> None:
        """End the primary for good, and put the standby in its place."""
        self.nodes.database.kill()
        self.second.promote()
        self.nodes.url = through(self.nodes.url, self.second.port)
        for node in self.nodes.each:
            node.way.to = self.second.port
            node.way.cut()


@contextmanager
def pair(folder: Path, *, synchronous: bool) -> Iterator[Pair]:
    with (
        nodes(folder, 2, *OPTIONS) as at,
        proxy(at.database.port) as stream,
        standby(at.database, stream.port) as second,
    ):
        if synchronous:
            at.database.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
            at.database.run("SELECT pg_reload_conf()")
        yield Pair(at, stream, second)


async def play(at: Pair, until_it_lacks: Callable[[RawField], Awaitable[object]]) -> RawField:
    """Play a tournament, and put the standby in the primary's place once the standby lacks something."""
    leader = await asyncio.to_thread(at.nodes.leader)
    field = RawField.of_cup(leader.server, BOTS, CYCLES, at.nodes.bot_urls)
    async with field.playing(90):
        await field.more("match_over", 4, ON_S)
        at.stream.hold()
        await until_it_lacks(field)
        at.fail_over()
        await field.turns_of_all(ON_S)
        assert field.count("tournament_over") == 0
    return field


async def test_facts_that_bots_were_told_are_in_a_synchronous_standby(tmp_path: Path) -> None:
    with pair(tmp_path, synchronous=True) as at:
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query ~ 'led'"

        async def something_is_committed_and_told_nobody(_field: RawField) -> None:
            async with asyncio.timeout(ON_S):
                while await asyncio.to_thread(at.nodes.database.run, waiting) == [(0,)]:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)

        field = await play(at, something_is_committed_and_told_nobody)
        field.judge(at.nodes.facts(), results=RESULTS)


async def test_all_nodes_start_again_on_a_standby_that_lacks_told_facts(tmp_path: Path) -> None:
    with pair(tmp_path, synchronous=False) as at:
        processes = [node.process for node in at.nodes.each]
        epochs = list[int]()

        async def what_is_told_is_lost(field: RawField) -> None:
            epochs.append(at.nodes.epoch())
            await field.more("match_over", 4, ON_S)

        field = await play(at, what_is_told_is_lost)
        assert at.nodes.epoch() > epochs[0]
        assert all(process.poll() is not None for process in processes)
        overs = [fact for fact in at.nodes.facts() if fact["fact"] == "match_over"]
        assert len({fact["match"] for fact in overs}) == len(overs) == RESULTS
        assert Counter((fact["termination"], tuple(fact["at_fault"])) for fact in overs) == {("normal", ()): RESULTS}
        assert list(field.wrongs()) == []
