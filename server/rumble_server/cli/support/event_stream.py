"""Server-Sent Events from a server. After a lost connection the stream goes on over a new connection."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 10.0
"""First and longest pause in s before a new connection. The pause doubles after each attempt that brings no event.

If the server says how long to wait, the server's time is used instead.
"""
PATIENCE_S = 600.0
"""Time in s for which new connections are tried. If none brings an event in this time, the stream counts as lost."""


class StreamLost(Exception):
    """The error of a stream that ended or broke off. Events that were received before the error stay valid.

    `again_s` is the time in s for which the server asks readers to wait; None if the server gives no time.
    """

    def __init__(self, problem: str, again_s: float | None = None) -> None:
        super().__init__(problem)
        self.again_s = again_s


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """A Server-Sent Event whose data is a JSON object."""

    id: str
    kind: str
    data: dict[str, Any]


Connect = Callable[[str | None], Iterator[StreamEvent]]
"""A function that takes the id of an event, and yields the later events; for None, it yields all. Raises StreamLost."""


def parse(lines: Iterable[str]) -> Iterator[StreamEvent]:
    """Yield the events in the lines of a stream."""
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        if line and name:
            fields[name] = value.removeprefix(" ")
        elif not line:
            if "data" in fields:
                yield StreamEvent(fields.get("id", ""), fields.get("event", "message"), json.loads(fields["data"]))
            fields = {}


def read_events(connect: Connect, sleep: Callable[[float], None], say: Callable[[str], None]) -> Iterator[StreamEvent]:
    """Yield all events, and connect again after a lost connection. `say` gets a text about each new problem.

    Raises StreamLost after `PATIENCE_S` without an event. If the stream is lost before its first event, and the server
    names no time for the next try, raises StreamLost at once.
    """
    last_id: str | None = None
    waited_s, wait_s, said = 0.0, FIRST_WAIT_S, ""
    while True:
        try:
            for event in connect(last_id):
                if waited_s:
                    say("the server is back")
                last_id, waited_s, wait_s, said = event.id or last_id, 0.0, FIRST_WAIT_S, ""
                yield event
            problem = StreamLost("the server ended the stream")
        except StreamLost as lost:
            problem = lost
        again_s = problem.again_s
        if (last_id is None and again_s is None) or waited_s >= PATIENCE_S:
            raise problem
        next_s = wait_s if again_s is None else again_s
        if str(problem) != said:  # a repeated problem is told once
            say(f"{problem}; connecting again in {next_s:g} s")
        said = str(problem)
        sleep(next_s)
        waited_s += next_s
        if again_s is None:
            wait_s = min(LONGEST_WAIT_S, 2 * wait_s)
