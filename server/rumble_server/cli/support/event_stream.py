"""Server-Sent Events from a server. A lost connection is made again."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 10.0
"""Time in s before a new connection; it doubles with each attempt in a row, up to the longest."""
PATIENCE = 60
"""Maximum number of connections in a row without an event; then the stream is lost."""


class StreamLost(Exception):
    """The stream ended or broke off. The events before are valid."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its id, its kind and its data."""

    id: str
    kind: str
    data: dict[str, Any]


Connect = Callable[[str | None], Iterator[Event]]
"""Opens the stream, after the event of that id if one is given. Raises StreamLost."""


def parse(lines: Iterable[str]) -> Iterator[Event]:
    """Yield the events in the lines of a stream."""
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        if line and name:
            fields[name] = value.removeprefix(" ")
        elif not line:
            if "data" in fields:
                yield Event(fields.get("id", ""), fields.get("event", "message"), json.loads(fields["data"]))
            fields = {}


def follow(connect: Connect, sleep: Callable[[float], None], say: Callable[[str], None]) -> Iterator[Event]:
    """Yield all events, over several connections if need be. Raises StreamLost if the first fails, or PATIENCE ends."""
    last_id: str | None = None
    tries, wait_s = 0, FIRST_WAIT_S
    while True:
        try:
            for event in connect(last_id):
                if tries:
                    say("the server is back")
                last_id, tries, wait_s = event.id or last_id, 0, FIRST_WAIT_S
                yield event
            problem = StreamLost("the server ended the stream")
        except StreamLost as lost:
            problem = lost
        tries += 1
        if last_id is None or tries >= PATIENCE:
            raise problem
        say(f"{problem}; connecting again in {wait_s:g} s")
        sleep(wait_s)
        wait_s = min(LONGEST_WAIT_S, 2 * wait_s)
