"""Leases of nodes on virtual time."""

from random import Random

import pytest
from rumble_server.nodes.lease import DISCONNECT_MS, RENEWALS

from tests.server.nodes.virtual_cluster import CLUBS, Cluster, alone, led, three, weather
from tests.server.nodes.virtual_node import LEASE_MS


def test_a_club_that_nobody_leads_is_led_by_the_node_that_all_name() -> None:
    cluster, a, b, c = three()
    assert a.take() == ["suspend", "go on"]
    named = a.lease.order_for("one")[0]
    for node in (a, b, c):
        node.request_leader("one")
    cluster.run(100)
    assert cluster.leaders("one") == [named]
    assert cluster.table.clubs["one"].epoch == 1


def test_a_club_whose_named_node_is_not_asked_is_led_by_the_asked_node() -> None:
    cluster, a, *_ = three()
    last = a.lease.order_for("one")[-1]
    cluster.nodes[last].request_leader("one")
    cluster.run(LEASE_MS)
    assert cluster.leaders("one") == [last]


def test_another_node_leads_when_the_lease_of_a_dead_node_is_over_and_hardly_later() -> None:
    cluster, a, b, c = led(*CLUBS)
    cluster.run(1000)
    a.die()
    cluster.run(LEASE_MS + LEASE_MS // RENEWALS)
    assert sorted([*b.led, *c.led]) == sorted(CLUBS)
    assert b.led
    assert c.led, "they are spread over the nodes"


def test_a_freeze_shorter_than_the_lease_is_not_noticed() -> None:
    cluster, a, *_ = led("one")
    a.stall(LEASE_MS // 2)
    cluster.run(2 * LEASE_MS)
    assert a.take() == []


def test_a_node_frozen_for_longer_discards_the_clubs_that_others_lead() -> None:
    cluster, a, *_ = led("one")
    a.stall(3 * LEASE_MS)
    cluster.run(4 * LEASE_MS)
    assert a.take() == ["suspend", "discard one", "go on"]
    assert cluster.leaders("one") in (["b"], ["c"])


def test_without_the_database_all_nodes_suspend_and_then_go_on_with_their_clubs() -> None:
    cluster, a, *_ = led("one")
    cluster.down_until_ms = cluster.time.now_ms() + 10 * LEASE_MS
    cluster.run(9 * LEASE_MS)
    assert a.take() == ["suspend", "abandon"]
    assert a.lease.clubs == {"one": 1}
    cluster.run(2 * LEASE_MS)
    heard = a.take()
    took = [node for node in cluster.nodes.values() if node.led.get("one", 0) > 1]
    assert heard == (["discard one", "go on"] if took else ["go on"])
    assert len(cluster.leaders("one")) == 1


def test_a_node_without_its_lease_for_long_closes_all_bots_and_may_go_on() -> None:
    cluster, a = alone()
    a.cut(LEASE_MS + DISCONNECT_MS + 500)
    cluster.run(LEASE_MS + DISCONNECT_MS - 300)
    assert a.take() == ["suspend"]
    cluster.run(3 * LEASE_MS)
    assert a.take() == ["abandon", "go on"]
    assert a.lease.clubs == {"one": 1}


def test_a_frozen_leader_closes_its_bots_as_soon_as_it_wakes() -> None:
    cluster, a, *_ = led("one")
    a.stall(LEASE_MS + DISCONNECT_MS + 100)
    cluster.run(LEASE_MS + DISCONNECT_MS + 150)
    assert a.take()[:2] == ["suspend", "abandon"]


def test_of_nodes_that_stand_by_one_leads_all_clubs() -> None:
    cluster = Cluster(Random(1))
    nodes = [cluster.node(name) for name in "abc"]
    for node in nodes:
        node.lease.stands_by = True
    cluster.run(300)
    for node in nodes:
        for club in ("one", "main", "two"):
            node.request_leader(club)
    cluster.run(LEASE_MS)
    (first,) = {row.node for row in cluster.table.clubs.values()}
    cluster.nodes[str(first)].act(cluster.nodes[str(first)].lease.drain)
    cluster.run(3 * LEASE_MS)
    (second,) = {row.node for row in cluster.table.clubs.values()}
    assert second != first


def test_a_node_does_the_drain_that_the_table_asks_for() -> None:
    """`rumble node drain` writes the wish into the table."""
    cluster, a, b, c = led("one")
    cluster.table.nodes["a"].draining = True
    cluster.run(2 * LEASE_MS)
    assert a.lease.clubs == {}
    assert {**b.led, **c.led}.keys() == {"one"}


def test_a_node_whose_row_is_gone_leads_nothing() -> None:
    cluster, a, *_ = led("one")
    del cluster.table.nodes["a"]
    cluster.run(LEASE_MS)
    assert a.take()[:3] == ["suspend", "discard one", "expelled"]
    assert a.lease.clubs == {}


def test_a_club_that_the_database_refused_is_discarded_at_once() -> None:
    _, a, *_ = led("one")
    a.lease.on_lead_lost("one", 0)
    assert a.take() == [], "a commit under an earlier epoch was refused"
    a.lease.on_lead_lost("one", 1)
    assert a.take() == ["discard one"]
    assert a.lease.clubs == {}


@pytest.mark.parametrize("seed", range(8))
def test_another_node_takes_over_in_time_where_statements_take_longer_than_a_renewal(seed: int) -> None:
    cluster = Cluster(Random(seed), delay_ms=LEASE_MS // RENEWALS)
    nodes = [cluster.node(name) for name in ("a", "b", "c")]
    for node in nodes:
        node.way.weather = weather(cluster.delay_ms)
    nodes[0].request_leader("main")
    cluster.run(3 * LEASE_MS)
    for _ in range(2):
        cluster.nodes[str(cluster.table.clubs["main"].node)].die()
        epoch, waited_ms = cluster.table.clubs["main"].epoch, 0
        while cluster.table.clubs["main"].epoch == epoch:
            cluster.run(10)
            waited_ms += 10
            assert waited_ms <= 2.5 * LEASE_MS
