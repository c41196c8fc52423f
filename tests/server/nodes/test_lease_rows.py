from rumble_server.nodes.lease_rows import LeaseRows
from rumble_server.store.postgres.lease_statements import ClubRow, LookedUp, NodeRow

NODES = (
    NodeRow("a", "http://a"),
    NodeRow("a again", "http://a"),
    NodeRow("b", "http://b"),
    NodeRow("c", "http://c", draining=True),
)
CLUBS = {
    "by address": ClubRow("b", 1, wanted="http://a"),
    "by id": ClubRow("b", 1, wanted="a"),
    "drains": ClubRow("b", 1, wanted="c"),
    "gone": ClubRow("d", 1, wanted="http://d"),
    "stays": ClubRow("b", 1),
}
ROWS = LeaseRows(LookedUp(NODES, CLUBS))


def test_a_wish_names_a_node_by_id_or_address() -> None:
    assert {club: ROWS.wanted_for(club) for club in [*CLUBS, "unknown"]} == {
        "by address": ["a", "a again"],
        "by id": ["a"],
        "drains": [],
        "gone": [],
        "stays": [],
        "unknown": [],
    }


def test_a_leader_has_a_valid_lease() -> None:
    assert ROWS.leader_of("stays") == NODES[2]
    assert ROWS.leader_of("gone") is None
    assert ROWS.leader_of("unknown") is None


def test_the_order_has_the_nodes_that_take_clubs_and_depends_on_the_club() -> None:
    orders = {tuple(ROWS.order_for(f"club-{number}")) for number in range(50)}
    assert {frozenset(order) for order in orders} == {frozenset({"a", "a again", "b"})}
    assert len(orders) == 6
