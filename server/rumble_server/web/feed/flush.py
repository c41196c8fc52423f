"""A flush of a channel: its events are made in several iterations of the event loop, and sent in a few chunks."""

from collections.abc import Iterator

from rumble_protocol.fields import ServerMessageModel

AT_ONCE_BYTES = 12_000
"""Size in bytes at which no more events are made in an iteration of the event loop. About 12 boards of connect four
have this size, and take 1 to 3 ms to make."""
TOGETHER_BYTES = 1 << 18
"""Size in bytes at which the events made so far are sent before the flush has ended. Packing so many bytes takes 2 ms.
Events compressed together take fewer bytes than events compressed alone, and less time for each reader."""

Encoded = tuple[bytes, bytes]
"""An event's type, and the event as JSON without line breaks."""


class Flush:
    """The events of a flush in progress: to be made, or made and not yet sent."""

    def __init__(self, events: Iterator[ServerMessageModel | None], up_to: int) -> None:
        """`events` yields None instead of an event if the next events need a new iteration of the event loop."""
        self.up_to = up_to
        """Number of the newest fact whose changes the flush sends."""
        self.is_made = False
        self._events = events
        self._unsent: list[Encoded] = []

    def make_events(self) -> list[Encoded]:
        """Make events until `AT_ONCE_BYTES` are made. Return the events to send now, if any."""
        made_bytes = 0
        for event in self._events:
            if event is not None:
                self._unsent.append(encoded(event))
                made_bytes += len(self._unsent[-1][1])
            if event is None or made_bytes >= AT_ONCE_BYTES:
                if sum(len(data) for _, data in self._unsent) < TOGETHER_BYTES:
                    return []
                together, self._unsent = self._unsent[:-1], self._unsent[-1:]  # keeps an event for the last chunk
                return together
        self.is_made = True
        return self._unsent


def encoded(event: ServerMessageModel) -> Encoded:
    """Encode an event, once for all readers."""
    kind: str = event.type  # type: ignore[attr-defined]  # every event of the feed has a type
    return kind.encode(), event.__pydantic_serializer__.to_json(event)
