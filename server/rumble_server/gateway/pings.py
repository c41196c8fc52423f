"""Pings of a connection: round trips and silence. Sans-I/O; `Connection` writes the pings and hands in the pongs."""

from rumble_server.gateway.frames import ping

ROUND_TRIPS = 5
"""Number of round trips that are remembered."""


class Pings:
    """The newest ping of a connection, and the newest round trips. All times are in ms of server time."""

    __slots__ = ("_sent_ms", "heard_ms", "round_trips")

    def __init__(self, now_ms: int) -> None:
        self._sent_ms: int | None = None
        """Time at which the newest ping was sent; None once its pong was received."""
        self.heard_ms = now_ms
        """Time at which the newest pong was received, or at which the connection was opened."""
        self.round_trips: tuple[int, ...] = ()  # a deque would cost half as much memory as a `Connection`
        """Durations in ms of the newest round trips, oldest first."""

    def ping(self, now_ms: int) -> bytes:
        """Return a new ping, as a frame to send now."""
        self._sent_ms = now_ms
        return ping(str(now_ms).encode())

    def pong(self, content: bytes, now_ms: int) -> int | None:
        """Take note of a pong. Return the shortest of the newest round trips in ms.

        Return None if the pong answers an earlier ping. The peer then has read nothing for a while, so the pong
        measures no round trip.
        """
        self.heard_ms = now_ms
        if self._sent_ms is None or content != str(self._sent_ms).encode():
            return None
        self.round_trips = (*self.round_trips, now_ms - self._sent_ms)[-ROUND_TRIPS:]
        self._sent_ms = None
        return min(self.round_trips)

    def is_silent(self, now_ms: int, pong_ms: int) -> bool:
        """Return true if a ping is unanswered, and no pong was received for longer than `pong_ms`."""
        return self._sent_ms is not None and now_ms - self.heard_ms > pong_ms
