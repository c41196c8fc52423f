"""The properties of leases under any troubles, found by search."""

from dataclasses import dataclass
from functools import partial
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.nodes.lease import Lease

from tests.server.nodes.virtual_cluster import CLUBS, Cluster, Node, weather
from tests.server.nodes.virtual_node import LEASE_MS


@dataclass(frozen=True)
class Trouble:
    """A fault of a node, or a command to a node."""

    at_ms: int
    node: int
    kind: str
    ms: int
    club: str


TROUBLES = st.builds(
    Trouble,
    st.integers(0, 8000),
    st.integers(0, 3),
    st.sampled_from(("freeze", "cut", "down", "want", "release", "die", "drain", "wanted")),
    st.integers(1, 4000),
    st.sampled_from(CLUBS),
)


@given(
    seed=st.integers(0, 1 << 30),
    rates=st.lists(st.floats(0.96, 1.04), min_size=2, max_size=4),
    delay_ms=st.sampled_from((0, 5, 100, 600, 1500)),
    lost=st.sampled_from((0.0, 0.1, 0.4)),
    troubles=st.lists(TROUBLES, max_size=25),
)
def test_never_two_leaders_and_epochs_never_go_back(
    seed: int, rates: list[float], delay_ms: int, lost: float, troubles: list[Trouble]
) -> None:
    """The property holds for late and lost answers, frozen processes, and clocks with other rates and offsets."""
    random = Random(seed)
    cluster = Cluster(random, delay_ms=delay_ms, lost=lost)
    nodes = [
        cluster.node(f"n{number}", rate=rate, skew_ms=random.randint(-(10**6), 10**6))
        for number, rate in enumerate(rates)
    ]
    for club in CLUBS:
        random.choice(nodes).request_leader(club)
    for trouble in troubles:
        cluster.time.call_in(trouble.at_ms, lambda trouble=trouble: strike(cluster, nodes, trouble))  # type: ignore[misc]
    cluster.run(12_000)
    for epochs in cluster.table.epochs.values():
        assert [epoch for epoch, _ in epochs] == list(range(1, len(epochs) + 1))
    for node in nodes:
        node.way.weather = weather(5)
    cluster.run(weather(delay_ms).patience_ms + 3 * LEASE_MS)
    there = [node for node in nodes if node.is_up]
    for club, row in cluster.table.clubs.items():
        if row.node is not None and any(not node.lease.is_draining for node in there):
            assert len(cluster.leaders(club)) == 1, "in the end every club that runs is led"


def strike(cluster: Cluster, nodes: list[Node], trouble: Trouble) -> None:
    node, club = nodes[trouble.node % len(nodes)], trouble.club
    match trouble.kind:
        case "freeze":
            node.stall(trouble.ms)
        case "cut":
            node.cut(trouble.ms)
        case "down":
            cluster.down_until_ms = cluster.time.now_ms() + trouble.ms
        case "want":
            node.request_leader(club)
        case "wanted" if club in cluster.table.clubs:
            cluster.table.clubs[club].wanted = "http://" * (trouble.at_ms % 2) + nodes[trouble.ms % len(nodes)].name
        case "release":
            node.act(partial(node.lease.hand_overs.release, club))
        case "drain":
            node.act(node.lease.drain)
        case "die" if sum(each.is_up for each in nodes) > 1:
            node.die()
        case _:
            pass


@pytest.mark.parametrize("broken", ["counts from the answer", "goes on without a look"])
def test_the_property_finds_each_planted_error(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if broken == "counts from the answer":
        renewed = Lease._renewed
        monkeypatch.setattr(Lease, "_renewed", lambda self, _until_ms, now_ms: renewed(self, now_ms + LEASE_MS, now_ms))
    else:

        def go_on(self: Lease, until_ms: int, now_ms: int) -> None:
            self.until_ms, self.is_suspended = until_ms, False

        monkeypatch.setattr(Lease, "_renewed", go_on)
    random = Random(7)
    for _ in range(300):
        troubles = [
            Trouble(random.randint(0, 8000), random.randint(0, 3), kind, random.randint(500, 3000), "one")
            for kind in ("freeze", "cut", "freeze", "cut", "want", "want", "freeze") * 3
        ]
        try:
            test_never_two_leaders_and_epochs_never_go_back.hypothesis.inner_test(  # type: ignore[attr-defined]
                random.randint(0, 1000), [0.98, 1.02, 1.0], 600, 0.1, troubles
            )
        except AssertionError:
            return
    pytest.fail("not found")
