"""Limits by address for messages from strangers, such as logins. All clubs share the counts."""

from rumble_server.limits.bounds import Bounds
from rumble_server.limits.buckets import Buckets
from rumble_server.limits.refusals import Refusals


class Strangers:
    """Counters of messages from strangers, by address."""

    def __init__(self, bounds: Bounds, refusals: Refusals) -> None:
        self._bounds = bounds
        self._messages = Buckets(bounds.stranger_messages_per_minute)
        self.refusals = refusals

    def may_send(self, address: str, now_ms: int) -> bool:
        """Return true if another message from `address` would be allowed. No message is counted."""
        return self._bounds.exempts(address) or self._messages.allows(address, now_ms)

    def count_messages(self, address: str, now_ms: int, messages: int = 1) -> bool:
        """Count messages from `address`. Return False if there are too many."""
        return self._bounds.exempts(address) or self._messages.take(address, now_ms, times=messages)
