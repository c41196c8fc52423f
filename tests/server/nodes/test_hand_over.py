"""Hand-overs of clubs between nodes on virtual time."""

from functools import partial
from random import Random

import pytest
from rumble_server.nodes.hand_over import AT_ONCE, LISTEN_MS, READY_MS
from rumble_server.store.postgres.lease_statements import HandOver, Ready, Statement, StatementResult

from tests.server.nodes.virtual_cluster import CLUBS, Cluster, Node, alone, lead, led, weather
from tests.server.nodes.virtual_node import LEASE_MS


def move(cluster: Cluster, to: str, ms: int) -> None:
    """Have the club one move to a node or an address, and let `ms` ms pass."""
    cluster.table.clubs["one"].wanted = to
    cluster.run(ms)


def test_a_club_in_which_nothing_runs_needs_no_leader() -> None:
    cluster, a, b, _ = led("one")
    a.act(partial(a.lease.hand_overs.release, "one"))
    cluster.run(10_000)
    assert cluster.leaders("one") == []
    assert cluster.table.clubs["one"].node is None
    b.request_leader("one")
    cluster.run(LEASE_MS)
    assert cluster.leaders("one") == ["b"]
    assert b.led["one"] == 3


def test_a_release_that_is_lost_is_made_again_and_leads_the_club_nowhere() -> None:
    cluster, a, *_ = led("one")
    epoch = cluster.table.clubs["one"].epoch
    a.way.is_down = True
    a.act(partial(a.lease.hand_overs.release, "one"))
    cluster.run(100)
    a.way.is_down = False
    assert cluster.table.clubs["one"].epoch == epoch, "the release was lost"
    cluster.run(10_000)
    assert cluster.table.clubs["one"].node is None
    assert a.led["one"] == epoch
    assert a.take()[-1] == "close one"


def test_a_hand_over_whose_answer_is_lost_closes_the_bots() -> None:
    cluster, a, *_ = led("one")
    run = cluster.table.run

    def run_and_cut(node: str, statement: Statement) -> StatementResult:
        if isinstance(statement, HandOver):
            a.cut(LEASE_MS // 2)
        return run(node, statement)

    cluster.table.run = run_and_cut  # type: ignore[method-assign]
    move(cluster, "c", 2 * LEASE_MS)
    assert cluster.leaders("one") == ["c"]
    assert a.take() == ["stop one", "close one"]


def test_a_club_whose_next_leader_dies_before_the_hand_over_is_led_again() -> None:
    cluster, a, _, c = led("one")
    a.hand_over = lambda club: a.log.append(club)  # type: ignore[method-assign]
    move(cluster, "c", LEASE_MS)
    assert a.take() == ["one"]
    c.die()
    cluster.run(2 * LEASE_MS)
    a.act(partial(a.lease.hand_overs.on_stopped, "one"))
    cluster.run(LEASE_MS)
    assert cluster.leaders("one") == ["a"]
    assert a.led["one"] == 2


def test_an_offer_that_is_lost_is_made_again() -> None:
    cluster, a, *_ = led("one")
    a.way.is_down = True
    a.act(a.lease.drain)
    cluster.run(100)
    a.way.is_down = False
    cluster.run(2 * LEASE_MS)
    assert cluster.leaders("one") in (["b"], ["c"])


def test_a_club_that_a_node_cannot_load_goes_to_the_next_node_in_the_order_unless_the_node_has_lost_it() -> None:
    cluster, a, *_ = led("one")
    order = a.lease.order_for("one")
    first = order.index("a")
    for step in range(1, 4):
        leader = cluster.nodes[order[(first + step - 1) % 3]]
        for epoch in (leader.led["one"] - 1, leader.led["one"]):
            assert cluster.leaders("one") == [leader.name]
            leader.act(partial(leader.lease.hand_overs.hand_to_next, "one", epoch))
            cluster.run(300)
        assert cluster.leaders("one") == [order[(first + step) % 3]]


def test_a_club_that_is_unloaded_during_its_hand_over_is_given_up_once() -> None:
    cluster, a, b, c = led("one")
    for each in (b, c):
        each.read_ahead = lambda *_: None  # type: ignore[method-assign]
    a.act(a.lease.drain)
    cluster.run(100)
    assert cluster.table.clubs["one"].to is not None
    a.act(partial(a.lease.hand_overs.release, "one"))
    cluster.run(2 * LEASE_MS)
    assert cluster.table.clubs["one"].node is None
    assert not a.lease.hand_overs.can_go_on


def test_a_late_report_that_a_released_club_is_stopped_stops_no_other_club_again() -> None:
    cluster, a, *_ = led("one", "two")
    a.hand_over = lambda club: a.log.append(club)  # type: ignore[method-assign]
    a.act(a.lease.drain)
    cluster.run(600)
    (first,) = a.take()
    a.act(partial(a.lease.hand_overs.release, first))
    cluster.run(600)
    assert len(set(a.take()) & {"one", "two"}) == 1
    a.act(partial(a.lease.hand_overs.on_stopped, first))
    a.act(a.lease.look)
    cluster.run(300)
    assert a.take() == []


def test_a_club_stands_only_once_the_next_node_has_read_it() -> None:
    cluster, a, _, c = led("one")
    c.read_ahead = lambda club: c.log.append(f"read {club}")  # type: ignore[method-assign]
    move(cluster, "c", READY_MS - 500)
    assert c.take()[-1:] == ["read one"]
    assert a.take() == []
    c.act(partial(c.lease.hand_overs.on_read_ahead, "one"))
    cluster.run(LEASE_MS)
    assert a.take() == ["stop one", "close one"]
    assert c.take() == ["lead one"]


def test_a_ready_of_an_earlier_offer_stops_nothing() -> None:
    cluster, a, b, c = led("one")
    for each in (b, c):
        each.read_ahead = lambda *_: None  # type: ignore[method-assign]
    move(cluster, "b", READY_MS // 2)
    move(cluster, "c", READY_MS)
    row = cluster.table.clubs["one"]
    assert row.offer > 1
    c.act(partial(c.lease.add, Ready("one", row.offer - 1)))
    cluster.run(100)
    assert "stop one" not in a.take()
    assert cluster.leaders("one") == ["a"]


def test_later_offer_replaces_an_earlier_offer_that_failed() -> None:
    cluster, _, _, c = led("one")
    c.read_ahead = lambda club: c.log.append(f"read {club}")  # type: ignore[method-assign]
    move(cluster, "c", 300)
    cluster.table.clubs["one"].offer += 1
    c.act(c.lease.look)
    cluster.run(300)
    assert c.take().count("read one") == 1, "the reading serves the later offer, too"
    c.act(partial(c.lease.hand_overs.on_read_ahead, "one"))
    cluster.run(1000)
    assert cluster.leaders("one") == ["c"]


def test_a_drain_passes_over_a_node_that_reads_nothing() -> None:
    cluster, a, b, c = led("one")
    silent, other = (b, c) if a.lease.order_for("one").index("b") < a.lease.order_for("one").index("c") else (c, b)
    silent.read_ahead = lambda *_: None  # type: ignore[method-assign]
    a.act(a.lease.drain)
    cluster.run(READY_MS - 100)
    assert cluster.leaders("one") == ["a"]
    cluster.run(LEASE_MS)
    assert cluster.leaders("one") == [other.name]


def read_slowly(*nodes: Node) -> list[str]:
    """Have nodes read clubs ahead for longer than `READY_MS`. Return the list of the nodes that begin to read."""
    began: list[str] = []
    for node in nodes:

        def read(club: str, node: Node = node) -> None:
            began.append(node.name)
            done = node.lease.hand_overs.on_read_ahead
            node.cluster.time.call_in(5 * READY_MS // 2, lambda: node.act(partial(done, club)))

        node.read_ahead = read  # type: ignore[method-assign]
    return began


def test_a_move_waits_for_a_node_that_reads_slowly() -> None:
    cluster, a, _, c = led("one")
    began = read_slowly(c)
    move(cluster, "c", READY_MS + LEASE_MS)
    assert a.lease.wake_at_ms > a.now_ms(), "it waits without waking all the time"
    cluster.run(3 * READY_MS // 2)
    assert cluster.leaders("one") == ["c"]
    assert began == ["c"]


def test_a_drain_ends_where_every_node_reads_slowly() -> None:
    cluster, a, b, c = led("one")
    began = read_slowly(b, c)
    a.act(a.lease.drain)
    cluster.run(3 * READY_MS + LEASE_MS)
    assert cluster.leaders("one") == began[:1]
    assert sorted(began) == ["b", "c"]


def test_a_reading_serves_the_newest_offer_after_a_failed_statement() -> None:
    cluster, _, _, c = led("one")
    began = read_slowly(c)
    move(cluster, "c", LEASE_MS)
    c.cut(LEASE_MS // 2)
    cluster.run(5 * READY_MS // 2 + LEASE_MS)
    assert cluster.leaders("one") == ["c"]
    assert began == ["c"]


def test_a_reading_that_failed_begins_again() -> None:
    cluster, _, _, c = led("one")
    read, failures = c.read_ahead, [True, True]

    def failing(club: str) -> None:
        if failures:
            failed = failures.pop()
            cluster.time.call_in(10, lambda: c.lease.hand_overs.on_read_ahead(club, c.now_ms(), failed=failed))
        else:
            read(club)

    c.read_ahead = failing  # type: ignore[method-assign]
    move(cluster, "c", 2 * LEASE_MS)
    assert cluster.leaders("one") == ["c"]


def test_a_report_of_a_reading_that_is_lost_is_made_again() -> None:
    cluster, _, _, c = led("one")
    read, began = c.read_ahead, list[str]()

    def read_and_lose(club: str) -> None:
        began.append(club)
        if len(began) == 1:
            c.cut(LEASE_MS // 2)
        read(club)

    c.read_ahead = read_and_lose  # type: ignore[method-assign]
    move(cluster, "c", 2 * LEASE_MS)
    assert cluster.leaders("one") == ["c"]
    assert began == ["one"] * 2


def test_an_offer_that_another_offer_replaced_is_made_again() -> None:
    """A failed statement made an offer to another node after all, when the new offer was made already."""
    cluster, _, b, c = led("one")
    read_slowly(b, c)
    move(cluster, "c", 300)
    row = cluster.table.clubs["one"]
    row.to, row.offer = "b", row.offer + 1
    cluster.run(5 * READY_MS // 2 + LEASE_MS)
    assert cluster.leaders("one") == ["c"]


def test_a_node_is_offered_few_clubs_at_a_time() -> None:
    cluster, a, b, c = led(*CLUBS)
    c.die()
    cluster.run(2 * LEASE_MS)
    b.read_ahead = lambda *_: None  # type: ignore[method-assign]
    a.act(a.lease.drain)
    cluster.run(READY_MS + LEASE_MS)
    assert [row.to for row in cluster.table.clubs.values()].count("b") == AT_ONCE < len(CLUBS)


def test_no_other_club_stops_where_the_offer_of_a_stopping_club_is_lost() -> None:
    cluster, a, *_ = led("one", "two")
    a.hand_over = lambda club: a.log.append(club)  # type: ignore[method-assign]
    a.act(a.lease.drain)
    cluster.run(600)
    (stopping,) = a.take()
    row = cluster.table.clubs[stopping]
    row.to, row.ready = None, 0
    cluster.run(2 * READY_MS)
    assert a.take() == []


def test_the_bots_of_a_club_are_closed_when_its_next_leader_listens_or_dies() -> None:
    cluster, a, _, c = led("one")
    c.lease.on_listening = lambda *_: None  # type: ignore[method-assign]
    move(cluster, "c", LEASE_MS)
    assert a.take() == ["stop one"]
    c.die()
    cluster.run(3 * LEASE_MS)
    assert "close one" in a.take()


def test_the_bots_of_a_club_are_closed_in_time_where_the_next_leader_does_not_listen() -> None:
    cluster, a, _, c = led("one")
    c.lease.on_listening = lambda *_: None  # type: ignore[method-assign]
    move(cluster, "c", LISTEN_MS)
    assert a.take() == ["stop one"]
    cluster.run(LEASE_MS)
    assert a.take() == ["close one"]


def test_the_bots_of_a_club_are_closed_as_soon_as_its_next_leader_gives_the_club_up() -> None:
    cluster, a, _, c = led("one")
    c.lease.on_listening = lambda *_: None  # type: ignore[method-assign]
    move(cluster, "c", LEASE_MS)
    c.act(partial(c.lease.hand_overs.release, "one"))
    cluster.run(100)
    assert a.take() == ["stop one", "close one"]


def test_bots_are_closed_when_every_node_knows_the_next_leader() -> None:
    cluster, a, b, _ = led("one")
    cluster.random.randint = lambda least, _: least  # type: ignore[method-assign,assignment]
    b.way.weather = weather(80)
    known = []

    def closed(club: str) -> None:
        leader = b.lease.leader_of(club)
        known.append("" if leader is None else leader.id)

    a.close_handed_over = closed  # type: ignore[method-assign]
    move(cluster, "c", LEASE_MS)
    assert known == ["c"]


def test_a_club_moves_within_a_second() -> None:
    cluster, a, b, c = led("one")
    move(cluster, "c", LEASE_MS)
    assert cluster.leaders("one") == ["c"]
    assert (a.led["one"], c.led["one"]) == (1, 2)
    assert "one" not in b.led


@pytest.mark.parametrize("away_ms", [100, 4 * LEASE_MS])
def test_a_move_to_an_address_goes_to_the_node_that_comes_back_there(away_ms: int) -> None:
    """The move was asked for after the node's death, while the lease was still valid."""
    cluster, _, b, _ = led("one")
    b.die()
    cluster.table.clubs["one"].wanted = "http://b"
    cluster.notify()
    cluster.run(away_ms)
    assert cluster.leaders("one") == ["a"]
    cluster.node("b again", address="http://b")
    cluster.run(READY_MS + 2 * LEASE_MS)
    assert cluster.leaders("one") == ["b again"]
    assert cluster.table.clubs["one"].wanted is None


def test_a_move_to_the_address_of_the_leader_moves_nothing() -> None:
    """The row of an earlier node at the address is still there."""
    cluster = Cluster(Random(1))
    cluster.node("a earlier", address="http://a").die()
    a = cluster.node("a", address="http://a")
    cluster.run(100)
    lead(cluster, a, "one")
    cluster.table.clubs["one"].wanted = "http://a"
    cluster.run(2 * LEASE_MS)
    assert cluster.leaders("one") == ["a"]
    assert cluster.table.clubs["one"].offer == 0


def test_a_club_wanted_by_a_node_that_drains_stays_and_leaves_its_own_leader_in_a_drain() -> None:
    cluster, a, b, _ = led("one")
    b.act(b.lease.drain)
    cluster.run(LEASE_MS)
    move(cluster, "b", 2 * LEASE_MS)
    assert cluster.leaders("one") == ["a"]
    a.act(a.lease.drain)
    cluster.run(2 * LEASE_MS)
    assert cluster.leaders("one") == ["c"]


def test_a_node_that_drains_hands_all_over_and_takes_none() -> None:
    cluster, a, b, c = led(*CLUBS)
    a.act(a.lease.drain)
    cluster.run(3 * LEASE_MS)
    assert a.lease.clubs == {}
    assert {**b.led, **c.led}.keys() == set(CLUBS)
    b.die()
    a.request_leader("five")
    cluster.run(4 * LEASE_MS)
    assert a.lease.clubs == {}
    assert c.lease.clubs.keys() == set(CLUBS)


def test_the_last_node_that_drains_keeps_its_clubs_until_there_is_another() -> None:
    cluster, a = alone()
    a.act(a.lease.drain)
    cluster.run(2 * LEASE_MS)
    assert cluster.leaders("one") == ["a"]
    b = cluster.node("b")
    cluster.run(2 * LEASE_MS)
    assert cluster.leaders("one") == ["b"]
    assert b.led == {"one": 2}
