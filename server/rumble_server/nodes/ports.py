"""Ports of the nodes: the commands of a lease to the clubs of this process."""

from typing import Protocol


class LeaseCommands(Protocol):
    """The port for the commands of a lease to the clubs. While a command runs, it must not call the lease."""

    def start_leading(self, club: str, epoch: int) -> None:
        """Load a club, and lead it under this epoch. Once the club lets bots in, call `Lease.on_listening`."""

    def discard(self, club: str) -> None:
        """Forget a club, loaded or not, because another node has taken the club over."""

    def read_ahead(self, club: str) -> None:
        """Read ahead a club that another node still leads (`store/log/read_ahead.py`). Then call `on_read_ahead`."""

    def hand_over(self, club: str) -> None:
        """Stop a club, and wait until its facts are on disk. Then call `on_stopped`. The bots stay connected."""

    def close_handed_over(self, club: str) -> None:
        """Close the connections of bots and visitors of a club that was handed over."""

    def suspend(self) -> None:
        """Send nothing about any club to bots and visitors from now on, because the lease is over."""

    def disconnect_all(self) -> None:
        """Close the connections of bots and visitors of every club, because the lease has been over for long."""

    def resume(self) -> None:
        """Continue play in all clubs except discarded clubs, because the lease is valid again."""

    def end_node(self) -> None:
        """End this node, because its row is missing in the database. The process has to join under a new id."""
