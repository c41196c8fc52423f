"""The leases in a real PostgreSQL: the statements do the same as the fake `Table`."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
from rumble_server.store.errors import StoreError
from rumble_server.store.postgres.lease_statements import (
    Acquire,
    ClubRow,
    Executed,
    HandOver,
    Listen,
    Look,
    LookedUp,
    NodeRow,
    Offer,
    Ready,
    Renew,
)

from tests.needs import need_module
from tests.postgres.cluster import run
from tests.waiting import until_true

need_module("psycopg", "postgres")
from rumble_server.store.postgres.leases import Leases, OtherSetup  # noqa: E402

from tests.server.nodes.tables import make_tables  # noqa: E402

pytestmark = pytest.mark.e2e
LEASE_MS = 20_000


@pytest.fixture
async def leases(postgres_url: str) -> AsyncIterator[Leases]:
    make_tables(postgres_url)
    opened = Leases(postgres_url, LEASE_MS)
    yield opened
    await opened.close()


async def until(url: str, what: str, connections: int = 1) -> None:
    """Wait until `connections` connections to the database are in a state."""
    count = f"SELECT count(*) FROM pg_stat_activity WHERE {what} AND datname = current_database()"
    await until_true(lambda: run(url, count) == [(connections,)])


async def join(leases: Leases, nodes: str) -> None:
    for node in nodes:
        await leases.join(node, f"http://{node}:1", "setup")


async def epoch_after(leases: Leases, node: str, statement: Acquire | HandOver) -> int:
    answer = await leases.run(node, statement)
    assert isinstance(answer, Executed)
    assert answer.number is not None
    return answer.number


async def lead(leases: Leases, node: str, club: str) -> int:
    """Have a node lead a club, and return its epoch."""
    return await epoch_after(leases, node, Acquire(club))


async def seen_by(leases: Leases, node: str) -> LookedUp:
    """Return what a node sees."""
    answer = await leases.run(node, Look())
    assert isinstance(answer, LookedUp)
    return answer


async def test_a_connection_that_only_listens_notices_that_the_database_is_gone(leases: Leases) -> None:
    await leases.listed()
    assert leases._connection is not None
    given = leases._connection.info.get_parameters()
    assert (given["connect_timeout"], given["keepalives_idle"], given["keepalives_interval"]) == ("5", "5", "2")


async def leader_of(leases: Leases, club: str) -> tuple[str, int] | None:
    """Return the node that leads a club by a valid lease, and its epoch."""
    seen = await seen_by(leases, "a")
    row = seen.clubs.get(club)
    return None if row is None or row.node not in [node.id for node in seen.nodes] else (row.node, row.epoch)


def end_lease(url: str, node: str) -> None:
    run(url, "UPDATE nodes SET until = clock_timestamp() WHERE id = %s", [node])


async def test_a_lease_of_a_node(leases: Leases, postgres_url: str) -> None:
    await leases.join("a", "http://a:1", "setup")
    assert run(postgres_url, "SELECT id, address, draining FROM nodes") == [("a", "http://a:1", False)]
    left = "SELECT extract(epoch FROM until - clock_timestamp())::float FROM nodes"
    assert 19 < run(postgres_url, left)[0][0] <= 20
    end_lease(postgres_url, "a")
    assert await leases.run("a", Renew(draining=False)) == Executed(1)
    assert 19 < run(postgres_url, left)[0][0] <= 20
    assert await leases.run("b", Renew(draining=False)) == Executed(None)
    await leases.end_lease("a")
    assert await leases.listed() == []


async def test_a_club_is_led_by_one_node_under_epochs_that_go_up(leases: Leases, postgres_url: str) -> None:
    await join(leases, "ab")
    now_ms = int(1000 * time.time())
    first = await lead(leases, "a", "one")
    assert first >= now_ms
    assert await leases.run("b", Acquire("one")) == Executed(None)
    assert await leases.run("a", Acquire("one")) == Executed(None), "it is led already"
    assert await leader_of(leases, "one") == ("a", first)
    end_lease(postgres_url, "a")
    assert await leader_of(leases, "one") is None
    assert await leases.run("a", Acquire("two")) == Executed(None), "without a lease it leads nothing"
    assert await lead(leases, "b", "one") > first
    run(postgres_url, "UPDATE clubs SET epoch = epoch - 3600000, node = NULL")  # as in a copy that is an hour old
    assert await lead(leases, "b", "one") >= now_ms


async def test_the_row_of_a_node_that_is_long_gone_stays_while_a_club_names_it(
    leases: Leases, postgres_url: str
) -> None:
    await join(leases, "ab")
    await leases.run("a", Acquire("one"))
    run(postgres_url, "UPDATE nodes SET until = clock_timestamp() - interval '2 days'")
    await leases.join("c", "http://c:1", "setup")
    assert run(postgres_url, "SELECT id FROM nodes ORDER BY id") == [("a",), ("c",)]
    await lead(leases, "c", "one")


async def test_a_club_is_handed_over_by_its_leader_to_a_present_node(leases: Leases, postgres_url: str) -> None:
    await join(leases, "abc")
    end_lease(postgres_url, "c")
    first = await lead(leases, "a", "one")
    assert await leases.run("a", HandOver("one", first + 1, "b")) == Executed(None)
    assert await leases.run("b", HandOver("one", first, "b")) == Executed(None)
    assert await leases.run("a", HandOver("one", first, "c")) == Executed(None)
    given = await epoch_after(leases, "a", HandOver("one", first, "b"))
    assert await leader_of(leases, "one") == ("b", given)
    assert given > first
    free = await leases.run("b", HandOver("one", given, None))
    assert await leader_of(leases, "one") is None
    ((node, epoch, last),) = run(postgres_url, "SELECT node, epoch, last FROM clubs")
    assert (node, last, free) == (None, 0, Executed(epoch))
    assert given < epoch < await lead(leases, "a", "one")


async def test_only_the_newest_offer_ready_and_listen_count(leases: Leases, postgres_url: str) -> None:
    async def row() -> ClubRow:
        return (await seen_by(leases, "b")).clubs["one"]

    await join(leases, "abc")
    epoch = await lead(leases, "a", "one")
    assert await leases.run("b", Offer("one", epoch, "c")) == Executed(None), "it does not lead the club"
    assert await leases.run("a", Offer("one", epoch - 1, "b")) == Executed(None)
    assert await leases.run("a", Offer("one", epoch, "b")) == Executed(1)
    assert await leases.run("a", Offer("one", epoch, "c")) == Executed(2)
    assert await leases.run("b", Ready("one", 1)) == Executed(None), "of an earlier offer"
    assert await leases.run("b", Ready("one", 2)) == Executed(None), "of an offer to another node"
    assert await row() == ClubRow("a", epoch, to="c", offer=2)
    assert await leases.run("c", Ready("one", 2)) == Executed(2)
    assert await leases.move("one", "c")
    assert await row() == ClubRow("a", epoch, "c", "c", 2, 2)
    given = await epoch_after(leases, "a", HandOver("one", epoch, "c"))
    assert await row() == ClubRow("c", given, offer=2, ready=2), "what was wanted and offered is done"
    await leases.run("a", Listen("one", epoch))
    await leases.run("c", Listen("one", epoch))
    assert (await row()).listens == 0
    await leases.run("c", Listen("one", given))
    assert (await row()).listens == given
    end_lease(postgres_url, "c")
    taken = await lead(leases, "b", "one")
    assert await row() == ClubRow("b", taken, offer=2, ready=2, listens=given)


async def test_a_look_shows_present_nodes_and_led_clubs(leases: Leases, postgres_url: str) -> None:
    await join(leases, "abc")
    of = {
        club: await lead(leases, node, club) for node, club in zip("aabc", ("one", "two", "three", "four"), strict=True)
    }
    await leases.run("b", HandOver("three", of["three"], None))
    end_lease(postgres_url, "c")
    assert await leases.drain("b")
    assert not await leases.drain("c")
    assert await leases.move("one", "b")
    assert not await leases.move("four", "b")
    seen = await seen_by(leases, "a")
    assert seen.lapse_in_ms is not None
    assert 19_000 < seen.lapse_in_ms <= LEASE_MS
    nodes = (NodeRow("a", "http://a:1"), NodeRow("b", "http://b:1", draining=True))
    rows = {"one": ClubRow("a", of["one"], "b"), "two": ClubRow("a", of["two"]), "four": ClubRow("c", of["four"])}
    assert seen == LookedUp(nodes, rows, seen.lapse_in_ms)
    assert [(each.id, each.clubs) for each in await leases.listed()] == [("a", ("one", "two")), ("b", ())]
    assert await leases.run("b", Renew(draining=False)) == Executed(1)
    assert (await seen_by(leases, "b")).nodes == nodes, "it still drains"


async def test_each_node_reads_the_uses_of_clubs_of_other_nodes(leases: Leases, postgres_url: str) -> None:
    await join(leases, "abc")
    for node in "abc":
        await leases.write_uses(node, {f"of {node}": {"connected": 1}})
    end_lease(postgres_url, "c")
    assert await leases.read_remote_uses("a") == {"of b": {"connected": 1}}


async def test_a_node_with_another_setup_does_not_join(leases: Leases) -> None:
    await leases.join("a", "http://a:1", "games 1")
    with pytest.raises(OtherSetup, match="http://a:1 has other games"):
        await leases.join("b", "http://b:1", "games 2")
    assert [node.id for node in await leases.listed()] == ["a"]
    await leases.end_lease("a")
    await leases.join("c", "http://c:1", "games 2")


async def test_a_node_is_told_to_look_when_a_statement_concerns_it(leases: Leases, postgres_url: str) -> None:
    await join(leases, "ab")
    looks = list[None]()
    reporting = asyncio.create_task(leases.report_changes(lambda: looks.append(None)))
    await until(postgres_url, "query LIKE 'LISTEN%%'")
    await leases.run("a", Acquire("one"))
    ((epoch,),) = run(postgres_url, "SELECT epoch FROM clubs")
    await leases.move("one", "b")
    for node, statement in (
        ("a", Offer("one", epoch, "b")),
        ("b", Ready("one", 1)),
        ("a", Listen("one", epoch)),
        ("a", HandOver("one", epoch, "b")),
    ):
        await leases.run(node, statement)
    await leases.drain("b")
    notifications = 7
    await leases.run("a", HandOver("one", epoch, "b"))
    await leases.run("a", Acquire("one"))
    await leases.run("a", Renew(draining=False))
    await leases.end_lease("b")
    await until_true(lambda: len(looks) > notifications)
    assert len(looks) == notifications + 1, "what changed nothing is not told"
    run(postgres_url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%%'")
    with pytest.raises(StoreError):
        await reporting


async def test_a_takeover_waits_for_a_renewal_that_came_first(leases: Leases, postgres_url: str) -> None:
    """The takeover begins before the renewal's commit: it sees a lease that is over, and waits for the row's lock."""
    import psycopg

    await join(leases, "ab")
    epoch = await lead(leases, "a", "one")
    end_lease(postgres_url, "a")
    with psycopg.connect(postgres_url) as renewing:
        renewing.execute("UPDATE nodes SET until = clock_timestamp() + interval '20 s' WHERE id = 'a'")
        taking = asyncio.create_task(leases.run("b", Acquire("one")))
        await until(postgres_url, "wait_event_type = 'Lock'")
        renewing.commit()
    assert await taking == Executed(None)
    assert await leader_of(leases, "one") == ("a", epoch)


async def test_of_many_nodes_that_acquire_at_once_one_leads(postgres_url: str) -> None:
    make_tables(postgres_url)
    nodes = {name: Leases(postgres_url, LEASE_MS) for name in "abcdefgh"}
    for name, leases in nodes.items():
        await leases.join(name, f"http://{name}:1", "setup")
    for club in ("one", "two", "three"):
        answers = await asyncio.gather(*[leases.run(name, Acquire(club)) for name, leases in nodes.items()])
        assert list(answers).count(Executed(None)) == 7
    for leases in nodes.values():
        await leases.close()


async def test_a_task_cancelled_in_a_statement_leaves_no_connection(leases: Leases, postgres_url: str) -> None:
    import psycopg

    with psycopg.connect(postgres_url) as held:
        held.execute("LOCK TABLE nodes")
        asking = asyncio.create_task(leases.listed())
        await until(postgres_url, "wait_event_type = 'Lock'")
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await leases.close()
        await until(postgres_url, "application_name = 'rumble leases'", 0)


async def test_calls_at_the_same_time_leave_no_connection_open(leases: Leases, postgres_url: str) -> None:
    await leases.listed()
    for _ in range(2):
        await asyncio.gather(leases.read_remote_uses("a"), leases.read_remote_uses("b"))
    await leases.close()
    await until(postgres_url, "application_name = 'rumble leases'", 0)


async def test_a_database_that_does_not_answer_is_given_up_and_found_again(postgres_url: str) -> None:
    import psycopg

    make_tables(postgres_url)
    leases = Leases(postgres_url, 1000)
    await leases.join("a", "http://a:1", "setup")
    with psycopg.connect(postgres_url) as blocking:
        blocking.execute("LOCK TABLE nodes")
        with pytest.raises(StoreError, match=r"did not answer within 0\.5 s"):
            await leases.run("a", Renew(draining=False))
    assert await leases.run("a", Renew(draining=False)) == Executed(1)
    run(postgres_url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rumble leases'")
    with pytest.raises(StoreError, match=r"the database postgresql://127\.0\.0\.1/test_\d+: "):
        await leases.run("a", Renew(draining=False))
    assert await leases.run("a", Renew(draining=False)) == Executed(1)
    await leases.close()


async def test_a_database_that_cannot_be_reached_is_told_in_one_line() -> None:
    for url, why in (
        ("postgresql://nobody:secret@127.0.0.1:1/none", r"the database postgresql://127\.0\.0\.1/none: .* refused"),
        ("postgresql://nobody:secret@[::1/none", "this is no address"),
    ):
        with pytest.raises(StoreError, match=why) as failed:
            await Leases(url, 1000).listed()
        assert "\n" not in str(failed.value)
        assert "secret" not in str(failed.value)


async def test_a_database_without_the_tables_is_told_in_one_line(postgres_url: str) -> None:
    with pytest.raises(StoreError, match=r"/test_\d+ is not a database of Rumble; start a server on it$"):
        await (leases := Leases(postgres_url, 10_000)).listed()
    await leases.close()
