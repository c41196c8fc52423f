"""The rows of nodes and clubs, as a node has read them with its last look, and the choice of nodes by rows. Pure."""

from hashlib import blake2b

from rumble_server.store.postgres.lease_statements import LookedUp, NodeRow


class LeaseRows:
    """The nodes with a valid lease, and the clubs with a leader, at the last look."""

    def __init__(self, look: LookedUp) -> None:
        self.nodes = {node.id: node for node in look.nodes}
        """Nodes with a valid lease, by id."""
        self.clubs = dict(look.clubs)
        """Clubs with a leader, by name. The lease of the leader may be over."""

    def leader_of(self, club: str) -> NodeRow | None:
        """Return a club's leader; None if the club has no leader with a valid lease."""
        row = self.clubs.get(club)
        return None if row is None else self.nodes.get(row.node)

    def wanted_for(self, club: str) -> list[str]:
        """Return the nodes that an operator wants as the next leader of a club. Nodes that drain are left out.

        After the crash of a node, two nodes can have the same address: for the time of a lease, the row of the ended
        process is still valid.
        """
        row = self.clubs.get(club)
        wanted = None if row is None else row.wanted
        return [node.id for node in self.nodes.values() if wanted in (node.id, node.address) and not node.draining]

    def order_for(self, club: str) -> list[str]:
        """Return the nodes that may lead a club, in order of preference. Every node computes the same order.

        The order is by a hash of club and node (rendezvous hashing). Clubs are therefore spread evenly, and if a node
        is lost, only its clubs move.
        """
        nodes = [node.id for node in self.nodes.values() if not node.draining]
        return sorted(nodes, key=lambda node: blake2b(f"{club} {node}".encode(), digest_size=8).digest())
