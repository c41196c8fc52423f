import json
from collections.abc import Iterator

import pytest
from rumble_server.cli.support.event_stream import (
    LONGEST_WAIT_S,
    PATIENCE_S,
    StreamEvent,
    StreamLost,
    parse,
    read_events,
)


def test_parse() -> None:
    lines = ["retry: 2000", "", ": keep-alive", "", "id: 7", "event: move", 'data: {"a": 1}', "", "id: 8", ""]
    assert list(parse(lines)) == [StreamEvent("7", "move", {"a": 1})]


def test_an_event_that_is_cut_off_is_not_told() -> None:
    assert list(parse(["id: 7", "event: move", "data: {}"])) == []
    with pytest.raises(json.JSONDecodeError):
        list(parse(["data: hello", ""]))


class Line:
    """Connections of a test: each a list of event ids, or None if no server answers."""

    def __init__(self, *connections: list[str] | None) -> None:
        self._connections = list(connections)
        self.asked: list[str | None] = []
        self.slept: list[float] = []
        self.said: list[str] = []

    def connect(self, last: str | None) -> Iterator[StreamEvent]:
        self.asked.append(last)
        ids = self._connections.pop(0) if self._connections else None
        if ids is None:
            raise StreamLost("no server answers")
        for number in ids:
            yield StreamEvent(number, "move", {})
        if not self._connections:
            raise StreamLost("cut off")

    def read_events(self) -> Iterator[StreamEvent]:
        return read_events(self.connect, self.slept.append, self.said.append)


def test_a_lost_connection_is_made_again_from_where_it_was() -> None:
    line = Line(["1", "2"], None, ["3"], None)
    events = line.read_events()
    assert [next(events).id for _ in range(3)] == ["1", "2", "3"]
    assert line.asked == [None, "2", "2"]
    assert line.slept == [0.5, 1.0]
    assert line.said[0] == "the server ended the stream; connecting again in 0.5 s"
    assert line.said[2:] == ["the server is back"]


def test_a_server_that_never_answered_is_not_tried_again() -> None:
    line = Line(None)
    with pytest.raises(StreamLost, match="no server answers"):
        next(line.read_events())
    assert line.slept == []


def test_a_server_that_says_when_it_is_there_again_is_asked_then_also_at_first() -> None:
    """The repeated problem is told once."""
    answers = [StreamLost("not available", 1.0)] * 3

    def connect(_last: str | None) -> Iterator[StreamEvent]:
        if answers:
            raise answers.pop()
        yield StreamEvent("1", "move", {})

    line = Line()
    assert next(read_events(connect, line.slept.append, line.said.append)).id == "1"
    assert line.slept == [1.0] * 3
    assert line.said == ["not available; connecting again in 1 s", "the server is back"]


def test_patience_ends() -> None:
    line = Line(["1"])
    events = line.read_events()
    next(events)
    with pytest.raises(StreamLost, match="no server answers"):
        next(events)
    assert PATIENCE_S <= sum(line.slept) < PATIENCE_S + LONGEST_WAIT_S
    assert max(line.slept) == LONGEST_WAIT_S
