"""The bytes of an HTTP connection that are received and not parsed yet. Sans-I/O."""

from collections.abc import Callable, Iterator

from rumble_server.gateway.read_fairness import ReadFairness
from rumble_server.limits.bounds import Bounds

LEAST_REQUEST_BYTES = 16
"""Size in bytes of the shortest possible request: `GET / HTTP/1.1` and two line ends."""


class UnparsedBytes:
    """Received bytes, which the parser takes in pieces, within the bounds of a loop iteration."""

    __slots__ = ("_at", "_bounds", "_data", "_fairness")

    def __init__(self, bounds: Bounds, fairness: ReadFairness) -> None:
        self._bounds = bounds
        self._fairness = fairness
        self._data = b""
        """Received bytes, of which those from index `_at` on are not parsed; empty if all are parsed."""
        self._at = 0

    def __len__(self) -> int:
        return len(self._data) - self._at

    def add(self, data: bytes) -> None:
        """Add received bytes."""
        self._data, self._at = self._data[self._at :] + data if self._data else data, 0

    def pieces(self, is_paused: Callable[[], bool]) -> Iterator[bytes]:
        """Yield pieces, each of which is parsed at once, up to the bounds of a loop iteration, or until `is_paused`.

        The rest stays for a later call.
        """
        # A piece of this size cannot hold more requests than may wait.
        most_bytes = LEAST_REQUEST_BYTES * self._bounds.pipelined_requests
        left = self._bounds.bytes_per_iteration
        while self._data and left > 0 and not is_paused() and self._fairness.claim_time():
            piece = self._data[self._at : self._at + most_bytes]
            left -= len(piece)
            self._at += len(piece)
            if self._at == len(self._data):
                self.clear()
            yield piece

    def take(self) -> bytes:
        """Return all bytes, and keep none."""
        rest = self._data[self._at :]
        self.clear()
        return rest

    def clear(self) -> None:
        """Drop all bytes."""
        self._data, self._at = b"", 0
